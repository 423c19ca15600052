import { memberText } from '../../expression/tree/member-text.ts';
import type { ObjectType, Type } from '../../expression/tree/types.ts';
import { ownMember } from '../../text/own-member.ts';
import { nearest } from '../../text/suggest.ts';

/**
 * What the fields `size.width` and `size.height` have in common, by its name `size`: no value of its own, but what their
 * names are read from. Null where no name begins so.
 */
export function nestedIn(fields: ReadonlyMap<string, Type> | undefined, name: string): ObjectType | null {
  const members: Record<string, Type> = {};
  for (const [field, type] of fields ?? [])
    if (field.startsWith(`${name}.`)) members[field.slice(name.length + 1)] = type;
  return Object.keys(members).length ? { kind: 'object', members, nested: true, nullable: false } : null;
}

/** The type of a member; of an object with many, no other is looked at. `all` gives every member there is. */
export function memberIn(type: Type, member: string, all: () => ReadonlyMap<string, Type> | null): Type | null {
  const own = type.kind === 'object' ? ownMember(type.members, member) : undefined;
  if (own) return own;
  const members = all() ?? undefined;
  return members?.get(member) ?? nestedIn(members, member);
}

/**
 * The member that was probably meant by one that there is not, as it is written; empty where none was. After a dot, the
 * name `page-size` is read as a difference, and `page[size]` as an item.
 */
export function nearestMember(of: string, found: string, members: readonly string[]): string {
  const longer = members.find((one) => one.startsWith(found) && '-['.includes(one.charAt(found.length)));
  const meant = longer ?? nearest(found, members);
  if (!meant) return '';
  const text = memberText(of, meant);
  return text === `${of}.${meant}` ? meant : text;
}

/** True for what only begins the name of a field. */
export function isNested(type: Type): boolean {
  return type.kind === 'object' && type.nested === true;
}

/** What the dotted ones of these names begin with, each once. */
export function beginnings(names: Iterable<string>): Set<string> {
  const out = new Set<string>();
  for (const name of names)
    for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) out.add(name.slice(0, dot));
  return out;
}

/** Whose member an unknown one would be, where it is a field that a row or a request has. */
export function ownerOf(type: Type): { owner?: string } {
  const resource = type.kind === 'row' ? type.resource : type.kind === 'object' ? type.payload?.resource : undefined;
  return resource === undefined ? {} : { owner: `field of ${resource}` };
}

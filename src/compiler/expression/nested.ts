import { memberText } from '../../expression/tree/member-text.ts';
import type { ObjectType, Type } from '../../expression/tree/types.ts';
import { ownMember } from '../../text/own-members.ts';
import { nearest } from '../../text/suggest.ts';

/**
 * The object type of a name such as `size`, if there are fields such as `size.width` and `size.height`: it has no value
 * of its own, only these members. Null where no field begins with the name and a dot.
 */
export function nestedIn(fields: ReadonlyMap<string, Type> | undefined, name: string): ObjectType | null {
  const members: Record<string, Type> = {};
  for (const [field, type] of fields ?? [])
    if (field.startsWith(`${name}.`)) members[field.slice(name.length + 1)] = type;
  return Object.keys(members).length ? { kind: 'object', members, nested: true, nullable: false } : null;
}

/** The type of a member. `all` returns all members, and is called only if an object doesn't list this one. */
export function memberIn(type: Type, member: string, all: () => ReadonlyMap<string, Type> | null): Type | null {
  const own = type.kind === 'object' ? ownMember(type.members, member) : undefined;
  if (own) return own;
  const members = all() ?? undefined;
  return members?.get(member) ?? nestedIn(members, member);
}

/**
 * The member that an unknown name was probably meant to be, as an expression writes it; empty if there is none. CEL
 * reads `.page-size` as a difference and `.page[size]` as an item, so a member of such a name is likely meant.
 */
export function nearestMember(of: string, found: string, members: readonly string[]): string {
  const longer = members.find((one) => one.startsWith(found) && '-['.includes(one.charAt(found.length)));
  const meant = longer ?? nearest(found, members);
  if (!meant) return '';
  const text = memberText(of, meant);
  return text === `${of}.${meant}` ? meant : text;
}

/** Whether a type is that of a shared beginning of field names (`nestedIn`). */
export function isNested(type: Type): boolean {
  return type.kind === 'object' && type.nested === true;
}

/** The beginnings of dotted names, each once: `size` for `size.width` and `size.height`. */
export function beginnings(names: Iterable<string>): Set<string> {
  const out = new Set<string>();
  for (const name of names)
    for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) out.add(name.slice(0, dot));
  return out;
}

/** The owner of an unknown member in messages, if the member would be a field of a row or of a request. */
export function ownerOf(type: Type): { owner?: string } {
  const resource = type.kind === 'row' ? type.resource : type.kind === 'object' ? type.payload?.resource : undefined;
  return resource === undefined ? {} : { owner: `field of ${resource}` };
}

import type { DerivedField, Field, FieldType, Resource, Shown } from '../../src/compiler/statements/resources.ts';
import { wireName } from '../wirename.ts';
import type { Document } from './document.ts';
import { type Expected, memberFaults } from './members.ts';
import { fieldFaults, typeFaults } from './values.ts';

/** What a row isn't that its form says: the resource's own, where no view is named. */
export function* rowFaults(
  document: Document,
  resource: Resource,
  view: string | null,
  version: string | null,
  value: unknown,
  at: string,
): Generator<string> {
  const own = view === null || view === resource.name.text;
  const members = own ? resource.shown!.value : resource.views.find((one) => one.name.text === view)!.members;
  const flat = members.flatMap((member) => wholes(resource, member));
  const expected = flat.flatMap(({ field, as }): Expected[] => {
    const name = wireName(document.model.versioning, version, resource.name.text, field.text);
    if (name === null) return [];
    const judge = (one: unknown, place: string) =>
      memberOf(document, resource, field.text, as?.text ?? null, version, one, place);
    return [{ name, optional: mayMiss(document, resource, field.text), judge }];
  });
  const missing = document.model.resources.rules.missing?.value ?? 'left out';
  yield* memberFaults(value, nested(expected, missing), missing, at);
}

/** The beginning of dotted names stands for all of them. */
function wholes(resource: Resource, member: Shown): Shown[] {
  const begun = resource.fields.filter((field) => field.name.text.startsWith(`${member.field.text}.`));
  return begun.length ? begun.map((field) => ({ field: field.name, as: null })) : [member];
}

/** Members with dotted names, as the objects that hold them. */
function nested(expected: readonly Expected[], missing: 'left out' | 'null'): Expected[] {
  const out: Expected[] = [];
  for (const one of expected) {
    const [head, ...rest] = one.name.split('.');
    if (!rest.length) out.push(one);
    else if (!out.some(({ name }) => name === head)) {
      const inside = expected
        .filter(({ name }) => name.startsWith(`${head}.`))
        .map((member) => ({ ...member, name: member.name.slice(head!.length + 1) }));
      out.push({
        name: head!,
        optional: inside.every((member) => member.optional) && missing === 'left out',
        judge: (value, at) => memberFaults(value, nested(inside, missing), missing, at),
      });
    }
  }
  return out;
}

type Member = { readonly stored: Field } | { readonly derived: DerivedField };

function find(resource: Resource, name: string): Member {
  const stored = resource.fields.find((field) => field.name.text === name);
  return stored ? { stored } : { derived: resource.derived.find((field) => field.name.text === name)! };
}

const typeOf = (member: Member): FieldType => ('stored' in member ? member.stored.type!.value : member.derived.type);

/** True of what may be absent: what is optional or computed, and what points at a row that the caller may not see. */
function mayMiss(document: Document, resource: Resource, name: string): boolean {
  const member = find(resource, name);
  if ('derived' in member || member.stored.presence?.value === 'optional') return true;
  const type = typeOf(member);
  return type.kind === 'reference' && document.resource(type.resource.text).visible?.value !== 'everyone';
}

/** What a member of a row isn't, whether it is plain, a row or a list of rows. */
export function* memberOf(
  document: Document,
  resource: Resource,
  name: string,
  as: string | null,
  version: string | null,
  value: unknown,
  at: string,
): Generator<string> {
  const member = find(resource, name);
  const type = typeOf(member);
  const many = type.kind === 'list' || type.kind === 'set';
  const target = many ? type.of : type;
  if (target.kind !== 'reference') {
    if ('stored' in member) yield* fieldFaults(document, resource.name.text, member.stored, value, at);
    else yield* typeFaults(document, type, value, at);
    return;
  }
  const row = document.resource(target.resource.text);
  const plain =
    as !== null && (row.fields.some((f) => f.name.text === as) || row.derived.some((f) => f.name.text === as));
  const one = (item: unknown, place: string): Iterable<string> =>
    plain
      ? memberOf(document, row, as, null, version, item, place)
      : rowFaults(document, row, as, version, item, place);
  if (!many) return yield* one(value, at);
  if (!Array.isArray(value)) return yield `${at} is no list: ${JSON.stringify(value)}`;
  for (const [i, item] of value.entries()) yield* one(item, `${at}/${i}`);
}

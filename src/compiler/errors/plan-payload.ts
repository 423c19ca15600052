import type { ErrorMemberPlan, ErrorPayloadPlan, ErrorValuePlan, ManyPlan } from '../../plan/step.ts';
import type { Token } from '../../syntax/tokens.ts';
import { ownMember } from '../../text/own-member.ts';
import type { Resolved } from '../document/resolve.ts';
import { settled, settledList, withStated } from '../document/settled.ts';
import type { PayloadMember } from '../statements/errors.ts';

/** The form of error payloads, with nested tables in place of their names; undefined while unsettled. */
export function planPayload(r: Resolved): ErrorPayloadPlan | undefined {
  const payload = r.model.errors.payload?.value ?? { kind: 'none' };
  if (payload.kind === 'none') return payload;
  if (payload.kind === 'RFC 9457')
    return payload.type ? { kind: 'RFC 9457', type: payload.type.text } : { kind: 'RFC 9457' };
  const members = membersOf(r, payload.name.text);
  return members && { kind: 'table', mediaType: payload.mediaType?.text ?? 'application/json', members };
}

function membersOf(r: Resolved, payload: string): ErrorMemberPlan[] | undefined {
  const table = r.model.errors.payloads.find((one) => one.name.text === payload);
  return (
    table &&
    settledList(table.members.map((one) => settled<ErrorMemberPlan>({ name: one.name.text, value: heldBy(r, one) })))
  );
}

function heldBy(r: Resolved, said: PayloadMember): ErrorValuePlan | undefined {
  const member = withStated(said, 'type', 'value');
  if (!member) return undefined;
  const { many, of } = member.type.value;
  const value = member.value.value;
  if (of.kind === 'payload') {
    const members = membersOf(r, of.name.text);
    return members && { kind: many === 'one' ? 'object' : 'objects', members };
  }
  const first = pairOf(r, value);
  if (!first) return undefined;
  if (value.kind === 'one') return { kind: 'value', value: first.value };
  const otherwise = value.otherwise && pairOf(r, value.otherwise);
  return otherwise === undefined ? undefined : { kind: many === 'list' ? 'list' : 'map', ...first, otherwise };
}

type Pair = Pick<ManyPlan, 'value' | 'key'>;

function pairOf(r: Resolved, said: { readonly value: Token; readonly key?: Token | null }): Pair | undefined {
  return settled<Pair>({ value: r.expr(said.value), key: said.key ? r.expr(said.key) : null });
}

/** The values of an error's further columns, by their names in expressions; null for `none`. */
export function planColumns(r: Resolved, code: string): Record<string, string | null> {
  const { columns, rows, blanks } = r.model.errors;
  const row = rows.find((one) => one.code.text === code);
  return Object.fromEntries(
    columns.map(({ name, heading }) => {
      const blank = blanks.find((one) => one.column.text === heading.text);
      return [name, ((row && ownMember(row.more, name)) ?? blank)?.value ?? null];
    }),
  );
}

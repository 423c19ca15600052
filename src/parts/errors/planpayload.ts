import type { Resolved } from '../../model/resolve.ts';
import type { ErrorMemberPlan, ErrorPayloadPlan, ErrorValuePlan } from '../../plan/step.ts';
import { ownMember } from '../../source/own.ts';
import type { PayloadMember } from './model.ts';

/** How errors are told, with every table where it stands. */
export function planPayload(r: Resolved): ErrorPayloadPlan {
  const payload = r.model.errors.payload?.value ?? { kind: 'none' };
  if (payload.kind !== 'table') return payload;
  return { kind: 'table', mediaType: payload.mediaType, members: membersOf(r, payload.name.text) };
}

function membersOf(r: Resolved, payload: string): ErrorMemberPlan[] {
  const table = r.model.errors.payloads.find((one) => one.name.text === payload)!;
  return table.members.map((member) => ({ name: member.name.text, value: heldBy(r, member) }));
}

function heldBy(r: Resolved, member: PayloadMember): ErrorValuePlan {
  const { many, of } = member.type!.value;
  const value = member.value!.value;
  if (of.kind === 'payload')
    return { kind: many === 'one' ? 'object' : 'objects', members: membersOf(r, of.name.text) };
  if (value.kind === 'one') return { kind: 'value', value: r.expr(value.value) };
  const pair = (one: typeof value.otherwise) => one && { value: r.expr(one.value), key: one.key && r.expr(one.key) };
  return { kind: many === 'list' ? 'list' : 'map', ...pair(value)!, otherwise: pair(value.otherwise) };
}

/** What each error says under the further columns. */
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

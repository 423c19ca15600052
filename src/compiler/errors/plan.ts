import { type Condition, type Outcome, UNROUTED_CONDITIONS } from '../../plan/conditions.ts';
import type { ErrorMemberPlan, ErrorPayloadPlan, ErrorsPlan, ErrorValuePlan, ManyPlan } from '../../plan/step.ts';
import type { Token } from '../../syntax/tokens.ts';
import { ownMember } from '../../text/own-members.ts';
import type { Resolved } from '../document/resolve.ts';
import { settled, settledList, withStated } from '../document/settled.ts';
import type { PayloadMember } from '../statements/errors.ts';
import { outcomeOf } from './check.ts';
import { EVERYWHERE, reachable } from './reach.ts';

/**
 * The outcomes of the conditions that can arise, and of the codes that steps and rules raise; undefined while
 * unsettled.
 */
export function planErrors(r: Resolved): ErrorsPlan | undefined {
  const conditions: Partial<Record<Condition, Outcome>> = {};
  const arising = r.effective.flatMap((one) => reachable(r, one));
  for (const condition of new Set([...UNROUTED_CONDITIONS, ...EVERYWHERE, ...arising])) {
    const outcome = outcomeOf(r.model, condition);
    if (outcome) conditions[condition] = outcome;
  }
  const rows = r.model.errors.rows.flatMap(({ code, status, title }): Outcome[] =>
    status && title ? [{ code: code.text, status: status.value, title: title.value }] : [],
  );
  // Object.fromEntries, since an assignment to `__proto__` would change the prototype of the object.
  const codes = Object.fromEntries(rows.map((row) => [row.code, row]));
  const all = [...Object.values(codes), ...Object.values(conditions)];
  const columns = r.model.errors.columns.length
    ? Object.fromEntries(all.map(({ code }) => [code, planColumns(r, code)]))
    : {};
  return settled<ErrorsPlan>({ payload: planPayload(r), columns, conditions, codes });
}

/** The form of error payloads, with nested tables in place of their names; undefined while unsettled. */
function planPayload(r: Resolved): ErrorPayloadPlan | undefined {
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
function planColumns(r: Resolved, code: string): Record<string, string | null> {
  const { columns, rows, blanks } = r.model.errors;
  const row = rows.find((one) => one.code.text === code);
  return Object.fromEntries(
    columns.map(({ name, heading }) => {
      const blank = blanks.find((one) => one.column.text === heading.text);
      return [name, ((row && ownMember(row.more, name)) ?? blank)?.value ?? null];
    }),
  );
}

import type { Expr } from '../../../expression/tree/expression.ts';
import * as t from '../../../expression/tree/types.ts';
import { isScalarType } from '../../../expression/values/kinds.ts';
import type { Assignment } from '../../../language/assignments.ts';
import type { FixedOrder, MemberPlan } from '../../../plan/step.ts';
import { refuseRepeats } from '../../../syntax/names.ts';
import { wholeListAt } from '../../document/effective-limits.ts';
import { identityOf } from '../../document/resolve.ts';
import { TEXT, tellsTextOfGroup } from '../../expression/aggregates.ts';
import { expressionDiagnostics } from '../../expression/messages.ts';
import type { Resource } from '../../statements/resources.ts';
import { checkAbsent } from '../check/absent-parameters.ts';
import { type Checking, isPlainName, type Of } from '../check/checking.ts';
import { checkSeen } from '../check/hidden-rows.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import { NOTHING, type VerbModule } from './verb.ts';

/** Group `xs`: R where p by k `e` with m `e`, latest `m` first, all */
export const GROUP: VerbModule<'Group'> = {
  does: () => ({ ...NOTHING, byRequest: true }),
  check(c, step) {
    const resource = c.r.resource(step.resource);
    const params = { resource: step.resource.text };
    const where = resource && step.where && c.condition(step.where, '“where”', resource.name.text);
    if (step.where && where) checkAbsent(c, 'Group', where, step.where);
    const every = step.every.value;
    if (!every && resource && (where || !step.where)) checkSeen(c, 'Group', resource, where, step.span);
    const members = checkMembers(c, step, resource);
    if (every && resource) checkEvery(c, step, resource, members?.with ?? []);
    if (!step.order) c.findings.push(d.report.groupOrder(step.span, params, [c.endpoint]));
    if (!step.bound) c.findings.push(d.report.groupBound(step.span, params, [c.endpoint]));
    const all = step.bound ? wholeListAt(c.r, c.one) : null;
    const by = members && [...members.by, ...members.with];
    const of: t.Type = by ? groupType(by) : t.UNKNOWN;
    c.nameRow(step.as, { kind: 'list', of, nullable: false, ...(all && { most: all.most }) });
    const order = by && step.order && checkOrder(c, step.order, by);
    if (!resource || !members || !order || !all || (step.where && !where)) return null;
    const selected = { as: step.as.text, resource: resource.name.text, ...(every && { every }), where };
    return { do: 'group', ...selected, ...members, order, all, line: c.line(step) };
  },
};

/** Checks “every”: it needs rows that some caller may not see, and no value may show their text. */
function checkEvery(c: Checking, step: Of<'Group'>, resource: Resource, values: readonly MemberPlan[]): void {
  const { text } = resource.name;
  if (!c.r.rows.get(text)?.hides)
    c.findings.push(expressionDiagnostics.report.everyAnyway(step.every, { resource: text, why: 'everyone' }));
  for (const { name, value } of values) {
    const at = step.with.find(({ field }) => field.text === name)?.value;
    if (at && tellsTextOfGroup(value)) c.findings.push(expressionDiagnostics.report.unsupported(at, { what: TEXT }));
  }
}

const groupType = (members: readonly MemberPlan[]): t.Type => ({
  kind: 'object',
  members: Object.fromEntries(members.map(({ name, value }) => [name, value.type])),
  ofGroup: true,
  nullable: false,
});

/** Checks the keys and the values of a group; null while one of them isn't settled. */
function checkMembers(
  c: Checking,
  step: Of<'Group'>,
  resource: Resource | null,
): { by: readonly MemberPlan[]; with: readonly MemberPlan[] } | null {
  const names = [...step.by, ...step.with].map(({ field }) => field);
  const keys = new Set(step.by.map(({ field }) => field.text));
  for (const { field } of step.with)
    if (keys.has(field.text)) refuseRepeats([...step.by.map((one) => one.field), field], c.findings);
  for (const name of names)
    if (!isPlainName(name.text)) c.findings.push(d.report.groupName(name, { found: name.text }));
  if (!resource) return null;
  const { text } = resource.name;
  const by = membersOf(c, step.by, ({ value }) => identified(c, c.type(value, null, 'A key', text)));
  const values = membersOf(c, step.with, ({ value }) => c.typeOfGroup(value, text));
  return by && values && { by, with: values };
}

/** The identity of a row, for a key that is a row; null where the caller may not see the row. */
function identified(c: Checking, key: Expr | null): Expr | null {
  const row = key?.type.kind === 'row' ? c.r.rows.get(key.type.resource) : undefined;
  const resource = row && c.r.resourceNamed(row.name);
  const identity = resource && identityOf(resource)?.name.text;
  const type = identity && row.fields.get(identity);
  if (!key || !row || !identity || !type) return key;
  const maybe = key.type.nullable || (row.hides && c.visibleOnly);
  return { op: 'get', of: key, member: identity, type: t.nullable(type, maybe) };
}

function membersOf(
  c: Checking,
  stated: readonly Assignment[],
  typed: (one: Assignment) => Expr | null,
): readonly MemberPlan[] | null {
  const out = stated.flatMap((one): MemberPlan[] => {
    const value = typed(one);
    // A value whose type is open, or has a finding of its own, is not settled.
    if (!value || value.type.kind === 'unknown') return [];
    if (isScalarType(value.type.kind)) return [{ name: one.field.text, value }];
    c.findings.push(d.report.groupValue(one.value.inner, { name: one.field.text, found: t.describe(value.type) }));
    return [];
  });
  return out.length === stated.length ? out : null;
}

/** The order of groups: by one of their members. */
function checkOrder(
  c: Checking,
  { by, direction }: NonNullable<Of<'Group'>['order']>,
  members: readonly MemberPlan[],
): FixedOrder | null {
  const member = members.find(({ name }) => name === by.text);
  const names = members.map(({ name }) => name);
  if (!member) c.r.unknown({ text: by.text, ...by.inner }, 'member of the groups', names);
  return member
    ? { by: { op: 'name', name: member.name, type: member.value.type }, descending: direction === 'latest' }
    : null;
}

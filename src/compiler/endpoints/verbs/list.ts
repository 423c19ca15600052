import { type Expr, show } from '../../../expression/tree/expression.ts';
import { matching as matchingOf, type Search } from '../../../expression/tree/search.ts';
import * as t from '../../../expression/tree/types.ts';
import { eachSortKeys } from '../../../plan/nested-steps.ts';
import type { InsideStep, OrderPlan } from '../../../plan/step.ts';
import type { Token } from '../../../syntax/tokens.ts';
import { ownMember } from '../../../text/own-members.ts';
import { wholeListAt } from '../../document/effective-limits.ts';
import { pagesOf } from '../../document/pages.ts';
import { identityOf } from '../../document/resolve.ts';
import type { Parameter } from '../../statements/endpoints.ts';
import type { Resource } from '../../statements/resources.ts';
import { checkAbsent } from '../check/absent-parameters.ts';
import type { Checking, Of } from '../check/checking.ts';
import { checkSeen } from '../check/hidden-rows.ts';
import { placeRoom } from '../check/lengths.ts';
import { checkOrder } from '../check/orders.ts';
import { checkMatching } from '../check/searches.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import { NOTHING, type VerbModule } from './verb.ts';

/** List `xs`: R where p, as the parameters say, latest `k` first, in pages · all */
export const LIST: VerbModule<'List'> = {
  does: ({ as, resource }) => ({ ...NOTHING, byRequest: true, names: { as: as.text, resource: resource.text } }),
  check(c, step) {
    const resource = c.r.resource(step.resource);
    const params = { resource: step.resource.text };
    if (step.bound === 'pages' && c.lists.size) c.findings.push(d.report.listedTwice(step.span));
    const where = resource && step.where && c.condition(step.where, '“where”', resource.name.text);
    if (step.where && where) checkAbsent(c, 'List', where, step.where);
    if (resource && (where || !step.where)) checkSeen(c, 'List', resource, where, step.span);
    const pages = step.bound === 'pages' ? pagesOf(c.r, c.one) : null;
    const placed = pages?.value.by === 'cursor';
    const search = resource && step.matching && checkMatching(c, step.matching, resource);
    if (step.order?.direction === 'best' && !step.matching) c.findings.push(d.report.bestWithout(step.span));
    const matching = step.matching && { search, query: step.matching.query };
    const order = resource && step.order && checkOrder(c, step.order, { resource, where, placed, matching });
    if (!step.order)
      c.findings.push(d.report.listOrder(step.span, { ...params, field: likelyOrder(resource) }, [c.endpoint]));
    if (step.bound === 'pages' && c.depth > 0) c.findings.push(d.report.listNested(step.span));
    if (!step.bound) c.findings.push(d.report.listBound(step.span, params, [c.endpoint]));
    const filters = resource && step.asParameters ? checkFilters(c, step, resource) : [];
    if (step.bound === 'streamed') return checkStreamed(c, step, resource, where, order ?? null, filters, search);
    if (step.bound !== 'all') c.lists.set(step.as.text, step.as);
    const of = resource ? t.rowOf(resource.name.text) : t.UNKNOWN;
    c.nameRow(step.as, { kind: 'list', of, nullable: false });
    const all = step.bound === 'all' ? wholeListAt(c.r, c.one) : null;
    if (!resource || !order || !filters || (step.where && !where) || !(all || pages)) return null;
    if (step.matching && !search) return null;
    const room = roomOf(c, resource, order, placed);
    const selected = { as: step.as.text, resource: resource.name.text, where, filters, ...searching(search) };
    return { do: 'list', ...selected, all, order, room, reads: null, line: c.line(step) };
  },
};

/** Checks a list whose rows the answer streams: they are read once all steps are done, and no step sees them. */
function checkStreamed(
  c: Checking,
  step: Of<'List'>,
  resource: Resource | null,
  where: Expr | null,
  order: OrderPlan | null,
  filters: readonly Filter[] | null,
  search: Search | null,
): Extract<InsideStep, { do: 'list streamed' }> | null {
  if (c.depth > 0) c.findings.push(d.report.streamedNested(step.span));
  c.nameRow(step.as, { kind: 'list', of: resource ? t.rowOf(resource.name.text) : t.UNKNOWN, nullable: false });
  c.streamed.set(step.as.text, { token: step.as, resource: step.resource.text });
  if (!resource || !order || !filters || (step.where && !where) || (step.matching && !search)) return null;
  const selected = { as: step.as.text, resource: resource.name.text, where, filters, ...searching(search) };
  return { do: 'list streamed', ...selected, order, line: c.line(step) };
}

const searching = (search: Search | null) => (search ? { matching: matchingOf(search) } : {});

/** The largest size of a row's position in a cursor, in bytes, for each order that the request can choose. */
const roomOf = (c: Checking, resource: Resource, order: OrderPlan, placed: boolean): number[] =>
  eachSortKeys(order).map((keys) =>
    placed
      ? placeRoom(
          c.r,
          resource,
          keys.map(({ by }) => by),
        )
      : 0,
  );

/** The field to suggest for the order of a list: a timestamp, or else the identity. */
function likelyOrder(resource: Resource | null): string {
  const instant = resource?.fields.find((field) => field.type?.value.kind === 'timestamp');
  return (instant ?? (resource && identityOf(resource)))?.name.text ?? 'id';
}

type Filter = Extract<InsideStep, { do: 'list' }>['filters'][number];

/** The filters of a list: one for each parameter with “Keeps rows where”. */
function checkFilters(c: Checking, step: Of<'List'>, resource: Resource): readonly Filter[] | null {
  c.asParameters = true;
  const { parameters } = c.one.endpoint;
  if (!parameters.some((parameter) => parameter.keeps)) c.findings.push(d.report.filterMissing(step.span));
  const out: Filter[] = [];
  let settled = true;
  for (const parameter of parameters) {
    if (!parameter.keeps) continue;
    const where = checkKeeps(c, parameter.keeps, parameter, resource.name.text);
    if (where && parameter.in) out.push({ parameter: parameter.name.text, in: parameter.in.value, where });
    else settled = false;
  }
  return settled ? out : null;
}

/** Checks a filter. It applies only if its parameter is sent, so the parameter is not null in its condition. */
function checkKeeps(c: Checking, token: Token, parameter: Parameter, resource: string): Expr | null {
  const object = parameter.in?.value === 'body' ? 'request' : (parameter.in?.value ?? 'query');
  const known = c.names.get(object);
  const name = parameter.name.text;
  const member = known?.kind === 'object' ? ownMember(known.members, name) : undefined;
  const sent: Expr | null =
    known && member ? { op: 'get', of: { op: 'name', name: object, type: known }, member: name, type: member } : null;
  const expr = c.filter(token, resource, sent && show(sent));
  if (expr) c.use(expr, token);
  return expr;
}

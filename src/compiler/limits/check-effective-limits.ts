import { limitRow, type Target } from '../../language/limits.ts';
import { isOfCallers } from '../../plan/limits.ts';
import { keysOf } from '../../text/own-members.ts';
import { hasNoCallers, openEndpoints } from '../document/access.ts';
import { type Effective, takesBody } from '../document/effective.ts';
import { generalLimit, limitAt, namedBy, namesSomeOf } from '../document/effective-limits.ts';
import { isPaged, listsAll } from '../document/pages.ts';
import type { Resolved } from '../document/resolve.ts';
import { listNames } from '../endpoints/check/settings.ts';
import type { LimitName, Rate, Uncounted } from '../statements/limits.ts';
import { checkRowless } from './check-rates.ts';
import { limitsDiagnostics as d } from './messages.ts';

/** Whether an endpoint needs a limit. */
const NEEDS: Readonly<Record<LimitName, (one: Effective) => boolean>> = {
  'Request size': (one) => takesBody(one) || one.settings.unreadBodies?.value === 'refused',
  'Time-out': () => true,
  'Page size': isPaged,
  'Whole list': listsAll,
};

/** Checks which endpoints limits are for: each limit in force somewhere, and no endpoint that needs one without it. */
export function checkInForce(r: Resolved): void {
  const { own, rates, uncounted } = r.model.limits;
  const before = r.notes.findings.length;
  for (const { at } of [...own, ...rates, ...uncounted]) checkTargets(r, at);
  if (r.notes.findings.length > before) return;
  for (const limit of keysOf(NEEDS)) checkLimit(r, limit);
  const seen = new Set<string>();
  for (const rate of rates) checkRate(r, rate, seen);
  checkNobody(r);
  checkRowless(r);
}

/**
 * Where anyone may call, a rate for each caller counts only requests with credentials: the document has to state what
 * counts the others, or that nothing does.
 */
function checkNobody(r: Resolved): void {
  const { rates, uncounted } = r.model.limits;
  const callers = rates.filter(({ per }) => isOfCallers(per));
  const nobody = rates.filter(({ per }) => per === 'nobody');
  const owing = hasNoCallers(r) ? [] : r.once(openEndpoints).filter(namedBy(callers));
  const counted = namedBy(nobody);
  const left = owing.filter((one) => !counted(one));
  const isNamed = namedBy(uncounted);
  const open = left.filter((one) => !isNamed(one));
  const names = open.map((one) => one.endpoint.name);
  const first = callers.find(namesSomeOf(open));
  if (first) r.notes.findings.push(d.report.nobodyRate(first.span, { endpoint: listNames(names) }, names));
  const seen = new Set<string>();
  const leaves = namesSomeOf(left);
  for (const row of uncounted) {
    const before = seen.size;
    if (seen.add(keyOf(row)).size === before) r.notes.findings.push(d.report.rateTwice(row.span));
    else if (row.per === 'nobody' && r.effective.length && !leaves(row))
      r.notes.findings.push(d.report.uncountedUnused(row.span));
  }
}

/** The names of all endpoints, in the document’s order. */
const endpointNames = (r: Resolved): Set<string> => new Set(r.effective.map((one) => one.endpoint.name));

/** The paths of all endpoints, and every path above them. */
function pathsAbove(r: Resolved): Set<string> {
  const all = r.effective.flatMap(({ endpoint: { path } }) => {
    const steps = path.split('/');
    return steps.slice(1).map((_, i) => steps.slice(0, i + 2).join('/'));
  });
  return new Set(all);
}

const anywhere = (r: Resolved): ReturnType<typeof namesSomeOf> => namesSomeOf(r.effective);

function checkTargets(r: Resolved, at: readonly Target[]): void {
  for (const target of at) {
    if (r.once(anywhere)({ at: [target] })) continue;
    const { kind, name } = target;
    if (kind === 'endpoint') r.unknown(name, 'endpoint', r.once(endpointNames));
    else {
      const near = r.nearest(name.text, r.once(pathsAbove)) ?? '';
      r.notes.findings.push(d.report.belowNothing(name, { path: name.text, nearest: near }));
    }
  }
}

function checkLimit(r: Resolved, limit: LimitName): void {
  const { findings } = r.notes;
  const where = r.effective.filter(NEEDS[limit]);
  const rows = r.model.limits.own.filter((row) => row.limit === limit);
  const at = where.map((one) => ({ one, near: limitAt(r, one, limit) }));
  const endpointsByRow = Map.groupBy(at, ({ near }) => near?.from);
  for (const row of rows) {
    const mine = endpointsByRow.get(row.span.from) ?? [];
    const repeats = ({ one }: { one: Effective }): boolean =>
      JSON.stringify(limitAt(r, one, limit, row)?.value ?? null) === JSON.stringify(row.value);
    if (mine.length === 0) findings.push(d.report.limitUnused(row.span, { limit }));
    else if (mine.every(repeats)) findings.push(d.report.limitRepeated(row.span, { limit }));
  }
  const general = generalLimit(r.model, limit);
  const open = at.filter(({ near }) => !near).map(({ one }) => one.endpoint.name);
  // For the other limits, the question of an item asks.
  if (limit === 'Whole list' && !rows.length && open.length) findings.push(d.report.wholeList(null, {}, open));
  const [first] = rows;
  if (first && open.length)
    findings.push(d.report.limitOpen(first.span, { limit, endpoint: listNames(open) }, open, limitRow(limit)));
  if (general && r.effective.length && !endpointsByRow.has(general.from))
    findings.push(d.report.limitUnused(general, { limit }));
}

/** Two rates of the same callers or addresses at the same endpoints are one that is stated twice. */
function checkRate(r: Resolved, rate: Rate, before: Set<string>): void {
  const name = keyOf(rate);
  const same = before.has(name);
  before.add(name);
  if (same) r.notes.findings.push(d.report.rateTwice(rate.span));
  else if (rate.at.length && r.effective.length && !r.once(anywhere)(rate))
    r.notes.findings.push(d.report.limitUnused(rate.span, { limit: 'Rate' }));
}

/** Tells apart what rates count, and where. */
const keyOf = (rate: Rate | Uncounted): string => `${rate.per} ${rate.row?.text ?? ''} ${nameOf(rate)}`;

/** The names of a rate's targets: they tell apart rates that count the same callers or addresses. */
export const nameOf = ({ at }: Pick<Rate, 'at'>): string => at.map(({ name }) => name.text).join(', ');

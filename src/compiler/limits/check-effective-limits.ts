import { limitRow } from '../../language/limits.ts';
import { isOfCallers } from '../../plan/limits.ts';
import { addTo } from '../../text/lists.ts';
import { keysOf } from '../../text/own-members.ts';
import { hasNoCallers, openEndpoints } from '../document/access.ts';
import { type Effective, takesBody } from '../document/effective.ts';
import { generalLimit, limitAt, namedBy, namesSomeOf, ratesAt } from '../document/effective-limits.ts';
import { isPaged, listsAll } from '../document/pages.ts';
import type { Resolved } from '../document/resolve.ts';
import { listNames } from '../endpoints/check/settings.ts';
import type { LimitName, Rate, Uncounted } from '../statements/limits.ts';
import { checkRowless, countsAt, numbersOf } from './check-rates.ts';
import { checkEachTarget, checkTargets } from './check-targets.ts';
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
  checkRepeats(r);
  for (const rate of rates) checkReach(r, rate);
  checkUnreached(r);
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
    else if (row.per === 'nobody') checkEachTarget(r, row, 'Rate', left);
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
    else
      checkEachTarget(
        r,
        row,
        limit,
        mine.map(({ one }) => one),
      );
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

/** The endpoints of each rate. */
function endpointsOfRates(r: Resolved): ReadonlyMap<Rate, readonly Effective[]> {
  const out = new Map<Rate, Effective[]>();
  for (const one of r.effective) for (const rate of ratesAt(r, one)) addTo(out, rate, one);
  return out;
}

const whereOf = (r: Resolved, rate: Rate): readonly Effective[] => r.once(endpointsOfRates).get(rate) ?? [];

/** Two rates of the same callers or addresses in the same window at the same endpoints are one that is stated twice. */
function checkRepeats(r: Resolved): void {
  const seen = new Set<string>();
  for (const rate of r.model.limits.rates) {
    const names = whereOf(r, rate).map(({ endpoint }) => endpoint.name);
    const key = JSON.stringify([unitOf(rate), rate.milliseconds, names.length ? names : nameOf(rate)]);
    if (seen.has(key)) r.notes.findings.push(d.report.rateTwice(rate.span));
    seen.add(key);
  }
}

/** Checks that each target of a rate has requests that the rate counts. */
function checkReach(r: Resolved, rate: Rate): void {
  if (r.effective.length === 0) return;
  const counted = whereOf(r, rate).filter((one) => countsAt(r, rate, one));
  if (counted.length === 0 && rate.per === 'row')
    r.notes.findings.push(d.report.limitUnused(rate.span, { limit: 'Rate' }));
  else checkEachTarget(r, rate, 'Rate', counted);
}

/**
 * Reports rates that never refuse a request, because an earlier check of another rate refuses it sooner: a window of a
 * rate overlaps so many windows of the other one, each with its number of requests. Rates of addresses are checked first.
 */
function checkUnreached(r: Resolved): void {
  const { rates } = r.model.limits;
  const checked = [...rates.filter(({ per }) => per === 'address'), ...rates.filter(({ per }) => per !== 'address')];
  const places = new Map(checked.map((rate, i) => [rate, i]));
  const contains = (one: Rate, other: Rate): boolean =>
    unitOf(one) === unitOf(other) || (one.per === 'address' && other.per === 'nobody');
  for (const rate of rates) {
    const place = places.get(rate) ?? 0;
    const where = whereOf(r, rate);
    const [first] = where;
    const [least] = numbersOf(r, rate);
    const sooner = [...(first ? ratesAt(r, first) : [])].find((one) => {
      const windows = Math.ceil(rate.milliseconds / one.milliseconds) + 1;
      if (one === rate || !contains(one, rate) || least < numbersOf(r, one)[1] * windows) return false;
      const there = new Set(whereOf(r, one));
      return (places.get(one) ?? 0) < place && where.every((endpoint) => there.has(endpoint));
    });
    if (sooner) r.notes.findings.push(d.report.rateUnreached(rate.span, { line: String(r.line(sooner.span.from)) }));
  }
}

/** The unit of a rate. */
const unitOf = ({ per, row }: Rate | Uncounted): string => `${per} ${row?.text ?? ''}`;

/** Tells apart statements about uncounted requests. */
const keyOf = (rate: Uncounted): string => `${unitOf(rate)} ${nameOf(rate)}`;

/** The names of a rate's targets: they tell apart rates that count the same callers or addresses. */
export const nameOf = ({ at }: Pick<Rate, 'at'>): string => at.map(({ name }) => name.text).join(', ');

import { type Expr, isCaller, isOfCaller, show, some } from '../../expression/tree/expression.ts';
import * as t from '../../expression/tree/types.ts';
import { callersWith } from '../../plan/caller-condition.ts';
import { isOfCallers } from '../../plan/limits.ts';
import type { Token } from '../../syntax/tokens.ts';
import { listed } from '../../text/suggest.ts';
import { callerCounted, hasNoCallers, schemesAt } from '../document/access.ts';
import type { Effective } from '../document/effective.ts';
import { namedBy, rowOf } from '../document/effective-limits.ts';
import type { Resolved } from '../document/resolve.ts';
import { resultsOf } from '../document/results.ts';
import { listNames } from '../endpoints/check/settings.ts';
import type { Scope } from '../expression/scope.ts';
import type { Rate, Uncounted } from '../statements/limits.ts';
import { checkEachTarget } from './check-targets.ts';
import { limitsDiagnostics as d } from './messages.ts';

/** Types the expressions of rates: the number of requests, and the row that requests are counted for. */
export function checkRates(r: Resolved): void {
  const { rates, uncounted } = r.model.limits;
  for (const { count, span } of rates)
    if (typeof count === 'number' && count > MOST_REQUESTS)
      r.notes.findings.push(d.report.rateNumberHigh(span, { found: String(count) }));
  if (hasNoCallers(r)) return;
  for (const rate of rates) {
    const row = rate.row && checkRow(r, rate, rate.row);
    if (typeof rate.count === 'object') checkNumber(r, rate, rate.count, row);
  }
  for (const one of uncounted) if (one.row) checkRow(r, one, one.row);
}

/** The names that the expressions of a rate may use. `only`: the resource whose callers alone it counts. */
function scopeOf(r: Resolved, rate: Rate | Uncounted, only: string | null): Scope {
  return r.scope(callerCounted(r, r.effective.filter(namedBy([rate])), only), null);
}

/** Checks the path of the row that requests are counted for: references of the caller's row alone, so that it is a key. */
function checkRow(r: Resolved, rate: Rate | Uncounted, path: Token): Expr | null {
  const [, only = null] = /^caller\.(\w+)\./.exec(path.text) ?? [];
  // A reference that is null leads to no row.
  const scope = { ...scopeOf(r, rate, only), present: new Set(beginningsOf(path.text).slice(0, -1)) };
  const expr = r.type(path, scope, null, 'The row', 'step');
  if (!expr || isReference(expr)) return expr;
  if (expr.op === 'name' && isCaller(expr.name)) r.notes.findings.push(d.report.rateCaller(path));
  else r.notes.findings.push(d.report.rateRow(path, { found: path.text, references: listed(referencesIn(r, scope)) }));
  return null;
}

/** A path and all paths that it begins with: `caller`, `caller.team`, `caller.team.plan`. */
const beginningsOf = (path: string): string[] => {
  const names = path.split('.');
  return names.map((_, i) => names.slice(0, i + 1).join('.'));
};

/** Whether an expression is a path of stored references that begins at the caller. */
function isReference(expr: Expr): boolean {
  if (expr.op !== 'get' || expr.derived || expr.type.kind !== 'row') return false;
  return (expr.of.op === 'name' && isCaller(expr.of.name)) || isReference(expr.of);
}

/** The paths of the references that callers have. */
function referencesIn(r: Resolved, scope: Scope): string[] {
  const caller = scope.names.get('caller');
  const of = (path: string, type: t.Type): string[] => {
    if (type.kind === 'object')
      return Object.entries(type.members).flatMap(([name, one]) => of(`${path}.${name}`, one));
    const row = type.kind === 'row' ? r.rows.get(type.resource) : undefined;
    const fields = [...(row?.fields ?? [])].filter(([name, one]) => one.kind === 'row' && !row?.derived.has(name));
    return fields.map(([name]) => `\`${path}.${name}\``);
  };
  return caller ? of('caller', caller) : [];
}

/** Checks the number of requests: of every caller that is counted, it is an integer of 1 or more. */
function checkNumber(r: Resolved, rate: Rate, number: Token, row: Expr | null): void {
  const { findings } = r.notes;
  if (!isOfCallers(rate.per)) {
    findings.push(d.report.rateNumberUncalled(number));
    return;
  }
  if (rate.row && !row) return;
  const counted = rate.per === 'row' && row ? row : null;
  const scope = scopeOf(r, rate, counted && callersWith(counted));
  const present = new Set(counted ? beginningsOf(show(counted)) : []);
  const expr = r.type(number, { ...scope, present }, t.INTEGER, 'The number of requests', 'step');
  if (!expr) return;
  const results = r.once(resultsOf);
  const [least, most] = results.rangeOfNumber(expr);
  if (!some(expr, isOfCaller)) findings.push(d.report.rateNumberFixed(number, { found: number.text }));
  else if (least < 1) findings.push(d.report.rateNumberLow(number, { found: number.text, least: lowest(least) }));
  else if (most > MOST_REQUESTS || results.lacks(expr))
    findings.push(d.report.rateNumberHigh(number, { found: number.text }));
}

/** The largest number of requests in a window that PostgreSQL counts. */
const MOST_REQUESTS = 2 ** 31 - 1;

const lowest = (least: number): string => (least <= Number.MIN_SAFE_INTEGER ? 'negative' : String(least));

/** Whether a caller of an endpoint may have no row at a path. */
function mayLack(r: Resolved, one: Effective, row: Expr): boolean {
  const only = callersWith(row);
  const { schemes } = r.model.authentication;
  return row.type.nullable || (only !== null && schemesAt(schemes, one).some(({ caller }) => caller?.text !== only));
}

/** Whether a rate counts some request of an endpoint. */
export function countsAt(r: Resolved, { per, row }: Rate, one: Effective): boolean {
  const path = row && rowOf(r, row);
  if (!path) return true;
  if (per === 'rowless') return mayLack(r, one, path);
  const only = callersWith(path);
  return only === null || schemesAt(r.model.authentication.schemes, one).some(({ caller }) => caller?.text === only);
}

/** The smallest and the largest number of requests that a rate allows. */
export function numbersOf(r: Resolved, { count }: Rate): readonly [least: number, most: number] {
  if (typeof count === 'number') return [count, count];
  const expr = r.expr(count);
  return expr ? r.once(resultsOf).rangeOfNumber(expr) : [0, Number.POSITIVE_INFINITY];
}

/**
 * Where a caller may have no row, a rate for each row does not count its requests: the document has to state what
 * counts them, or that nothing does.
 */
export function checkRowless(r: Resolved): void {
  const { rates, uncounted } = r.model.limits;
  const paths = [...rates, ...uncounted].flatMap(({ row }) => (row && r.expr(row) ? [row] : []));
  for (const [name, [path]] of Map.groupBy(paths, ({ text }) => text)) {
    const row = path && rowOf(r, path);
    if (!row) continue;
    const isOfPath = ({ row: one }: Rate | Uncounted): boolean => one?.text === name && r.expr(one) !== undefined;
    const own = rates.filter(isOfPath);
    const rowed = own.filter(({ per }) => per === 'row');
    const without = own.filter(({ per }) => per === 'rowless');
    const stated = uncounted.filter(isOfPath);
    const lacking = r.effective.filter((one) => mayLack(r, one, row));
    const isLimited = namedBy(rowed);
    const isCounted = namedBy(without);
    const isStated = namedBy(stated);
    const open = lacking.filter((one) => isLimited(one) && !isCounted(one));
    const unsaid = open.filter((one) => !isStated(one));
    const first = rowed.find((rate) => unsaid.some(namedBy([rate])));
    const names = unsaid.map((one) => one.endpoint.name);
    if (first)
      r.notes.findings.push(d.report.rowlessRate(first.span, { endpoint: listNames(names), row: name }, names));
    for (const rate of without)
      if (r.effective.length && !lacking.some(namedBy([rate])))
        r.notes.findings.push(d.report.rowlessUnused(rate.span, { row: name }));
    for (const one of stated)
      if (r.effective.length && !open.some(namedBy([one])))
        r.notes.findings.push(d.report.uncountedRowless(one.span, { row: name }));
      else checkEachTarget(r, one, 'Rate', open);
  }
}

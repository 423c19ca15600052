import type { Expr } from '../../expression/tree/expression.ts';
import { nullable } from '../../expression/tree/types.ts';
import { LIMITS, type Target } from '../../language/limits.ts';
import type { WholeListPlan } from '../../plan/step.ts';
import type { Located } from '../../syntax/names.ts';
import type { Token } from '../../syntax/tokens.ts';
import type { LimitName, LimitValue, OwnLimit, Rate } from '../statements/limits.ts';
import type { Model } from '../statements/model.ts';
import type { Effective } from './effective.ts';
import type { Resolved } from './resolve.ts';

/** The path of an endpoint and every path above it, the nearest first. */
function pathsOf(path: string): string[] {
  const above = [...path.matchAll(/[/:]/g)].map(({ index }) => path.slice(0, index)).filter((one) => one !== '');
  return [...new Set([path, ...above.reverse(), '/', ''])];
}

/** The key of a target: an endpoint, a path, or a method at a path, which is empty for every path. */
function keyOf(target: Target): string {
  if (target.kind === 'method') return `${target.method} below ${target.below?.name.text ?? ''}`;
  return `${target.kind} ${target.name.text}`;
}

/**
 * The keys of the targets that an endpoint belongs to, the nearest first: its name; then each path from its own
 * upwards, with its method before without; and its method alone.
 */
function keysOf({ endpoint: { name, method, path } }: Effective): string[] {
  return [`endpoint ${name}`, ...pathsOf(path).flatMap((above) => [`${method} below ${above}`, `below ${above}`])];
}

/** A statement for some endpoints, or for all. */
export interface Targeted {
  readonly at: readonly Target[];
}

/** An index of statements by the endpoints and paths that they name, so that a look-up need not scan all statements. */
class ByTarget<T extends Targeted> {
  private readonly everywhere: T[] = [];
  private readonly byKey = new Map<string, T[]>();

  constructor(rows: Iterable<T>) {
    for (const row of rows) {
      if (row.at.length === 0) this.everywhere.push(row);
      for (const target of row.at) {
        const key = keyOf(target);
        const list = this.byKey.get(key);
        if (!list) this.byKey.set(key, [row]);
        else if (list.at(-1) !== row) list.push(row);
      }
    }
  }

  /** The nearest statement for an endpoint, in the order of `keysOf`; the first of several. */
  nearest(one: Effective, but: T | null): T | null {
    for (const key of keysOf(one)) {
      const found = this.byKey.get(key)?.find((row) => row !== but);
      if (found) return found;
    }
    return null;
  }

  /** All statements for an endpoint. */
  all(one: Effective): Set<T> {
    return new Set([...this.everywhere, ...keysOf(one).flatMap((key) => this.byKey.get(key) ?? [])]);
  }
}

/** Returns a test whether any of the statements, such as rates, is for an endpoint. */
export function namedBy(rows: readonly Targeted[]): (one: Effective) => boolean {
  if (rows.some(({ at }) => at.length === 0)) return () => true;
  const index = new ByTarget(rows);
  return (one) => index.nearest(one, null) !== null;
}

/** Returns a test whether a statement is for any of the endpoints. */
export function namesSomeOf(all: readonly Effective[]): (row: Targeted) => boolean {
  const keys = new Set(all.flatMap(keysOf));
  return ({ at }) => (at.length === 0 ? all.length > 0 : at.some((target) => keys.has(keyOf(target))));
}

const ratesByTarget = (r: Resolved): ByTarget<Rate> => new ByTarget(r.model.limits.rates);

/** The rates that count the requests of an endpoint. */
export const ratesAt = (r: Resolved, one: Effective): ReadonlySet<Rate> => r.once(ratesByTarget).all(one);

/** The rates whose expressions have no findings, in the order of the plan. */
export const settledRates = (r: Resolved): readonly Rate[] => r.once(ratesWithTypes);

const ratesWithTypes = (r: Resolved): readonly Rate[] =>
  r.model.limits.rates.filter(
    ({ count, row }) => (typeof count === 'number' || r.expr(count)) && (!row || r.expr(row)),
  );

/** The row at a path of references, which is null where one of them may be; undefined for a path with a finding. */
export function rowOf(r: Resolved, path: Token): Expr | undefined {
  const row = r.expr(path);
  return row && ({ ...row, type: nullable(row.type, mayBeNull(r, row)) } as Expr);
}

function mayBeNull(r: Resolved, path: Expr): boolean {
  if (path.op !== 'get' || path.of.type.kind !== 'row') return false;
  return mayBeNull(r, path.of) || (r.fieldTypes(path.of.type.resource).get(path.member)?.nullable ?? false);
}

/** The statements of each limit that name endpoints or paths. */
function ownLimits(r: Resolved): Map<LimitName, ByTarget<OwnLimit>> {
  const rows = Map.groupBy(r.model.limits.own, ({ limit }) => limit);
  return new Map([...rows].map(([limit, list]) => [limit, new ByTarget(list)]));
}

/** The limit in force at an endpoint: the nearest one, the first of several equally near; `but` is ignored. */
export function limitAt<L extends LimitName>(
  r: Resolved,
  one: Effective,
  limit: L,
  but: OwnLimit | null = null,
): Located<LimitValue<L>> | null {
  const row = r.once(ownLimits).get(limit)?.nearest(one, but);
  if (row) return { value: row.value as LimitValue<L>, from: row.span.from, to: row.span.to };
  return generalLimit(r.model, limit) as Located<LimitValue<L>> | null;
}

/** The bound of an endpoint's lists without pages; null where none is stated. */
export function wholeListAt(r: Resolved, one: Effective): WholeListPlan | null {
  const limit = limitAt(r, one, 'Whole list')?.value;
  return limit ? { most: limit.most, refused: limit.beyond === 'refused' } : null;
}

/** The limit for every endpoint without a nearer one. */
export const generalLimit = ({ limits }: Model, limit: LimitName): Located<unknown> | null =>
  limits[LIMITS[limit].member];

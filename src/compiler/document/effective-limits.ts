import { LIMITS, type Target } from '../../language/limits.ts';
import type { WholeListPlan } from '../../plan/step.ts';
import type { Located } from '../../syntax/names.ts';
import type { LimitName, LimitValue, OwnLimit, Rate } from '../statements/limits.ts';
import type { Model } from '../statements/model.ts';
import type { Effective } from './effective.ts';
import type { Resolved } from './resolve.ts';

/** Where an endpoint’s path stands: itself, and every path above it, the nearest first. */
function pathsOf(path: string): string[] {
  const above = [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index)).filter((one) => one !== '');
  return [...new Set([path, ...above.reverse(), '/', ''])];
}

interface Targeted {
  readonly at: readonly Target[];
}

/** What is stated of endpoints by their names and by paths above them, found without going through all of it for each. */
class ByTarget<T extends Targeted> {
  private readonly everywhere: T[] = [];
  private readonly names = new Map<string, T[]>();
  private readonly paths = new Map<string, T[]>();

  constructor(rows: Iterable<T>) {
    for (const row of rows) {
      if (row.at.length === 0) this.everywhere.push(row);
      for (const { kind, name } of row.at) {
        const index = kind === 'endpoint' ? this.names : this.paths;
        const list = index.get(name.text);
        if (!list) index.set(name.text, [row]);
        else if (list.at(-1) !== row) list.push(row);
      }
    }
  }

  /** The nearest that speaks of an endpoint: by its name, or by the nearest path above it; of several the first. */
  nearest({ endpoint }: Effective, but: T | null): T | null {
    const lists = [this.names.get(endpoint.name), ...pathsOf(endpoint.path).map((path) => this.paths.get(path))];
    for (const list of lists) {
      const found = list?.find((row) => row !== but);
      if (found) return found;
    }
    return null;
  }

  /** All that speak of an endpoint. */
  all({ endpoint }: Effective): Set<T> {
    const above = pathsOf(endpoint.path).flatMap((path) => this.paths.get(path) ?? []);
    return new Set([...this.everywhere, ...(this.names.get(endpoint.name) ?? []), ...above]);
  }
}

/** Whether some of these, of rates for example, speak of an endpoint. */
export function namedBy(rows: readonly Targeted[]): (one: Effective) => boolean {
  if (rows.some(({ at }) => at.length === 0)) return () => true;
  const index = new ByTarget(rows);
  return (one) => index.nearest(one, null) !== null;
}

/** Whether a row speaks of one of these endpoints. */
export function namesSomeOf(all: readonly Effective[]): (row: Targeted) => boolean {
  const names = new Set(all.map(({ endpoint }) => endpoint.name));
  const paths = new Set(all.flatMap(({ endpoint }) => pathsOf(endpoint.path)));
  return ({ at }) =>
    at.length === 0
      ? all.length > 0
      : at.some(({ kind, name }) => (kind === 'endpoint' ? names : paths).has(name.text));
}

const ratesByTarget = (r: Resolved): ByTarget<Rate> => new ByTarget(r.model.limits.rates);

/** The rates that count the requests of an endpoint. */
export const ratesAt = (r: Resolved, one: Effective): ReadonlySet<Rate> => r.once(ratesByTarget).all(one);

/** Each limit’s rows for some endpoints alone. */
function ownLimits(r: Resolved): Map<LimitName, ByTarget<OwnLimit>> {
  const rows = Map.groupBy(r.model.limits.own, ({ limit }) => limit);
  return new Map([...rows].map(([limit, list]) => [limit, new ByTarget(list)]));
}

/** The limit that is in force at an endpoint: the nearest one, of several equally near the first; `but` is left aside. */
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

/** The bound of an endpoint's lists of all rows there are; null where none is stated. */
export function wholeListAt(r: Resolved, one: Effective): WholeListPlan | null {
  const limit = limitAt(r, one, 'Whole list')?.value;
  return limit ? { most: limit.most, refused: limit.beyond === 'refused' } : null;
}

/** The limit of every endpoint that has none of its own. */
export const generalLimit = ({ limits }: Model, limit: LimitName): Located<unknown> | null =>
  limits[LIMITS[limit].member];

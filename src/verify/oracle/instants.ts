import type { OracleRow } from './rows.ts';
import type { State } from './state.ts';

/**
 * The bounds of an instant's error: by how many milliseconds the real instant may be earlier or later than the
 * predicted one.
 */
interface Uncertainty {
  readonly earlier: number;
  readonly later: number;
}

/** The instants that one request has stored: all have the same error. */
interface Group {
  readonly values: ReadonlySet<number>;
  readonly by: Uncertainty;
}

/** The number of instants that are kept; older ones are no longer corrected. */
const MOST = 1000;
const SECOND_MS = 1000;

/**
 * The predicted instants in rows that no answer has shown yet. If the service's clock runs, the real instant is within
 * some milliseconds of the predicted one. The first answer that shows one instant of a request therefore corrects all
 * instants of that request.
 */
export class Instants {
  private groups: ReadonlyMap<number, Group>;
  /** The time of the latest request, as far as answers have shown it: later requests have later times. */
  latest: number;

  constructor(from: Instants | null = null) {
    this.groups = from?.groups ?? new Map();
    this.latest = from?.latest ?? Number.NEGATIVE_INFINITY;
  }

  add(made: ReadonlySet<number>, by: Uncertainty): void {
    if (made.size === 0) return;
    const group = { values: made, by };
    this.groups = new Map([...[...this.groups].slice(-MOST), ...[...made].map((one) => [one, group] as const)]);
  }

  /** The instants that were added since `before` and that no answer has shown. */
  since(before: Instants): number[] {
    return [...this.groups.keys()].filter((one) => !before.groups.has(one));
  }

  /** Whether the real instant may be `actual` where `expected` was predicted. */
  mayBe(expected: number, actual: number): boolean {
    return this.shiftOf(expected, actual) !== null;
  }

  /** Corrects a predicted instant to the real one, in the rows of a state too. */
  tell(state: State, expected: number, actual: number): void {
    const shift = this.shiftOf(expected, actual);
    if (!shift) return;
    const { values, by } = shift;
    this.groups = new Map([...this.groups].filter(([one]) => !values.has(one)));
    // The instant of a timed event or transition is negative once it has passed.
    const again = (at: number): number => at + Math.sign(at) * by;
    for (const { name, columns } of state.plan.resources)
      for (const row of state.rows.all(name)) {
        for (const column of columns) {
          const value = row.get(column.name);
          if (isInstant(column) && typeof value === 'number' && values.has(value)) row.set(column.name, again(value));
        }
        for (const [what, at] of row.due) if (values.has(Math.abs(at))) row.setDue(what, again(at));
      }
  }

  private shiftOf(expected: number, actual: number): Shift | null {
    const exact = this.groups.get(expected);
    if (exact) return isWithin(actual - expected, exact.by) ? { values: exact.values, by: actual - expected } : null;
    if (expected % SECOND_MS !== 0 || actual % SECOND_MS !== 0 || expected === actual) return null;
    // The answer shows whole seconds: the instant is assumed to be the nearest one that is shown in this way.
    const shown = [...this.groups.keys()].filter((one) => Math.floor(one / SECOND_MS) * SECOND_MS === expected);
    const one = actual > expected ? Math.max(...shown) : Math.min(...shown);
    const by = actual > expected ? actual - one : actual + SECOND_MS - 1 - one;
    const group = this.groups.get(one);
    return group && isWithin(by, group.by) ? { values: group.values, by } : null;
  }
}

const isWithin = (by: number, { earlier, later }: Uncertainty): boolean => by >= -earlier && by <= later;

/** The correction of the instants of one request. */
interface Shift {
  readonly values: ReadonlySet<number>;
  readonly by: number;
}

/**
 * The instants in rows that depend on the time of a request: they differ if the request comes at another time.
 * `before`: the state before the request; `then`: the state after the same request at another time.
 */
export function instantsMade(before: State, after: State, then: State): Set<number> {
  const found = new Set<number>();
  for (const { name, columns } of after.plan.resources) {
    const instants = columns.filter(isInstant);
    if (instants.length === 0) continue;
    const same = (state: State, row: OracleRow) => state.rows.byIdentity(name, after.rows.identity(row));
    for (const row of after.rows.all(name)) {
      if (same(before, row)?.values === row.values) continue;
      const later = same(then, row);
      for (const { name: field } of instants) {
        const value = row.get(field);
        if (typeof value === 'number' && later && later.get(field) !== value) found.add(value);
      }
      for (const [what, at] of row.due) if (later && later.due.get(what) !== at) found.add(Math.abs(at));
    }
  }
  return found;
}

const isInstant = ({ rule }: State['plan']['resources'][number]['columns'][number]): boolean =>
  rule.kind === 'timestamp';

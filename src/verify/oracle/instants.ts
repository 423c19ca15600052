import type { OracleRow } from './rows.ts';
import type { State } from './state.ts';

/** By how many milliseconds an instant of the service may be earlier or later than the assumed one. */
interface Uncertainty {
  readonly earlier: number;
  readonly later: number;
}

/** Instants that one request has made, which are all early or late by the same. */
interface Group {
  readonly values: ReadonlySet<number>;
  readonly by: Uncertainty;
}

/** How many instants are remembered; earlier ones are not corrected any more. */
const MOST = 1000;
const SECOND_MS = 1000;

/**
 * The instants in rows that no answer has shown yet. With a running clock, the real instant is within some milliseconds
 * of the assumed one: the first answer that shows one instant determines it, and with it the others of the same
 * request.
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

  /** The instants that were not there before, and that no answer has shown. */
  since(before: Instants): number[] {
    return [...this.groups.keys()].filter((one) => !before.groups.has(one));
  }

  /** Whether an instant that was expected may be another one. */
  mayBe(expected: number, actual: number): boolean {
    return this.shiftOf(expected, actual) !== null;
  }

  /** Takes in what an instant is that has been expected to be another, in the rows of a state too. */
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
    // Shown in whole seconds: the instant that has to move least to be shown so.
    const shown = [...this.groups.keys()].filter((one) => Math.floor(one / SECOND_MS) * SECOND_MS === expected);
    const one = actual > expected ? Math.max(...shown) : Math.min(...shown);
    const by = actual > expected ? actual - one : actual + SECOND_MS - 1 - one;
    const group = this.groups.get(one);
    return group && isWithin(by, group.by) ? { values: group.values, by } : null;
  }
}

const isWithin = (by: number, { earlier, later }: Uncertainty): boolean => by >= -earlier && by <= later;

/** How the instants of one request are to be moved for one of them to be shown as it was. */
interface Shift {
  readonly values: ReadonlySet<number>;
  readonly by: number;
}

/**
 * The instants that a request has left in rows by the time at which it came: they are others where it comes at another
 * time. `before`: the state before it; `then`: the state where it came later.
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

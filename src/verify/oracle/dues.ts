import type { Expr } from '../../expression/tree/expression.ts';
import { statementId } from '../../plan/lines.ts';
import type { ResourcePlan } from '../../plan/step.ts';
import { calendarOf, casesOf } from './calendar.ts';
import { known } from './computed.ts';
import { compared, evaluate, holds } from './evaluate.ts';
import type { Oracle } from './oracle.ts';
import { Failure, Refusal } from './refusal.ts';
import type { OracleRow } from './rows.ts';
import { note, scopeOfRow, type Transaction } from './scope.ts';

/** Timed work on rows: a timed transition, or an event at an instant. */
interface Timed {
  readonly kind: 'event' | 'move';
  readonly name: string;
  readonly instant: Expr | null;
  /** Milliseconds after the instant, or after the move. */
  readonly after: number;
  readonly move: string | null;
  readonly counts: (work: Transaction, row: OracleRow) => boolean;
}

/** Added to an instant whose time runs while the row is not in a state in which it counts. */
const WAITING = 2 ** 50;

/** The timed events and transitions of a resource: events before transitions, in the order of the document. */
function timedOf({ name, events, machines }: ResourcePlan): Timed[] {
  const told = events.flatMap(({ name: event, timed }): Timed[] => {
    if (!timed) return [];
    const { condition, instant } = timed;
    const counts = (work: Transaction, row: OracleRow): boolean =>
      condition === null || holds(condition, scopeOfRow(work, row));
    return [{ kind: 'event', name: event, instant, after: 0, move: null, counts }];
  });
  const moves = machines.flatMap(({ field, transitions }) =>
    transitions.flatMap(({ name: move, from, timed }): Timed[] => {
      if (!timed) return [];
      const counts = (_work: Transaction, row: OracleRow): boolean => from.includes(String(row.get(field)));
      return [{ kind: 'move', name: move, instant: timed.instant, after: timed.after, move: timed.move, counts }];
    }),
  );
  return name ? [...told, ...moves] : [];
}

/** Sets the instants of a row's timed transitions and events after a write. `moment`: the kind of write. */
export function setDues(work: Transaction, row: OracleRow, moment: string): void {
  for (const timed of timedOf(work.rows.plan(row.resource))) {
    const held = row.due.get(timed.name) ?? null;
    const at = timed.move === null ? afterInstant(timed, work, row, held) : afterMove(timed, work, row, held, moment);
    if (at === null) row.setDue(timed.name, null);
    else row.setDue(timed.name, at);
  }
}

/** An instant that has already passed when the row gets it never comes; the present instant comes at once. */
function afterInstant(timed: Timed, work: Transaction, row: OracleRow, held: number | null): number | null {
  const from = timed.instant && timed.counts(work, row) ? known(evaluate(timed.instant, scopeOfRow(work, row))) : null;
  const passed = held !== null && held < 0 ? held : null;
  if (typeof from !== 'number') return passed;
  const instant = from + timed.after;
  if (held !== null && Math.abs(held) === instant) return held;
  return instant >= work.now ? instant : passed;
}

function afterMove(
  { move, after, counts }: Timed,
  work: Transaction,
  row: OracleRow,
  held: number | null,
  moment: string,
): number | null {
  const moved = move === moment;
  if (!moved && (held === null || held < 0)) return held;
  const instant = moved ? work.now + after : (held ?? 0) % WAITING;
  if (!counts(work, row)) return instant + WAITING;
  return instant === held || instant >= work.now ? instant : -instant;
}

/** A timed event or transition of a row, with its instant. */
interface Due {
  readonly row: OracleRow;
  readonly timed: Timed;
  readonly at: number;
}

/** Makes a transition of a row happen. */
type Put = (work: Transaction, row: OracleRow, transition: string) => void;

/**
 * Executes all timed transitions and events until an instant, in the order of their instants, each in a transaction of
 * its own in which `now()` is its instant. A transition that a rule refuses, or that fails, is abandoned: the row does
 * not change. `begin` opens a transaction at an instant, `commit` ends it.
 */
export function makeDue(
  until: number,
  {
    begin,
    put,
    commit,
  }: { begin: (now: number, writes: boolean) => Transaction; put: Put; commit: (work: Transaction) => void },
): void {
  for (;;) {
    const now = begin(until, false);
    const due = firstDue(now, until);
    if (!due) return;
    const { name, kind } = due.timed;
    const attempt = begin(due.at, true);
    try {
      const row = same(attempt, due.row);
      row.setDue(name, -due.at);
      if (kind === 'event') attempt.happened.push({ what: 'at', row, by: name });
      else {
        const statement = statementId.transition(row.resource, name);
        note(attempt, statement, 'due');
        const months = calendarOf(due.timed.instant);
        const given = months?.args.map((arg) => compared(arg, scopeOfRow(attempt, row))) ?? [];
        for (const what of months ? casesOf(months, given, due.at) : []) note(attempt, statement, what);
        put(attempt, row, name);
      }
      commit(attempt);
    } catch (error) {
      if (!(error instanceof Refusal) && !(error instanceof Failure)) throw error;
      const given = begin(due.at, true);
      same(given, due.row).setDue(name, -due.at);
      commit(given);
    }
  }
}

/** Finds the row in another copy of the rows. */
function same(work: Transaction, row: OracleRow): OracleRow {
  const found = work.rows.byIdentity(row.resource, row.get(work.rows.plan(row.resource).identity));
  if (!found) throw new Error(`There is no such row of ${row.resource}`);
  return found;
}

function firstDue({ plan, rows }: Transaction, until: number): Due | null {
  let first: Due | null = null;
  for (const resource of plan.resources)
    for (const timed of timedOf(resource))
      for (const row of rows.all(resource.name)) {
        const at = row.due.get(timed.name);
        const sooner = at !== undefined && at > 0 && at <= until && (first === null || isBefore(at, timed, first));
        if (sooner) first = { row, timed, at };
      }
  return first;
}

/** At one instant, events are published before transitions are made. */
const isBefore = (at: number, { kind }: Timed, first: Due): boolean =>
  at < first.at || (at === first.at && kind === 'event' && first.timed.kind === 'move');

/** The largest distance to which the clock is moved for a timed change, in milliseconds: 400 days. */
export const HORIZON_MS = 400 * 86_400_000;

/** A timed transition or event of a row. */
interface RowDue {
  readonly row: OracleRow;
  /** The name of the transition or of the event. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The timed transitions and events of rows after an instant, up to a horizon: the next first. */
export function duesOf({ state }: Oracle, now: number): RowDue[] {
  return state.plan.resources
    .flatMap((resource) => state.rows.all(resource.name))
    .flatMap((row) => [...row.due].map(([name, at]) => ({ row, name, at })))
    .filter(({ at }) => at > now && at < now + HORIZON_MS)
    .sort((a, b) => a.at - b.at);
}

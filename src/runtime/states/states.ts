import { emptyFrame, type Row, type Value } from '../../expression/values/value.ts';
import {
  Change,
  call,
  type Program,
  type Statement,
  type StatementSpec,
  type Store,
  StoreError,
} from '../../store/store.ts';
import { timedThings } from '../../store/tables.ts';
import { Refusal } from '../context/refusal.ts';
import type { ApiVersion } from '../context/request-context.ts';
import { Pause, RerunState, runWithPauses } from '../context/rerun-state.ts';
import type { Errors } from '../errors/refusal.ts';
import { type Compiled, type Expressions, evaluate, NO_NAMES } from '../expressions/layout.ts';
import type { CompiledMove, Resource } from '../resources/rules.ts';
import { UnitOfWork } from '../resources/unit-of-work.ts';
import type { Span, Tracing } from '../tracing/tracing.ts';
import { Broken, type Clock, type First, isRefused, isSame, movesAtRandom, told, whyOf } from './due.ts';

/** A compiled transition: the states that it leaves, its guard, and its refusals. */
export interface Mover extends CompiledMove {
  readonly guard: Compiled | null;
  readonly refusal: Refusal | null;
}

/** Compiles a transition of a resource. */
export function mover(resource: Resource, name: string, expressions: Expressions, errors: Errors): Mover {
  const made = resource.transition(name);
  const { plan } = made;
  return {
    ...made,
    guard: plan.guard && expressions.seeingAll().compile(plan.guard, NO_NAMES),
    refusal: plan.code === null ? null : errors.code(plan.code),
  };
}

/** Moves a row if its state and guard allow it; throws the stated refusal otherwise. */
export function* makeMove(
  work: UnitOfWork,
  resource: Resource,
  one: Mover,
  row: Row,
  given: ReadonlyMap<number, Value> | null,
): Program<void> {
  const { frame } = work;
  frame.row = row;
  const allowed =
    one.plan.from.includes(row[one.state] as string) &&
    (one.guard === null || (yield* evaluate(one.guard, frame)) === true);
  frame.row = null;
  if (!allowed) throw one.refusal;
  yield* resource.move(work, row, one, given);
}

/** The most moves and events of one transaction. */
const BATCH_ROWS = 200;

/**
 * The most moves and events that are made for a read without being stored: after a long stop, any number may be due.
 */
const MOST_SHOWN = 10_000;

/**
 * The longest time for which a read waits until due moves are stored, in milliseconds: where commits hang, reads don't.
 */
const LONGEST_WAIT_MS = 2000;

/** The pause after a failure, during which reads don't try to store due moves, in milliseconds. */
const RETRY_AFTER_MS = 1000;

/** The time for which a coming due instant is remembered, in milliseconds: longer than any commit should take. */
const DUE_HORIZON_MS = 10_000;

/** The error of due moves that were not stored in time for a read. */
class TooLong extends Error {}

/** The moves of one transaction. */
interface Batch {
  readonly now: number;
  /** The most moves: fewer where one waits for a slow computation. */
  most: number;
  /** The spans of the moves, which end after the commit; a repeated transaction begins them anew. */
  spans: Span[];
}

/** Makes timed moves and timed events: those that are due come before any step can see their rows. */
export class Timers {
  private readonly clocks: readonly Clock[];
  private counts: readonly Statement[] | null = null;
  private readonly apiVersion: ApiVersion;
  private readonly store: Store;
  private readonly finish: (work: UnitOfWork) => Program<void>;
  /** Called for a due move that was given up, with the rule that refused it or the message of its error. */
  onRefused: (move: string, rule: string) => void = () => {};
  /** Makes the spans of moves and events; null where tracing is off. */
  tracing: Tracing | null = null;
  /** The earliest instant that may be due, as far as this process knows; infinity without one. */
  private earliest = Number.POSITIVE_INFINITY;
  /** Instants of rows that are soon due: a read of the store may not see rows whose commit is in progress. */
  private readonly given = new Set<number>();
  /**
   * The end of the pause during which reads don't try to store due moves: an attempt for each read would cost as much
   * as a write.
   */
  private failedUntil = Number.NEGATIVE_INFINITY;
  /** Called with an instant earlier than all known ones, for other processes that share the store. */
  onEarlier: (instant: number) => void = () => {};

  /** `finish` records the events of changes, at the end of each move. */
  constructor(
    resources: Iterable<Resource>,
    store: Store,
    expressions: Expressions,
    apiVersion: ApiVersion,
    finish: (work: UnitOfWork) => Program<void>,
  ) {
    this.apiVersion = apiVersion;
    this.store = store;
    this.finish = finish;
    const all = [...resources];
    const plans = all.map(({ plan }) => plan);
    const clocks = all.flatMap((resource) =>
      timedThings(resource.plan).map(({ what, name, column }): Clock => {
        const spec = { resource: resource.plan.name, column };
        const move = what === 'move' ? resource.transition(name) : null;
        return {
          resource,
          move,
          name,
          column: expressions.column(resource.plan.name, column),
          due: store.prepare({ kind: 'due', ...spec }),
          next: store.prepare({ kind: 'next due', ...spec }),
          random: move !== null && movesAtRandom(resource.plan, move.plan, plans),
        };
      }),
    );
    // Events come before moves of the same instant: their payloads show rows as they were until then.
    this.clocks = [...clocks.filter((one) => !one.move), ...clocks.filter((one) => one.move)];
    for (const { resource } of this.clocks)
      resource.onDue = (instant) => {
        if (instant < this.earliest) this.onEarlier(instant);
        this.note(instant);
        if (instant < this.store.now() + DUE_HORIZON_MS) this.given.add(instant);
      };
  }

  get any(): boolean {
    return this.clocks.length > 0;
  }

  /** When to look for due rows again, in milliseconds since the epoch. */
  get next(): number {
    return this.earliest;
  }

  isDue(now: number): boolean {
    return this.earliest <= now;
  }

  note(instant: number): void {
    if (instant < this.earliest) this.earliest = instant;
  }

  /**
   * Makes all moves and events due at `now`, in the order of their instants; returns their number. It commits some at a
   * time, so that other requests run in between after a long stop.
   */
  async makeDue(now: number, within: number | null = null): Promise<number> {
    let made = 0;
    while (this.isDue(now)) {
      try {
        made += await this.write({ now, most: BATCH_ROWS, spans: [] }, within);
      } catch (error) {
        if (!(error instanceof Broken)) throw error;
        made += await this.makeOne(now, within);
      }
      // A separate read, so that a failing commit changes nothing here.
      await this.store.read(() => this.look());
    }
    return made;
  }

  /**
   * Makes due moves and events before a read; returns their number. Null where the store can't write, as with a full
   * disk, or takes too long, as when a standby doesn't answer: the read then runs in `shown`. Rejects where the store
   * is busy, or its rows are another document's.
   */
  async makeDueToRead(now: number): Promise<number | null> {
    if (performance.now() < this.failedUntil) return null;
    try {
      return await this.makeDue(now, LONGEST_WAIT_MS);
    } catch (error) {
      if (!(error instanceof TooLong) && !isRefused(error)) throw error;
      this.failedUntil = performance.now() + RETRY_AFTER_MS;
      return null;
    }
  }

  /**
   * Runs a read that sees due moves and events as made, without storing them. No other change of a row is stored before
   * them (each change makes them first, or fails), and they are made in the order of their instants and as of these, so
   * the read shows what will be stored. Rejects where the result is not certain: where a move gives a random value.
   * Throws a Pause, as the read does; `rerunState` keeps the results of computations.
   */
  async shown<T>(now: number, read: () => Program<T>, rerunState = new RerunState()): Promise<T> {
    const givenUp: First[] = [];
    for (;;)
      try {
        return await this.store.rehearse(() => this.showAsDone(now, givenUp, read, rerunState));
      } catch (error) {
        if (!(error instanceof Broken)) throw error;
        givenUp.push(error.first);
      }
  }

  private *showAsDone<T>(
    now: number,
    givenUp: readonly First[],
    read: () => Program<T>,
    rerunState: RerunState,
  ): Program<T> {
    try {
      rerunState.begin();
      yield* this.makeToShow(now, givenUp, rerunState);
    } catch (error) {
      if (!isRefused(error)) throw error;
      throw new StoreError(
        'full',
        `Due transitions and events can neither be stored nor shown as done: ${error.message}`,
      );
    }
    return yield* read();
  }

  private *makeToShow(now: number, givenUp: readonly First[], rerunState: RerunState): Program<void> {
    for (let made = 0; ; made++) {
      const first = yield* this.first(now);
      if (!first) return;
      const { resource, name, random } = first.clock;
      if (made === MOST_SHOWN) throw new StoreError('full', `More than ${MOST_SHOWN} moves and events are due.`);
      if (random) throw new StoreError('full', `${resource.plan.name} ${name} gives values at random.`);
      if (givenUp.some((one) => isSame(one, first))) yield* this.pass(first);
      else yield* told(first, this.make(first, rerunState));
    }
  }

  /** Makes one move, after one of several has failed or been refused: if it fails again, gives it up. */
  private async makeOne(now: number, within: number | null): Promise<number> {
    try {
      return await this.write({ now, most: 1, spans: [] }, within);
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      const { first, cause } = error;
      if (!(await this.commit(() => this.giveUp(now, first), within))) return 0;
      this.onRefused(`${first.clock.resource.plan.name} ${first.clock.name}`, whyOf(cause));
      this.spanOf(first.clock)?.end({}, cause instanceof Refusal ? whyOf(cause) : 'failure');
      return 0;
    }
  }

  /** Whether due moves have equal results when they are repeated, if the store loses a commit. */
  private get repeatable(): boolean {
    return this.clocks.every(({ random }) => !random);
  }

  /**
   * Commits due moves. `within`: the time after which the commit is given up, in milliseconds, since a read waits that
   * can continue without it; null if nothing waits.
   */
  private async commit<T>(program: () => Program<T>, within: number | null): Promise<T> {
    const change = new Change();
    const late = within === null ? undefined : setTimeout(() => change.giveUp(), within);
    try {
      return await this.store.write(program, change, this.repeatable);
    } catch (error) {
      throw within !== null && change.givenUp ? new TooLong() : error;
    } finally {
      clearTimeout(late);
    }
  }

  private async write(batch: Batch, within: number | null): Promise<number> {
    const rerunState = new RerunState();
    const run = () => this.commit(() => this.makeSome(batch, rerunState), within);
    const made = await runWithPauses(rerunState, Number.POSITIVE_INFINITY, run);
    for (const span of batch.spans) span.end({}, null);
    return made;
  }

  private *makeSome(batch: Batch, rerunState: RerunState): Program<number> {
    const { now } = batch;
    batch.spans = [];
    rerunState.begin();
    let made = 0;
    while (made < batch.most) {
      const first = yield* this.first(now);
      if (!first) {
        // Programs run one after the other: rows that got these instants earlier are visible in this one.
        for (const instant of this.given) if (instant <= now) this.given.delete(instant);
        break;
      }
      try {
        yield* told(first, this.make(first, rerunState, batch.spans));
      } catch (error) {
        // The batch ends with this move when it runs again, so that later moves are not rolled back with it.
        if (error instanceof Pause) batch.most = made + 1;
        throw error;
      }
      made++;
    }
    return made;
  }

  private spanOf({ resource, name, move }: Clock): Span | null | undefined {
    return this.tracing?.timed({ resource: resource.plan.name, name, what: move ? 'move' : 'event' });
  }

  /** `spans` gets the move's span; null where the move is only shown. */
  private *make({ clock, row: found, at }: First, rerunState: RerunState, spans: Span[] | null = null): Program<void> {
    const { version, wire } = this.apiVersion;
    const work = new UnitOfWork('timer', emptyFrame(at, version, rerunState), wire, rerunState);
    const span = spans && this.spanOf(clock);
    if (span) spans.push(span);
    work.trace = span?.trace ?? null;
    const { resource, move, name, column } = clock;
    const row = resource.known(work, found);
    resource.pass(row, column);
    if (move) yield* resource.move(work, row, move);
    else yield* resource.arrive(work, row, name);
    yield* this.finish(work);
  }

  /** Gives up a move; returns false where another process has made it or given it up: another move is first now. */
  private *giveUp(now: number, refused: First): Program<boolean> {
    const first = yield* this.first(now);
    if (!first || !isSame(first, refused)) return false;
    yield* this.pass(first);
    return true;
  }

  private *pass({ clock: { resource, column }, row }: First): Program<void> {
    resource.pass(row, column);
    yield* resource.keep(row);
  }

  private *first(now: number): Program<First | null> {
    let first: First | null = null;
    for (const clock of this.clocks) {
      const row = (yield* call(clock.due, [now]))[0];
      const at = row ? (row[clock.column] as number) : Number.POSITIVE_INFINITY;
      if (row && at < (first?.at ?? Number.POSITIVE_INFINITY)) first = { clock, row, at };
    }
    return first;
  }

  /** Returns the number of due moves and events that have not been made, at most `most` of each kind, for metrics. */
  *overdue(now: number, most: number): Program<number> {
    this.counts ??= this.clocks.map(({ due: { spec } }) =>
      this.store.prepare({ ...(spec as Extract<StatementSpec, { kind: 'due' }>), kind: 'due count' }),
    );
    let overdue = 0;
    for (const count of this.counts) overdue += (yield* call(count, [now, most]))[0]![0] as number;
    return overdue;
  }

  /** Reads the time of the next due row from the store, since other processes write, too. */
  *look(): Program<number> {
    let earliest = Number.POSITIVE_INFINITY;
    for (const { next } of this.clocks) {
      const at = (yield* call(next, []))[0]?.[0];
      if (typeof at === 'number' && at < earliest) earliest = at;
    }
    for (const instant of this.given) if (instant < earliest) earliest = instant;
    this.earliest = earliest;
    return earliest;
  }
}

import { emptyFrame, type Row } from '../../expression/values/value.ts';
import { named } from '../../plan/named.ts';
import type { TransitionPlan } from '../../plan/step.ts';
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
import type { ApiVersion } from '../context/api-version.ts';
import { Aside, Pause, settling } from '../context/aside.ts';
import { Refusal } from '../context/refusal.ts';
import type { Errors } from '../errors/refusal.ts';
import { type Compiled, type Expressions, evaluate, NO_NAMES } from '../expressions/layout.ts';
import type { Resource } from '../resources/rules.ts';
import { UnitOfWork } from '../resources/unit-of-work.ts';
import type { Span, Tracing } from '../tracing/tracing.ts';
import { movesAtRandom } from './chance.ts';
import { Broken, type Clock, type First, isRefused, isSame, told, whyOf } from './due.ts';

/** A transition as a step makes it: from where, under which guard, and what a refusal says. */
export interface Mover {
  readonly plan: TransitionPlan;
  readonly guard: Compiled | null;
  readonly refusal: Refusal | null;
}

/** Compiles a transition of a resource. */
export function mover(resource: Resource, name: string, expressions: Expressions, errors: Errors): Mover {
  const plan = named(resource.plan.states!.transitions, name);
  return {
    plan,
    guard: plan.guard && expressions.seeingAll().compile(plan.guard, NO_NAMES),
    refusal: plan.code === null ? null : errors.code(plan.code),
  };
}

/** Moves a row if its state and the guard let it; throws the stated refusal otherwise. */
export function* makeMove(work: UnitOfWork, resource: Resource, one: Mover, row: Row): Program<void> {
  const { frame } = work;
  frame.row = row;
  const allowed =
    one.plan.from.includes(row[resource.state] as string) &&
    (one.guard === null || (yield* evaluate(one.guard, frame)) === true);
  frame.row = null;
  if (!allowed) throw one.refusal;
  yield* resource.move(work, row, one.plan.name, one.plan.to);
}

/** How much is done in one transaction. */
const BATCH_ROWS = 200;

/** How much is done for a read that shows it without its being stored: what is due after a long stop may be anything. */
const MOST_SHOWN = 10_000;

/** How long a read waits until some of what is due is stored, in milliseconds: where commits hang, other reads don't. */
const LONGEST_WAIT_MS = 2000;

/** For how long reads don’t try to store what is due once that has failed, in milliseconds. */
const RETRY_AFTER_MS = 1000;

/** For how long it is remembered that something falls due, in milliseconds: longer than any commit should take. */
const DUE_HORIZON_MS = 10_000;

/** A due move was not stored in time for a read. */
class TooLong extends Error {}

/** Moves that are made in one transaction. */
interface Batch {
  readonly now: number;
  /** How many at most: fewer where one has met something that takes long. */
  most: number;
  /** The spans of what has been done, which end once it is committed; what is run again begins them anew. */
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
  /** The earliest instant at which something may be due, as far as this process knows; infinity when none is. */
  private earliest = Number.POSITIVE_INFINITY;
  /** The instants soon to come that rows have been given: a look may see what was there before those are committed. */
  private readonly given = new Set<number>();
  /** Until when reads don’t try to store what is due: trying it for each would cost as much as a write. */
  private failedUntil = Number.NEGATIVE_INFINITY;
  /** Told of an instant that comes before all that this process has known of: others that share the store may not know. */
  onEarlier: (instant: number) => void = () => {};

  /** `finish` records the events of what has happened, at the end of each move. */
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
        const transition = resource.plan.states?.transitions.find((one) => one.name === name);
        return {
          resource,
          move: what === 'move' ? transition! : null,
          name,
          column: expressions.column(resource.plan.name, column),
          due: store.prepare({ kind: 'due', ...spec }),
          next: store.prepare({ kind: 'next due', ...spec }),
          random: what === 'move' && movesAtRandom(resource.plan, transition!, plans),
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

  /** When to look again, in milliseconds since the epoch. */
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
   * Does all that is due at `now`, in the order of the instants, and gives how much there was. It is done some at a
   * time, so that a service that was down for long lets other requests in between.
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
      // Looked at apart, so that a commit that fails leaves nothing behind.
      await this.store.read(() => this.look());
    }
    return made;
  }

  /**
   * Does what is due for a read, and gives how much there was. Null where the store can't take it, as on a full disk, or
   * takes too long, as where a standby doesn't answer: then the read is to be run by `shown`. Rejects where the store is
   * busy, or its rows are another document's.
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
   * Runs a read that sees what is due as done, and stores nothing of that. No change of a row is stored before what was
   * due has been (whoever changes rows does that first, or fails), and moves are made in the order of their instants, as
   * of those: so what is shown is what will be stored. Rejects where that can't be said, which is where a move gives a
   * value at random. Throws a Pause, as the read does; `aside` keeps what the moves have had computed.
   */
  async shown<T>(now: number, read: () => Program<T>, aside = new Aside()): Promise<T> {
    const givenUp: First[] = [];
    for (;;)
      try {
        return await this.store.rehearse(() => this.showAsDone(now, givenUp, read, aside));
      } catch (error) {
        if (!(error instanceof Broken)) throw error;
        givenUp.push(error.first);
      }
  }

  private *showAsDone<T>(now: number, givenUp: readonly First[], read: () => Program<T>, aside: Aside): Program<T> {
    try {
      aside.begin();
      yield* this.makeToShow(now, givenUp, aside);
    } catch (error) {
      if (!isRefused(error)) throw error;
      throw new StoreError(
        'full',
        `Due transitions and events can neither be stored nor shown as done: ${error.message}`,
      );
    }
    return yield* read();
  }

  private *makeToShow(now: number, givenUp: readonly First[], aside: Aside): Program<void> {
    for (let made = 0; ; made++) {
      const first = yield* this.first(now);
      if (!first) return;
      const { resource, name, random } = first.clock;
      if (made === MOST_SHOWN) throw new StoreError('full', `More than ${MOST_SHOWN} moves and events are due.`);
      if (random) throw new StoreError('full', `${resource.plan.name} ${name} gives values at random.`);
      if (givenUp.some((one) => isSame(one, first))) yield* this.pass(first);
      else yield* told(first, this.make(first, aside));
    }
  }

  /** One of several moves was refused by a rule, or failed: they are made one at a time, and that one is given up. */
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

  /** Whether what is due would be done again, and come to the same, if the store lost that it was done. */
  private get repeatable(): boolean {
    return this.clocks.every(({ random }) => !random);
  }

  /** Stores something of what is due, `within` so many milliseconds where somebody waits who can do without. */
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
    const aside = new Aside();
    const run = () => this.commit(() => this.makeSome(batch, aside), within);
    const made = await settling(aside, Number.POSITIVE_INFINITY, run);
    for (const span of batch.spans) span.end({}, null);
    return made;
  }

  private *makeSome(batch: Batch, aside: Aside): Program<number> {
    const { now } = batch;
    batch.spans = [];
    aside.begin();
    let made = 0;
    while (made < batch.most) {
      const first = yield* this.first(now);
      if (!first) {
        // Programs run one after the other: what was given such an instant before has been seen here.
        for (const instant of this.given) if (instant <= now) this.given.delete(instant);
        break;
      }
      try {
        yield* told(first, this.make(first, aside, batch.spans));
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

  /** `spans` takes the span of it; null where it is only shown as done. */
  private *make({ clock, row: found, at }: First, aside: Aside, spans: Span[] | null = null): Program<void> {
    const work = new UnitOfWork(emptyFrame(at, this.apiVersion.version, aside), this.apiVersion.wire, aside);
    const span = spans && this.spanOf(clock);
    if (span) spans.push(span);
    work.trace = span?.trace ?? null;
    const { resource, move, name, column } = clock;
    const row = resource.known(work, found);
    resource.pass(row, column);
    if (move) yield* resource.move(work, row, name, move.to);
    else yield* resource.arrive(work, row, name);
    yield* this.finish(work);
  }

  /** False where somebody else has made it, or given it up, meanwhile: what comes first now is another. */
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

  /** How many things are due by then and have not been done, of so many of each kind: for whoever watches. */
  *overdue(now: number, most: number): Program<number> {
    this.counts ??= this.clocks.map(({ due: { spec } }) =>
      this.store.prepare({ ...(spec as Extract<StatementSpec, { kind: 'due' }>), kind: 'due count' }),
    );
    let overdue = 0;
    for (const count of this.counts) overdue += (yield* call(count, [now, most]))[0]![0] as number;
    return overdue;
  }

  /** Asks the store when the next thing is due: other processes write too. */
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

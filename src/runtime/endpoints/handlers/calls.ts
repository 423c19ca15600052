import { emptyFrame, type Frame, type Value } from '../../../expression/values/value.ts';
import { call, type Program, type Statement, type Store, StoreError } from '../../../store/store.ts';
import { Refusal } from '../../context/refusal.ts';
import { type RerunState, runWithPauses } from '../../context/rerun-state.ts';
import { within } from '../../http/alarm.ts';
import type { UnitOfWork } from '../../resources/unit-of-work.ts';
import type { HandlerResult, Handlers, LoadedHandler } from './handlers.ts';

/**
 * The compiled steps after a call of an outside handler. Their first names are `given` and then `answer` or `failure`.
 */
export interface Following {
  readonly answers: (work: UnitOfWork, frame: Frame) => Program<void>;
  readonly fails: (work: UnitOfWork, frame: Frame) => Program<void>;
}

interface Due {
  readonly id: string;
  readonly handler: LoadedHandler;
  readonly takes: string;
  /** The number of finished attempts. */
  readonly attempts: number;
  /** The end of the lease, by the store's clock: the lease is identified by it. */
  until: number;
  /**
   * The latest end of the lease, on the monotonic clock: the time between the request for the lease and the grant
   * counts, too.
   */
  ends: number;
}

/**
 * The outcome of the steps after a call. `taken`: the steps have run. `refused`: a step refused, which ends the call.
 * `failed`: the steps could not run, with the reason.
 */
type Followed = 'taken' | 'refused' | { readonly failed: string };

type Log = (level: 'info' | 'warn' | 'error', event: string, fields: Record<string, unknown>) => void;

/** The time for which a lease outlasts an attempt, in milliseconds. */
const LEASE_MARGIN_MS = 10_000;
/** If a call is due later than any delay allows, by more than this many milliseconds, the clock was set back. */
const CLOCK_SET_BACK_MS = 5000;
/**
 * The most concurrent calls, and the interval between reads of the queue, to which other processes may add, in
 * milliseconds.
 */
const CONCURRENT_CALLS = 8;
const POLL_INTERVAL_MS = 1000;

/** Runs the queued calls of outside handlers: leases them, retries them as stated, and runs the steps that follow. */
export class Calls {
  private readonly handlers: Handlers;
  private readonly store: Store;
  private readonly following: ReadonlyMap<string, Following>;
  private readonly newRerunState: () => RerunState;
  private readonly newWork: (now: number, rerunState: RerunState) => UnitOfWork;
  private readonly finish: (work: UnitOfWork) => Program<void>;
  private readonly log: Log;
  private readonly statements: Record<'due' | 'lease' | 'end' | 'failed' | 'recall', Statement>;
  /** The time of the last read of the queue; infinity before the first. */
  private lookedAt = Number.POSITIVE_INFINITY;
  /** The calls that run in this process, by their ids. */
  private readonly underWay = new Map<string, { readonly due: Due; readonly ended: Promise<void> }>();
  private timer: NodeJS.Timeout | null = null;
  /** The read of the queue in progress. */
  private looking: Promise<void> | null = null;
  private stopped = true;
  /** Whether running calls are left to the end of their leases. */
  private abandoned = false;
  /** Called once the steps that follow a call have been committed. */
  onFollowed: () => void = () => {};

  constructor(
    handlers: Handlers,
    store: Store,
    following: ReadonlyMap<string, Following>,
    work: {
      readonly newRerunState: () => RerunState;
      readonly make: (now: number, rerunState: RerunState) => UnitOfWork;
      readonly finish: (work: UnitOfWork) => Program<void>;
    },
    log: Log,
  ) {
    this.handlers = handlers;
    this.store = store;
    this.following = following;
    this.newRerunState = work.newRerunState;
    this.newWork = work.make;
    this.finish = work.finish;
    this.log = log;
    const statement = (name: 'due calls' | 'lease call' | 'end call' | 'call failed' | 'recall calls'): Statement =>
      store.prepare({ kind: 'system', name });
    this.statements = {
      due: statement('due calls'),
      lease: statement('lease call'),
      end: statement('end call'),
      failed: statement('call failed'),
      recall: statement('recall calls'),
    };
  }

  start(): void {
    this.stopped = false;
    this.wake();
  }

  /** Reads the queue now: calls may have been added. */
  wake(): void {
    if (this.stopped || this.looking) return;
    if (this.timer) clearTimeout(this.timer);
    this.looking = this.look().finally(() => {
      this.looking = null;
      if (this.stopped) return;
      this.timer = setTimeout(() => this.wake(), POLL_INTERVAL_MS);
      this.timer.unref();
    });
  }

  /** Resolves once every call that is due now has run, and its outcome is stored. */
  async caughtUp(): Promise<void> {
    // A read in progress may use an earlier time.
    await this.looking;
    for (let run = true; run && !this.stopped; ) {
      this.wake();
      await this.looking;
      const underWay = [...this.underWay.values()].map((one) => one.ended);
      run = underWay.length > 0;
      await Promise.all(underWay);
    }
  }

  /**
   * Lets running calls finish, within `grace` milliseconds if given. Calls that still run then are aborted: their
   * leases end, and they run again with the same key. The store is not used once this has resolved.
   */
  async stop(grace?: number): Promise<void> {
    this.stopped = true;
    if (this.timer) clearTimeout(this.timer);
    // A read in progress may still lease calls, which run instead of waiting for the end of their leases.
    await this.looking;
    const ended = Promise.allSettled([...this.underWay.values()].map((one) => one.ended));
    await within(ended, grace ?? Number.POSITIVE_INFINITY);
    this.abandoned = true;
    await this.handlers.close();
    await ended;
  }

  private async look(): Promise<void> {
    try {
      const free = CONCURRENT_CALLS - this.underWay.size;
      if (free <= 0) return;
      const now = this.store.now();
      const asked = performance.now();
      await this.recall(now);
      if ((await this.store.read(() => call(this.statements.due, [now, 1]))).length === 0) return;
      for (const due of await this.store.write(() => this.lease(now, asked, free))) this.begin(due);
    } catch (error) {
      this.log('error', 'handler.queue_failed', { error: (error as Error).message });
    }
  }

  /** Starts a call, unless it runs already: its lease may have ended while its outcome could not be stored. */
  private begin(due: Due): void {
    const held = this.underWay.get(due.id)?.due;
    if (held) {
      held.until = due.until;
      held.ends = due.ends;
      return;
    }
    const ended = this.run(due)
      .catch((error: unknown) => this.unsettled(due, error))
      .finally(() => {
        this.underWay.delete(due.id);
        this.wake();
      });
    this.underWay.set(due.id, { due, ended });
  }

  /** Makes calls due that were scheduled before the clock went back: they would wait until the clock has caught up. */
  private async recall(now: number): Promise<void> {
    if (now < this.lookedAt) {
      const plans = [...this.handlers.all.values()].map(({ plan }) => plan);
      const { recall } = this.statements;
      const latest = (within: number, delay: number): number =>
        now + Math.max(delay, within + LEASE_MARGIN_MS) + CLOCK_SET_BACK_MS;
      await this.store.write(function* (): Program<void> {
        for (const { name, within, delays } of plans)
          for (const [attempts, delay] of [0, ...delays].entries())
            yield* call(recall, [now, latest(within, delay), attempts, name]);
      });
      // Calls that run here continue. Their leases now end at `now`, and are found by that end.
      for (const { due } of this.underWay.values()) {
        const { within, delays } = due.handler.plan;
        if (due.until > latest(within, [0, ...delays][due.attempts] ?? 0)) due.until = now;
      }
    }
    this.lookedAt = now;
  }

  private *lease(now: number, asked: number, most: number): Program<Due[]> {
    const out: Due[] = [];
    if (this.stopped) return out;
    for (const row of yield* call(this.statements.due, [now, most])) {
      const [id, name, takes, attempts] = row as unknown as [string, string, string, number];
      const handler = this.handlers.all.get(name);
      // A call of a handler that this document lacks stays queued until a document has the handler.
      if (!handler) continue;
      const lasts = handler.plan.within + LEASE_MARGIN_MS;
      yield* call(this.statements.lease, [now + lasts, id]);
      out.push({ id, handler, takes, attempts, until: now + lasts, ends: asked + lasts });
    }
    return out;
  }

  private async run(due: Due): Promise<void> {
    const { id, handler, takes } = due;
    // A lease with too little time left is not used: another process may lease the call before it ends.
    const { within } = handler.plan;
    if (performance.now() + within >= due.ends || this.store.now() + within >= due.until) {
      this.log('warn', 'handler.lease_ended', { handler: handler.plan.name, call: id });
      return;
    }
    let given: HandlerResult;
    try {
      given = handler.given(await handler.process!.run(takes, id));
    } catch (error) {
      if (!this.abandoned) await this.failed(due, (error as Error).message);
      return;
    }
    if ('refused' in given) return this.giveUp(due, given.refused);
    const followed = await this.follow(due, (work) => this.answers(work, due, given.values));
    if (followed === 'taken') this.answered(due);
    else if (followed !== 'refused') await this.failed(due, followed.failed);
  }

  private answered({ handler, id }: Due): void {
    this.log('info', 'handler.answered', { handler: handler.plan.name, call: id });
  }

  /** Logs that a call's outcome could not be written: its lease will end, and the call will run again. */
  private unsettled({ handler, id }: Due, error: unknown): void {
    this.log('error', 'handler.not_settled', { handler: handler.plan.name, call: id, error: (error as Error).message });
  }

  private async failed(due: Due, message: string): Promise<void> {
    const { name, delays } = due.handler.plan;
    const why = due.handler.masked(message, due.takes);
    const delay = delays[due.attempts];
    this.log('warn', 'handler.failed', { handler: name, call: due.id, attempt: due.attempts + 1, reason: why });
    if (delay === undefined) await this.giveUp(due, null);
    else {
      const now = this.store.now();
      await this.store.write(() => call(this.statements.failed, [now, why, now + delay, due.id, due.until]));
    }
  }

  /** Runs the steps for a call that has failed for good. Where they fail, the call ends without them. */
  private async giveUp(due: Due, failure: string | null): Promise<void> {
    const followed = await this.follow(due, (work) => this.fails(work, due, failure));
    if (followed === 'taken') {
      if (failure !== null) this.answered(due);
      else this.log('warn', 'handler.given_up', { handler: due.handler.plan.name, call: due.id });
    } else if (followed !== 'refused') await this.end(due);
  }

  private async end(due: Due): Promise<void> {
    const { end } = this.statements;
    await this.store.write(() => call(end, [due.id, due.until]));
  }

  /**
   * Runs the steps that follow a call and ends the call, in one transaction; a refusal by a step or a rule ends the
   * call alone. Rejects where the store is busy or full: the steps may succeed later.
   */
  private async follow(due: Due, steps: (work: UnitOfWork) => Program<void>): Promise<Followed> {
    const now = this.store.now();
    const { end } = this.statements;
    const { finish, newWork } = this;
    const rerunState = this.newRerunState();
    const once = () =>
      this.store.write(function* (): Program<void> {
        const ended = yield* call(end, [due.id, due.until]);
        // An earlier attempt, whose commit was in doubt, has ended the call, or another process has leased it.
        if (ended.length === 0) return;
        const work = newWork(now, rerunState);
        yield* steps(work);
        yield* finish(work);
      });
    try {
      await runWithPauses(rerunState, Number.POSITIVE_INFINITY, once);
      this.onFollowed();
      return 'taken';
    } catch (error) {
      if (error instanceof StoreError && (error.kind === 'busy' || error.kind === 'full')) throw error;
      const refused =
        error instanceof Refusal ? `${error.outcome?.code ?? error.rule ?? error.condition}` : (error as Error).message;
      this.log('error', 'handler.refused', { handler: due.handler.plan.name, call: due.id, reason: refused });
      if (!(error instanceof Refusal)) return { failed: refused };
      await this.end(due);
      return 'refused';
    }
  }

  private answers(work: UnitOfWork, due: Due, values: readonly Value[]): Program<void> {
    return this.following.get(due.handler.plan.name)!.answers(work, this.frame(work, due, values));
  }

  private fails(work: UnitOfWork, due: Due, failure: string | null): Program<void> {
    return this.following.get(due.handler.plan.name)!.fails(work, this.frame(work, due, failure));
  }

  private frame(work: UnitOfWork, due: Due, second: unknown): Frame {
    const { now, version, drawn } = work.frame;
    return { ...emptyFrame(now, version, drawn), vars: [due.handler.taken(due.takes), second] as Frame['vars'] };
  }
}

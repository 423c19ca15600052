import { availableParallelism } from 'node:os';
import type { HandlerPlan } from '../../../plan/step.ts';
import { within } from '../../http/alarm.ts';
import { LOAD_TIMEOUT_MS, RELOAD_INTERVAL_MS } from './process.ts';
import { HandlerThread, type Outcome } from './thread.ts';

/** The longest time that the event loop blocks for one run, and for all runs of one turn, in milliseconds. */
const QUICK_RUN_MS = 2;
const TURN_BUDGET_MS = 4;
/** The time slice after which a run gives way to runs without one, where the limit of long runs is reached. */
const SLICE_MS = 50;
/** The most concurrent long runs of one handler, in addition to one short run: each keeps a processor busy. */
const LONG = Math.max(2, Math.min(4, availableParallelism() - 1));
/** The most queued runs. */
const MOST_WAITING = 2048;

/** The time for which pure handlers may still block the event loop in this turn: one budget for the whole service. */
export class Patience {
  private spent = 0;

  /**
   * Calls `wait` with the milliseconds that it may block, and returns its result; null where the turn's budget is
   * spent.
   */
  spend<T>(wait: (milliseconds: number) => T): T | null {
    const left = TURN_BUDGET_MS - this.spent;
    if (left <= 0) return null;
    if (this.spent === 0)
      setImmediate(() => {
        this.spent = 0;
      });
    const began = performance.now();
    const out = wait(Math.min(QUICK_RUN_MS, left));
    this.spent += performance.now() - began;
    return out;
  }
}

/** A run of a pure handler: ended, running, or queued. */
export class PureRun {
  readonly takes: string;
  /** The outcome of the run; null until it has ended. */
  outcome: Outcome | null = null;
  /** Whether the run is refused: too many runs are queued, or the handler is closed. */
  refused = false;
  /** Whether nobody waits for the run any more. */
  left = false;
  private waiting = 0;
  private readonly done = Promise.withResolvers<void>();

  constructor(takes: string) {
    this.takes = takes;
  }

  end(outcome: Outcome): void {
    this.outcome = outcome;
    this.done.resolve();
  }

  refuse(): void {
    this.refused = true;
    this.done.resolve();
  }

  /** Resolves once the run has ended or is refused, or `deadline` (milliseconds since the epoch) has passed. */
  async over(deadline: number): Promise<void> {
    this.waiting++;
    await within(this.done.promise, deadline - Date.now() + 1);
    this.left = --this.waiting === 0;
  }
}

/**
 * A pure handler in a few threads. A short run is waited for in the event loop's turn; a longer one continues in its
 * thread. Each run has a short time slice at first, so that long runs don't block the others.
 */
export class PureHandler {
  private readonly plan: HandlerPlan;
  private readonly url: string;
  private readonly patience: Patience;
  private readonly idle: HandlerThread[] = [];
  private readonly busy = new Set<HandlerThread>();
  private starting = false;
  private closed = false;
  /** Runs that are running or queued, by their input: calls with an equal input share a run. */
  private readonly runs = new Map<string, PureRun>();
  /** Runs that have had no time slice yet, and runs that did not end within theirs. */
  private fresh: PureRun[] = [];
  private later: PureRun[] = [];
  private long = 0;

  private constructor(plan: HandlerPlan, url: string, patience: Patience) {
    this.plan = plan;
    this.url = url;
    this.patience = patience;
  }

  /** Loads a handler; rejects with HandlerError where its module is broken or doesn't export the function. */
  static async load(plan: HandlerPlan, url: string, patience: Patience): Promise<PureHandler> {
    const made = new PureHandler(plan, url, patience);
    made.idle.push(await HandlerThread.start(plan.name, url, LOAD_TIMEOUT_MS));
    return made;
  }

  /** Begins a run, from JSON to JSON, and blocks for a moment for its end. */
  run(takes: string): PureRun {
    const known = this.runs.get(takes);
    if (known) {
      known.left = false;
      return known;
    }
    const run = new PureRun(takes);
    if (this.closed) run.refuse();
    else if (this.fresh.length > 0) this.queue(run);
    else {
      const thread = this.take();
      if (thread) this.begin(run, thread);
      else this.queue(run);
    }
    return run;
  }

  /** Ends all threads; queued runs are refused. */
  async close(): Promise<void> {
    this.closed = true;
    for (const run of this.runs.values()) run.refuse();
    this.runs.clear();
    await Promise.all([...this.idle, ...this.busy].map((thread) => thread.close()));
  }

  private begin(run: PureRun, thread: HandlerThread): void {
    const id = thread.begin(run.takes, '');
    const came = this.patience.spend((milliseconds) => thread.now(id, milliseconds));
    if (came) {
      this.idle.push(thread);
      this.runs.delete(run.takes);
      run.end(came);
    } else {
      this.runs.set(run.takes, run);
      void this.attend(run, thread, id, false);
    }
  }

  private queue(run: PureRun): void {
    this.fresh = this.wantedOf(this.fresh);
    this.later = this.wantedOf(this.later);
    if (this.fresh.length + this.later.length >= MOST_WAITING) run.refuse();
    else {
      this.runs.set(run.takes, run);
      this.fresh.push(run);
      this.next();
    }
  }

  /**
   * Returns the runs of a queue that somebody still waits for, and refuses those whose callers have reached their
   * deadlines.
   */
  private wantedOf(line: readonly PureRun[]): PureRun[] {
    for (const run of line)
      if (run.left) {
        this.runs.delete(run.takes);
        run.refuse();
      }
    return line.filter((run) => !run.refused);
  }

  /** Awaits a run that has not ended at once: for a time slice, or for all the time that it may take. Never rejects. */
  private async attend(run: PureRun, thread: HandlerThread, id: number, long: boolean): Promise<void> {
    const { name, within } = this.plan;
    this.busy.add(thread);
    let left = within;
    let came: Outcome | null = null;
    if (!long) {
      const turn = Math.min(SLICE_MS, within);
      came = await thread.outcomeOf(id, turn);
      left -= turn;
    }
    if (came === null && left > 0) {
      if (!long && this.long >= LONG) return this.giveWay(run, thread);
      this.long++;
      this.next();
      came = await thread.outcomeOf(id, left);
      this.long--;
    }
    if (came === null) this.end(thread);
    else this.free(thread);
    this.runs.delete(run.takes);
    run.end(came ?? { error: `“${name}” took longer than ${within} ms` });
    this.next();
  }

  /**
   * Stops a run after its time slice, since the limit of long runs is reached: it begins anew once one of them has
   * ended.
   */
  private giveWay(run: PureRun, thread: HandlerThread): void {
    this.end(thread);
    this.later.push(run);
    this.next();
  }

  private free(thread: HandlerThread): void {
    this.busy.delete(thread);
    this.idle.push(thread);
  }

  private end(thread: HandlerThread): void {
    this.busy.delete(thread);
    void thread.close();
  }

  /** Begins queued runs while threads are free, and keeps a thread ready for the next one. */
  private next(): void {
    while (!this.closed) {
      const long = this.long < LONG && this.later.length > 0;
      const line = long ? this.later : this.fresh;
      const thread = this.take();
      if (!thread) return;
      const run = line.shift();
      if (!run) {
        this.idle.push(thread);
        return;
      }
      // A queued run may be short, too: begin waits for it, so that the queue empties.
      if (long) void this.attend(run, thread, thread.begin(run.takes, ''), long);
      else this.begin(run, thread);
    }
  }

  /** Returns an idle thread. Where there is none, starts one, which then takes a run from the queue. */
  private take(): HandlerThread | null {
    for (let thread = this.idle.pop(); thread; thread = this.idle.pop()) if (!thread.ended) return thread;
    if (!this.starting && !this.closed && this.busy.size <= LONG) void this.start();
    return null;
  }

  /** Starts a thread. Never rejects: where the module can't be loaded, only runs that wait for the thread fail. */
  private async start(): Promise<void> {
    this.starting = true;
    try {
      const thread = await HandlerThread.start(this.plan.name, this.url, RELOAD_INTERVAL_MS);
      if (this.closed) return void thread.close();
      this.idle.push(thread);
    } catch (error) {
      if (this.busy.size === 0 && this.idle.length === 0) this.fail((error as Error).message);
    } finally {
      this.starting = false;
    }
    if (this.fresh.length + this.later.length > 0) this.next();
  }

  private fail(error: string): void {
    for (const run of [...this.fresh.splice(0), ...this.later.splice(0)]) {
      this.runs.delete(run.takes);
      run.end({ error });
    }
  }
}

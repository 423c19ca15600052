import { emptyFrame, type Frame, type Value } from '../../../expression/value.ts';
import { call, type Program, type Statement, type Store } from '../../../store/store.ts';
import { Refusal } from '../../errors/enforce.ts';
import type { Work } from '../../resources/work.ts';
import type { Given, Handlers, LoadedHandler } from './handlers.enforce.ts';

/** The steps that follow an outside handler, compiled: `given` and then `answer` or `failure` are their first names. */
export interface Following {
  readonly answers: (work: Work, frame: Frame) => Program<void>;
  readonly fails: (work: Work, frame: Frame) => Program<void>;
}

interface Due {
  readonly id: string;
  readonly handler: LoadedHandler;
  readonly takes: string;
  /** How many attempts there have been. */
  readonly attempts: number;
}

type Log = (level: 'info' | 'warn' | 'error', event: string, fields: Record<string, unknown>) => void;

/** How much longer than an attempt a lease lasts, in milliseconds. */
const MARGIN = 10_000;
/** How many run at once, and how often the queue is looked at for what other processes have added, in milliseconds. */
const AT_ONCE = 8;
const LOOK = 1000;

/** Runs what is queued for outside handlers: leased, tried as often as stated, and followed by the steps stated. */
export class Calls {
  private readonly handlers: Handlers;
  private readonly store: Store;
  private readonly following: ReadonlyMap<string, Following>;
  private readonly newWork: (now: number) => Work;
  private readonly finish: (work: Work) => Program<void>;
  private readonly log: Log;
  private readonly statements: Record<'due' | 'lease' | 'done' | 'failed' | 'recall', Statement>;
  /** The time of the last look; none yet is later than any. */
  private lookedAt = Number.POSITIVE_INFINITY;
  private readonly underWay = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | null = null;
  private looking = false;
  private stopped = true;
  /** Told once what followed has been committed. */
  onFollowed: () => void = () => {};

  constructor(
    handlers: Handlers,
    store: Store,
    following: ReadonlyMap<string, Following>,
    work: { readonly make: (now: number) => Work; readonly finish: (work: Work) => Program<void> },
    log: Log,
  ) {
    this.handlers = handlers;
    this.store = store;
    this.following = following;
    this.newWork = work.make;
    this.finish = work.finish;
    this.log = log;
    const statement = (name: 'due calls' | 'lease call' | 'call done' | 'call failed' | 'recall calls'): Statement =>
      store.prepare({ kind: 'system', name });
    this.statements = {
      due: statement('due calls'),
      lease: statement('lease call'),
      done: statement('call done'),
      failed: statement('call failed'),
      recall: statement('recall calls'),
    };
  }

  start(): void {
    this.stopped = false;
    this.wake();
  }

  /** Looks at the queue now: something may have been added. */
  wake(): void {
    if (this.stopped || this.looking) return;
    if (this.timer) clearTimeout(this.timer);
    this.looking = true;
    void this.look().finally(() => {
      this.looking = false;
      if (this.stopped) return;
      this.timer = setTimeout(() => this.wake(), LOOK);
      this.timer.unref();
    });
  }

  /** Lets what is under way end. */
  async stop(): Promise<void> {
    this.stopped = true;
    if (this.timer) clearTimeout(this.timer);
    await Promise.allSettled(this.underWay);
    await this.handlers.close();
  }

  private async look(): Promise<void> {
    try {
      const free = AT_ONCE - this.underWay.size;
      if (free <= 0) return;
      const now = Date.now();
      await this.recall(now);
      if ((await this.store.read(() => call(this.statements.due, [now, 1]))).length === 0) return;
      for (const due of await this.store.write(() => this.lease(now, free))) {
        const run = this.run(due).finally(() => {
          this.underWay.delete(run);
          this.wake();
        });
        this.underWay.add(run);
      }
    } catch (error) {
      this.log('error', 'handler.queue_failed', { error: (error as Error).message });
    }
  }

  /** A clock that has gone back, since the last look or before the start, would have calls wait until it comes there again. */
  private async recall(now: number): Promise<void> {
    if (now < this.lookedAt) {
      const plans = [...this.handlers.all.values()].map(({ plan }) => plan);
      const { recall } = this.statements;
      await this.store.write(function* (): Program<void> {
        for (const { name, within, delays } of plans)
          for (const [attempts, delay] of [0, ...delays].entries())
            yield* call(recall, [now, now + Math.max(delay, within + MARGIN), attempts, name]);
      });
    }
    this.lookedAt = now;
  }

  private *lease(now: number, most: number): Program<Due[]> {
    const out: Due[] = [];
    for (const row of yield* call(this.statements.due, [now, most])) {
      const [id, name, takes, attempts] = row as unknown as [string, string, string, number];
      const handler = this.handlers.all.get(name);
      // What an earlier document has queued for a handler that this one doesn’t have waits for one that does.
      if (!handler) continue;
      yield* call(this.statements.lease, [now + handler.plan.within + MARGIN, id]);
      out.push({ id, handler, takes, attempts });
    }
    return out;
  }

  private async run(due: Due): Promise<void> {
    const { id, handler, takes } = due;
    const { name } = handler.plan;
    let given: Given;
    try {
      given = handler.given(await handler.process.run(takes, id));
    } catch (error) {
      await this.failed(due, (error as Error).message);
      return;
    }
    const followed =
      'refused' in given
        ? await this.follow(due, 'refused', (work) => this.fails(work, due, given.refused))
        : await this.follow(due, 'answered', (work) => this.answers(work, due, given.values));
    if (followed) this.log('info', 'handler.answered', { handler: name, call: id });
  }

  private async failed(due: Due, why: string): Promise<void> {
    const { name, delays } = due.handler.plan;
    const delay = delays[due.attempts];
    this.log('warn', 'handler.failed', { handler: name, call: due.id, attempt: due.attempts + 1, reason: why });
    if (delay === undefined) await this.follow(due, 'given up', (work) => this.fails(work, due, null));
    else {
      const now = Date.now();
      await this.store.write(() => call(this.statements.failed, [now, why, now + delay, due.id]));
    }
  }

  /** Takes the steps that follow, and ends the call, in one transaction; a refusal by a step or a rule ends it alone. */
  private async follow(due: Due, state: string, steps: (work: Work) => Program<void>): Promise<boolean> {
    const now = Date.now();
    const end = (how: string) => call(this.statements.done, [how, now, due.id]);
    const { finish, newWork } = this;
    try {
      await this.store.write(function* (): Program<void> {
        const work = newWork(now);
        yield* steps(work);
        yield* finish(work);
        yield* end(state);
      });
      this.onFollowed();
      return true;
    } catch (error) {
      const refused = error instanceof Refusal ? (error.outcome?.code ?? error.rule) : (error as Error).message;
      this.log('error', 'handler.refused', { handler: due.handler.plan.name, call: due.id, reason: refused });
      if (error instanceof Refusal) await this.store.write(() => end(`refused: ${refused}`));
      return false;
    }
  }

  private answers(work: Work, due: Due, values: readonly Value[]): Program<void> {
    return this.following.get(due.handler.plan.name)!.answers(work, this.frame(work, due, values));
  }

  private fails(work: Work, due: Due, failure: string | null): Program<void> {
    return this.following.get(due.handler.plan.name)!.fails(work, this.frame(work, due, failure));
  }

  private frame(work: Work, due: Due, second: unknown): Frame {
    const { now, version } = work.frame;
    return { ...emptyFrame(now, version), vars: [due.handler.taken(due.takes), second] as Frame['vars'] };
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { StoreFigures } from '../figures.ts';
import { type Change, StoreError } from '../store.ts';
import type { Link } from './connections.ts';
import type { Links, Use } from './links.ts';
import { Again, Lost, ReadOnly, Unfurnished } from './transaction.ts';

/** For how long a program that meets others is run again, and how long is waited at most before that, in milliseconds. */
const CONTENDED = 15_000;
const LONGEST_WAIT = 60;
/** After how many runs a program waits for the others of this node that have met as many: one of them runs at a time. */
const IN_TURN = 3;
/** How long a program may wait for a connection that has been lost to be there again, in milliseconds. */
export const PATIENCE = 2000;

/** One run of a program on a connection; `held` is what keeps the connection after the run has been given up. */
type Run<T> = (link: Link, careful: boolean, held: (until: Promise<unknown>) => void) => Promise<T>;

/** Runs programs on the connections of a store, and again from their start where they meet others or lose a connection. */
export class Attempts {
  private readonly links: Links;
  private readonly figures: StoreFigures;
  /** Gives the database what statements call; null where it has all of it. */
  private readonly furnish: () => Promise<void> | null;
  private lane: Promise<void> = Promise.resolve();

  constructor(links: Links, figures: StoreFigures, furnish: () => Promise<void> | null) {
    this.links = links;
    this.figures = figures;
    this.furnish = furnish;
  }

  /** Runs something until it is done, or its change is given up. */
  async run<T>(use: Use, change: Change | null, run: Run<T>): Promise<T> {
    let careful = false;
    const begun = performance.now();
    let patience = begun + PATIENCE;
    let told = false;
    for (let runs = 1; ; runs++) {
      const done = runs > IN_TURN ? await this.turn(change) : null;
      try {
        const furnishing = this.furnish();
        if (furnishing) await furnishing;
        change?.mustBeWaitedFor();
        const link = await this.connected(Math.max(patience, performance.now()), use, change);
        return await this.on(link, use, careful, run);
      } catch (error) {
        const now = performance.now();
        if (error instanceof Lost || error instanceof ReadOnly) {
          // A server that is there to end a session takes another: however late that was heard, it is tried once
          // more; and so is what several have ended, such as a migration that it was in the way of.
          const ended = error instanceof Lost && error.told;
          if (ended && (!told || now - begun < CONTENDED)) patience = now + PATIENCE;
          told ||= ended;
          if (error instanceof ReadOnly) this.links.forget();
          if (now > patience) throw error.failure;
          await sleep(20);
        } else if (error instanceof Unfurnished) runs--;
        else if (error instanceof Again) {
          // A transaction that takes long by itself has been run a few times, too.
          if (now - begun > CONTENDED && runs > IN_TURN)
            throw new StoreError('busy', 'The transaction conflicted with others too often.');
          this.figures.conflicts++;
          careful ||= error.carefully;
          if (!error.carefully) await sleep(Math.random() * Math.min(LONGEST_WAIT, 2 ** runs));
        } else throw error;
      } finally {
        done?.();
      }
    }
  }

  /** Runs something on a connection, and gives the connection back once nothing holds it. */
  private async on<T>(link: Link, use: Use, careful: boolean, run: Run<T>): Promise<T> {
    const holds: Promise<unknown>[] = [];
    try {
      return await run(link, careful, (until) => holds.push(until));
    } catch (error) {
      // It is not a server that changes can be made on: nobody is to have this connection again.
      if (error instanceof ReadOnly) link.drop();
      throw error;
    } finally {
      if (holds.length) void Promise.allSettled(holds).then(() => this.links.give(link, use));
      else this.links.give(link, use);
    }
  }

  /** Waits until no other program of this node that has met others again and again is being run; gives how to end that. */
  private async turn(change: Change | null): Promise<() => void> {
    const before = this.lane;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.lane = promise;
    try {
      await (change ? change.wait(before) : before);
    } catch (error) {
      before.then(resolve);
      throw error;
    }
    return resolve;
  }

  /** A connection; where the database is away, it may come back before long. */
  async connected(
    patience: number,
    use: Use = 'read',
    change: Change | null = null,
    take = () => this.links.take(use, change),
  ): Promise<Link> {
    for (;;)
      try {
        return await take();
      } catch (error) {
        if (error instanceof StoreError && error.kind === 'shape') throw error;
        change?.mustBeWaitedFor();
        if (this.links.closed || performance.now() > patience) throw new StoreError('busy', (error as Error).message);
        await sleep(50);
      }
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { StoreFigures } from '../figures.ts';
import { type Change, StoreError } from '../store.ts';
import type { Link } from './connections.ts';
import type { Links, Use } from './links.ts';
import { Again, Alone, Lost, ReadOnly, Unfurnished } from './transaction.ts';

/** How long a program is run again after conflicts, and the longest pause before a run, in milliseconds. */
const CONTENDED = 15_000;
const LONGEST_WAIT = 60;
/**
 * The number of runs after which a program waits for its turn: of the programs of this node with this many conflicts,
 * only one runs at a time.
 */
const IN_TURN = 3;
/** How long a program waits for a new connection after a connection was lost, in milliseconds. */
export const PATIENCE = 2000;

/**
 * One run of a program on a connection; the connection is not given back before the promises passed to `held` settle.
 */
type Run<T> = (link: Link, careful: boolean, held: (until: Promise<unknown>) => void) => Promise<T>;

/** Runs programs on a store’s connections. Repeats them from their start after a conflict or a lost connection. */
export class Attempts {
  private readonly links: Links;
  private readonly figures: StoreFigures;
  /** Creates the functions in the database that statements call; null where none is missing. */
  private readonly furnish: () => Promise<void> | null;
  private lane: Promise<void> = Promise.resolve();

  constructor(links: Links, figures: StoreFigures, furnish: () => Promise<void> | null) {
    this.links = links;
    this.figures = figures;
    this.furnish = furnish;
  }

  /** Runs a program until it succeeds, or its change is given up. */
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
          // A server that ends a session accepts a new one, so the program gets more time, and one more run even after
          // the limit. This also holds after several sessions have ended, such as those that blocked a migration.
          const ended = error instanceof Lost && error.told;
          if (ended && (!told || now - begun < CONTENDED)) patience = now + PATIENCE;
          told ||= ended;
          if (error instanceof ReadOnly) this.links.forget();
          if (now > patience) throw error.failure;
          await sleep(20);
        } else if (error instanceof Unfurnished || error instanceof Alone) runs--;
        else if (error instanceof Again) {
          // A transaction that is slow without conflicts has been run a few times before.
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

  /** Runs a program on a connection, and gives the connection back once nothing holds it. */
  private async on<T>(link: Link, use: Use, careful: boolean, run: Run<T>): Promise<T> {
    const holds: Promise<unknown>[] = [];
    try {
      return await run(link, careful, (until) => holds.push(until));
    } catch (error) {
      // Changes are not possible on this server, so the connection is not used again.
      if (error instanceof ReadOnly) link.drop();
      throw error;
    } finally {
      if (holds.length) void Promise.allSettled(holds).then(() => this.links.give(link, use));
      else this.links.give(link, use);
    }
  }

  /** Waits for the turn among this node’s programs with many conflicts. Returns the function that ends the turn. */
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

  /** Returns a connection. Waits for a while if the database cannot be reached. */
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

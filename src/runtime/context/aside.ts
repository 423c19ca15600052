import type { Drawn } from '../../expression/values/value.ts';
import { StoreError } from '../../store/store.ts';

/** What a transaction needs that would hold up every other: it is undone, and run again once it is known. */
export abstract class Pause {
  /**
   * Resolves once it is known, or once `deadline` (milliseconds since the epoch) has passed; gives false where it won't
   * be, since too many wait already.
   */
  abstract settle(deadline: number): Promise<boolean>;
}

/** Hashes passwords off the event loop. */
export interface PasswordHasher {
  /**
   * The hash of a password, or whether one that is kept is its hash. Gives why it can't be had: too many wait already,
   * or `deadline` (milliseconds since the epoch) has passed.
   */
  compute(
    plain: string,
    kept: string | null,
    deadline: number,
  ): Promise<string | boolean | { readonly why: 'busy' | 'late' }>;
}

/** How often a piece of work is run again that finds no more known than before, since what it needs has changed. */
const ROUNDS = 10;

/**
 * What one piece of work has had computed beside its transactions, and what it has drawn at random in them: what is
 * computed from that is found again. Kept in memory alone, for as long as the work takes.
 */
export class Aside implements Drawn {
  /** Who hashes passwords; null where nobody does. */
  readonly passwords: PasswordHasher | null;
  private readonly known = new Map<string, unknown>();
  private readonly drawn = new Map<string, string[]>();
  /** How much of each kind this run has drawn. */
  private readonly taken = new Map<string, number>();
  /** How much this run has found, the most that one has, and how many in a row have found no more. */
  private found = 0;
  private most = -1;
  private rounds = 0;

  constructor(passwords: PasswordHasher | null = null) {
    this.passwords = passwords;
  }

  /** Told when a run begins: what its transaction does is done from the start. */
  begin(): void {
    this.found = 0;
    this.taken.clear();
  }

  next(kind: string, make: () => string): string {
    const place = this.taken.get(kind) ?? 0;
    this.taken.set(kind, place + 1);
    const all = this.drawn.get(kind) ?? [];
    if (place === 0) this.drawn.set(kind, all);
    all[place] ??= make();
    return all[place];
  }

  /** What has been computed under a name; undefined where nothing has. */
  get(name: string): unknown {
    const value = this.known.get(name);
    if (value !== undefined) this.found++;
    return value;
  }

  keep(name: string, value: unknown): void {
    this.known.set(name, value);
  }

  /** Waits for what a run has met. Rejects with StoreError where it can't be had now. */
  async settle(pause: Pause, deadline: number): Promise<void> {
    if (this.found > this.most) {
      this.most = this.found;
      this.rounds = 0;
    } else if (++this.rounds >= ROUNDS)
      throw new StoreError(
        'busy',
        'Concurrent changes kept invalidating what was computed for this transaction (a hash, or the result of code).',
      );
    if (!(await pause.settle(deadline))) throw new StoreError('busy', 'Too much waits to be computed.');
  }
}

/**
 * Does a piece of work in a transaction, again each time that what it waits for is known. Where the deadline passes
 * meanwhile, it is run again all the same: it looks at its deadline when it begins.
 */
export function settling<T>(aside: Aside, deadline: number, work: () => T | Promise<T>): T | Promise<T> {
  const again = async (error: unknown): Promise<T> => {
    if (!(error instanceof Pause)) throw error;
    await aside.settle(error, deadline);
    return settling(aside, deadline, work);
  };
  try {
    const done = work();
    return done instanceof Promise ? done.catch(again) : done;
  } catch (error) {
    if (!(error instanceof Pause)) throw error;
    return again(error);
  }
}

import type { Drawn } from '../../expression/values/value.ts';
import { StoreError } from '../../store/store.ts';

/**
 * The wait of a transaction for a computation that would block all others: the transaction is rolled back, and run
 * again once the result is known.
 */
export abstract class Pause {
  /**
   * Resolves to true once the result is known, or once `deadline` (milliseconds since the epoch) has passed; to false
   * where too many computations wait already.
   */
  abstract settle(deadline: number): Promise<boolean>;
}

/** Hashes passwords off the event loop. */
export interface PasswordHasher {
  /**
   * Returns the hash of a password, or whether it matches `kept`. Returns the reason where too many computations wait,
   * or `deadline` (milliseconds since the epoch) has passed.
   */
  compute(
    plain: string,
    kept: string | null,
    deadline: number,
  ): Promise<string | boolean | { readonly why: 'busy' | 'late' }>;
}

/**
 * The most runs in a row of a unit of work that find no more results known than before, because its inputs have
 * changed.
 */
const ROUNDS = 10;

/**
 * The results that were computed outside the transactions of one unit of work, and the random values that it drew in
 * them: a later run reads the same ones. Kept in memory, for the life of the unit of work.
 */
export class RerunState implements Drawn {
  /** Hashes passwords; null where the document has none. */
  readonly passwords: PasswordHasher | null;
  private readonly known = new Map<string, unknown>();
  private readonly drawn = new Map<string, string[]>();
  /** The number of random values of each kind that this run has drawn. */
  private readonly taken = new Map<string, number>();
  /**
   * The number of known results that this run has read, the most of any run, and how many runs in a row have read no
   * more.
   */
  private found = 0;
  private most = -1;
  private rounds = 0;

  constructor(passwords: PasswordHasher | null = null) {
    this.passwords = passwords;
  }

  /** Called when a run begins: it reads the known results and random values again, from the first one on. */
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

  /** Returns the result that was computed under a name; undefined where none was. */
  get(name: string): unknown {
    const value = this.known.get(name);
    if (value !== undefined) this.found++;
    return value;
  }

  keep(name: string, value: unknown): void {
    this.known.set(name, value);
  }

  /** Waits for a computation that a run needs. Rejects with StoreError where it can't be done now. */
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
 * Runs a unit of work in a transaction, and again whenever a computation that it waits for has ended. It also runs
 * again after the deadline, which it checks itself when it begins.
 */
export function runWithPauses<T>(rerunState: RerunState, deadline: number, work: () => T | Promise<T>): T | Promise<T> {
  const again = async (error: unknown): Promise<T> => {
    if (!(error instanceof Pause)) throw error;
    await rerunState.settle(error, deadline);
    return runWithPauses(rerunState, deadline, work);
  };
  try {
    const done = work();
    return done instanceof Promise ? done.catch(again) : done;
  } catch (error) {
    if (!(error instanceof Pause)) throw error;
    return again(error);
  }
}

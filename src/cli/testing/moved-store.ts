import type { RandomBytes } from '../../expression/values/random.ts';
import { Counters, type RateUse } from '../../store/counters.ts';
import type { News, Program, Statement, StatementSpec, Store } from '../../store/store.ts';

/** The time and the source of bytes that a store is to go by. */
export interface Machine {
  readonly now: () => number;
  readonly random: RandomBytes;
}

/**
 * A store with a clock that is moved, in place of that of its database. Rates, which a database counts by its own clock,
 * are counted here. It begins anew: nothing is left of the counts and claims of the one before.
 */
export class MovedStore implements Store {
  readonly now: () => number;
  readonly random: RandomBytes;
  private readonly inner: Store;
  private readonly counters = new Counters();

  constructor(inner: Store, { now, random }: Machine) {
    this.inner = inner;
    this.now = now;
    this.random = random;
  }

  take(
    policy: number,
    key: string,
    { count, milliseconds }: { readonly count: number; readonly milliseconds: number },
    now: number,
  ): RateUse {
    return this.counters.take(policy, key, count, milliseconds, now);
  }

  follow(): void {}

  prepare(spec: StatementSpec): Statement {
    return this.inner.prepare(spec);
  }

  async furnish(): Promise<void> {
    await this.inner.furnish?.();
  }

  read<T>(program: () => Program<T>): T | Promise<T> {
    return this.inner.read(program);
  }

  write<T>(program: () => Program<T>): Promise<T> {
    return this.inner.write(program);
  }

  rehearse<T>(program: () => Program<T>): Promise<T> {
    return this.inner.rehearse(program);
  }

  begun(): void {
    this.inner.begun?.();
  }

  claim(key: string): boolean | Promise<boolean> {
    return this.inner.claim(key);
  }

  unclaim(key: string): void {
    this.inner.unclaim(key);
  }

  tell(news: News): void {
    this.inner.tell?.(news);
  }

  hear(heard: (news: News) => void): void {
    this.inner.hear?.(heard);
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}

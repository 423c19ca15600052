import type { RandomBytes } from '../../expression/values/random.ts';
import type { Plan } from '../../plan/step.ts';
import type { DeprecationPlan } from '../../plan/versions.ts';
import { Counters, type RateUse } from '../../store/counters.ts';
import type { StoreFigures } from '../../store/figures.ts';
import {
  type Call,
  type Change,
  type News,
  type Program,
  type Snapshot,
  type Statement,
  type StatementSpec,
  type Store,
  StoreError,
} from '../../store/store.ts';

/** Work that is still running when the service is reset must not reach the new rows. */
const CLOSED = 'The store has been closed.';

/** The clock and the source of random bytes of a store. */
export interface Machine {
  readonly now: () => number;
  readonly random: RandomBytes;
}

/**
 * A store with a settable clock in place of the database's clock. Rates, which a database counts by its own clock, are
 * counted here. A new store has no counts and claims of the previous one.
 */
export class MovedStore implements Store {
  readonly now: () => number;
  readonly random: RandomBytes;
  private readonly inner: Store;
  private readonly counters = new Counters();
  private readonly end: 'closes' | 'stays open';
  private closed = false;

  /** `end`: whether closing this store closes the wrapped one, or leaves it open for the next. */
  constructor(inner: Store, { now, random }: Machine, end: 'closes' | 'stays open' = 'closes') {
    this.inner = inner;
    this.end = end;
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

  get travels(): boolean {
    return this.inner.travels ?? false;
  }

  hasRowIds(resource: string): boolean {
    return this.inner.hasRowIds?.(resource) ?? false;
  }

  get figures(): StoreFigures {
    return this.inner.figures;
  }

  snapshot<T>(program: () => Program<T>, callOf: (value: T) => Call, milliseconds: number): Promise<Snapshot<T>> {
    if (this.closed) return Promise.reject(new StoreError('busy', CLOSED));
    return this.inner.snapshot(program, callOf, milliseconds);
  }

  prepare(spec: StatementSpec): Statement {
    return this.inner.prepare(spec);
  }

  async furnish(): Promise<void> {
    await this.inner.furnish?.();
  }

  read<T>(program: () => Program<T>): T | Promise<T> {
    if (this.closed) throw new StoreError('busy', CLOSED);
    return this.inner.read(program);
  }

  async write<T>(program: () => Program<T>, change?: Change, again?: boolean): Promise<T> {
    if (this.closed) throw new StoreError('busy', CLOSED);
    return this.inner.write(program, change, again);
  }

  async rehearse<T>(program: () => Program<T>): Promise<T> {
    if (this.closed) throw new StoreError('busy', CLOSED);
    return this.inner.rehearse(program);
  }

  begun(): void {
    this.inner.begun?.();
  }

  claim(key: string): boolean {
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

  async close(): Promise<void> {
    this.closed = true;
    if (this.end === 'closes') await this.inner.close();
  }
}

/** A day at which a service begins, unless a version isn’t in force then. */
const START = Date.UTC(2026, 0, 5, 9);
const DAY_MS = 86_400_000;

const livesOf = ({ from, until }: DeprecationPlan) => ({ retired: false, deprecated: from, sunset: until?.at ?? null });

/** A time at which every version and endpoint is in force: past its deprecation, and before its sunset. */
export function firstInstant({ versions, endpoints }: Plan): number {
  const all = [
    ...(versions?.older ?? []),
    ...endpoints.flatMap(({ deprecation }) => (deprecation ? [livesOf(deprecation)] : [])),
  ];
  const deprecated = all.flatMap((one) => (one.deprecated === null || one.retired ? [] : [one.deprecated + DAY_MS]));
  const sunsets = all.flatMap((one) => (one.sunset === null || one.retired ? [] : [one.sunset - DAY_MS]));
  return Math.min(Math.max(START, ...deprecated), ...sunsets);
}

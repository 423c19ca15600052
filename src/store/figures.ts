/** Upper bounds of the buckets of a store’s durations, in seconds. */
export const STORE_BUCKETS: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
];

/** A histogram of durations. */
export class Durations {
  /** Number of durations in each bucket; the last bucket has no upper bound. */
  readonly counts: number[] = STORE_BUCKETS.map(() => 0).concat(0);
  seconds = 0;

  /** Number of durations. */
  get count(): number {
    return this.counts.reduce((sum, one) => sum + one, 0);
  }

  /** Adds a duration that began at an instant of the monotonic clock (`performance.now()`) and ends now. */
  since(began: number): void {
    const seconds = (performance.now() - began) / 1000;
    this.seconds += seconds;
    let bucket = 0;
    while (bucket < STORE_BUCKETS.length && seconds > STORE_BUCKETS[bucket]!) bucket++;
    this.counts[bucket]!++;
  }

  /** Adds the counts of another histogram. */
  follow({ counts, seconds }: Durations): void {
    for (const [bucket, count] of counts.entries()) this.counts[bucket]! += count;
    this.seconds += seconds;
  }
}

/** The connections of a store to its database. */
export interface PoolFigures {
  readonly idle: number;
  readonly used: number;
  /** The largest number of connections. */
  readonly most: number;
  /** Number of programs that wait for a connection. */
  readonly waiting: number;
}

/** Counts and durations of one store since the process began. */
export class StoreFigures {
  /** Programs that have read rows, and programs that have changed rows, whatever their result. */
  reads = 0;
  changes = 0;
  /** Repeated runs of programs after a conflict with another. */
  conflicts = 0;
  /** Durations of transactions that change rows, from their beginning until they are durable. */
  readonly commits = new Durations();
  /** Durations of syncs of the log, where the store makes them itself. */
  readonly syncs = new Durations();

  /** Adds the counts of the store which this one replaces. */
  follow(before: StoreFigures): void {
    this.reads += before.reads;
    this.changes += before.changes;
    this.conflicts += before.conflicts;
    this.commits.follow(before.commits);
    this.syncs.follow(before.syncs);
  }
}

/** The upper ends of the buckets of what a store takes, in seconds. */
export const STORE_BUCKETS: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
];

/** How often something has taken how long. */
export class Durations {
  /** How many took as long as each bucket, and no longer; the last took longer than all. */
  readonly counts: number[] = STORE_BUCKETS.map(() => 0).concat(0);
  seconds = 0;

  /** How many there were. */
  get count(): number {
    return this.counts.reduce((sum, one) => sum + one, 0);
  }

  /** Counts what began at an instant of the monotonic clock (`performance.now()`) and has ended now. */
  since(began: number): void {
    const seconds = (performance.now() - began) / 1000;
    this.seconds += seconds;
    let bucket = 0;
    while (bucket < STORE_BUCKETS.length && seconds > STORE_BUCKETS[bucket]!) bucket++;
    this.counts[bucket]!++;
  }

  /** Goes on with what others have counted. */
  follow({ counts, seconds }: Durations): void {
    for (const [bucket, count] of counts.entries()) this.counts[bucket]! += count;
    this.seconds += seconds;
  }
}

/** The connections of a store to its database. */
export interface PoolFigures {
  readonly idle: number;
  readonly used: number;
  /** How many there may be. */
  readonly most: number;
  /** How many programs wait for one. */
  readonly waiting: number;
}

/** Counts and durations of one store since the process began. */
export class StoreFigures {
  /** Programs that have read, and those that have changed rows, whatever they came to. */
  reads = 0;
  changes = 0;
  /** Programs that were run again, since they had met another. */
  conflicts = 0;
  /** From the beginning of a transaction that changes rows to its durable end. */
  readonly commits = new Durations();
  /** Syncs of the log, where the store makes them itself. */
  readonly syncs = new Durations();

  /** Goes on with the counts of a store whose place another takes. */
  follow(before: StoreFigures): void {
    this.reads += before.reads;
    this.changes += before.changes;
    this.conflicts += before.conflicts;
    this.commits.follow(before.commits);
    this.syncs.follow(before.syncs);
  }
}

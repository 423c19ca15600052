/** The largest relative drift between the database’s clock and this process’s: bounds widen by it as they age. */
const DRIFT = 0.0005;
/**
 * The largest step backwards of the estimate that is hidden, in milliseconds: `now` then repeats the last returned
 * time. A larger step means that the database’s clock was set.
 */
const AHEAD = 1000;

/**
 * The database’s clock, which all nodes that share the database follow: their own clocks may differ, and be set while
 * they run. On the monotonic clock of this process, each time that the database reports lies between the query and its
 * answer. The intersection of several such intervals bounds the difference of the two clocks. The clock needs no
 * queries of its own: other queries of a node return the time too.
 */
export class DatabaseClock {
  /** The bounds of the database’s time at the start of this process’s clock, as they were known at `at`. */
  private least = Number.NEGATIVE_INFINITY;
  private most = Number.POSITIVE_INFINITY;
  private at = 0;
  private last = Number.NEGATIVE_INFINITY;
  private readonly measured: () => number;

  /** `measured` returns milliseconds of a monotonic clock. */
  constructor(measured: () => number = () => performance.now()) {
    this.measured = measured;
  }

  /** Reads this process’s clock before the database is asked for its time; `heard` needs the reading with that time. */
  asked(): number {
    return this.measured();
  }

  /**
   * Adds a time that the database has reported, in whole milliseconds, and the reading of `asked` before that query.
   */
  heard(asked: number, time: number): void {
    const now = this.measured();
    const aged = (now - this.at) * DRIFT;
    const [least, most] = [time - now, time + 1 - asked];
    const known = Math.max(least, this.least - aged) <= Math.min(most, this.most + aged);
    // If the bounds have nothing in common, the database’s clock has been set, or the database is another one.
    this.least = known ? Math.max(least, this.least - aged) : least;
    this.most = known ? Math.min(most, this.most + aged) : most;
    this.at = now;
  }

  /** The time of the database’s clock, in milliseconds since the epoch. It goes back only if that clock is set. */
  now(): number {
    const now = Math.floor((this.least + this.most) / 2 + this.measured());
    if (now < this.last && this.last - now <= AHEAD) return this.last;
    this.last = now;
    return now;
  }
}

/**
 * A column with the database’s time in whole milliseconds since the epoch, at the evaluation and not at the start of
 * the transaction.
 */
export const DATABASE_TIME = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** How much faster or slower the database’s clock may go than this process’s, as a share: what is known ages by it. */
const DRIFT = 0.0005;
/** By how much the estimate may fall behind the last returned time, which is then returned again, in milliseconds. */
const AHEAD = 1000;

/**
 * The database’s clock, which all nodes that share the database follow: their own clocks may differ, and be set while
 * they run. On the monotonic clock of this process, each time that the database reports lies between the query and its
 * answer. The intersection of several such intervals bounds the difference of the two clocks. The clock needs no
 * queries of its own: other queries of a node return the time too.
 */
export class DatabaseClock {
  /** The database’s time when this process’s clock began, at the least and at the most, as it was known at `at`. */
  private least = Number.NEGATIVE_INFINITY;
  private most = Number.POSITIVE_INFINITY;
  private at = 0;
  private last = Number.NEGATIVE_INFINITY;
  private readonly measured: () => number;

  /** `measured` gives milliseconds by a clock that nobody sets. */
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
    // Where nothing is in common, the database’s clock has been set, or the database is another.
    this.least = known ? Math.max(least, this.least - aged) : least;
    this.most = known ? Math.min(most, this.most + aged) : most;
    this.at = now;
  }

  /** The time by the database’s clock, in milliseconds since the epoch: it does not go back unless that clock was set. */
  now(): number {
    const now = Math.floor((this.least + this.most) / 2 + this.measured());
    if (now < this.last && this.last - now <= AHEAD) return this.last;
    this.last = now;
    return now;
  }
}

/** The database’s time as a column, in whole milliseconds since the epoch: when it came to it, and not when its transaction began. */
export const DATABASE_TIME = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

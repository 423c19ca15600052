/** How much faster or slower the database’s clock may go than this process’s, as a share: what is known ages by it. */
const DRIFT = 0.0005;
/** By how much the time that was told last may be ahead of what is known since, and is told once more, in milliseconds. */
const AHEAD = 1000;

/**
 * The database’s clock, by which all nodes go that share it: theirs may differ, and be set while they run. Every time
 * that the database has told lies between when it was asked and when it answered, on this process’s own clock that only
 * measures; what several times have in common is where the two clocks stand to one another. Nothing is asked for it:
 * times come with what a node asks anyway.
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

  /** What is to be handed to `heard` with the time that is asked for now. */
  asked(): number {
    return this.measured();
  }

  /** The database has told its time, in whole milliseconds, to what was `asked`. */
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

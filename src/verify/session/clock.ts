import { setTimeout as sleep } from 'node:timers/promises';
import type { When } from '../judge/judge.ts';
import type { Setup } from '../setup/setup.ts';

/** The time for which a clock is observed to find out whether it runs, in milliseconds. */
const WATCHED_MS = 8;
/** The largest difference between two clocks of one machine, since both are read in whole milliseconds. */
const ROUNDED_MS = 1;

/** The bounds of the difference between the service’s clock and the tester’s. */
interface Ahead {
  readonly least: number;
  readonly most: number;
}

/**
 * The clock of a service. Each reading is a call of the setup, which would cost several calls for each tested request,
 * so it is read as rarely as possible. A clock that stands still, or runs like the tester’s, is computed; any other
 * clock is read each time. `drift` checks that assumption before an answer counts as wrong.
 */
export class ServiceClock {
  private readonly clock: NonNullable<Setup['clock']>;
  /** The time of a standing clock; null for a running one. */
  private stands: number | null = null;
  /** The difference to a clock that runs at the speed of the tester’s; null for other clocks. */
  private ahead: Ahead | null = null;
  /** The time that the clock showed last. */
  private latest = 0;

  private constructor(clock: NonNullable<Setup['clock']>) {
    this.clock = clock;
  }

  static async of(clock: NonNullable<Setup['clock']>): Promise<ServiceClock> {
    const made = new ServiceClock(clock);
    const { isStanding, shown, ahead } = await made.watch();
    if (isStanding) made.stands = shown;
    else if (ahead.least <= ahead.most) made.ahead = ahead;
    return made;
  }

  /** Whether the clock stands still now: the clock of a service may stop only after its first move. */
  async isStanding(): Promise<boolean> {
    return (await this.watch()).isStanding;
  }

  private async watch(): Promise<{ readonly isStanding: boolean; readonly shown: number; readonly ahead: Ahead }> {
    const first = await this.ask();
    await sleep(WATCHED_MS);
    const { shown, ahead } = await this.ask();
    const least = Math.max(first.ahead.least, ahead.least);
    return { isStanding: first.shown === shown, shown, ahead: { least, most: Math.min(first.ahead.most, ahead.most) } };
  }

  /** The latest possible time of the service. */
  async now(): Promise<number> {
    if (this.stands !== null) return this.stands;
    if (this.ahead !== null) return Date.now() + this.ahead.most;
    return (await this.ask()).shown;
  }

  async pass(milliseconds: number): Promise<void> {
    await this.clock.pass(milliseconds);
    if (this.stands !== null) this.stands += milliseconds;
    if (this.ahead !== null)
      this.ahead = { least: this.ahead.least + milliseconds, most: this.ahead.most + milliseconds };
  }

  /** Executes work, and returns the instants of the service's clock between which it was executed. */
  async during<T>(work: () => Promise<T>): Promise<{ readonly done: T; readonly when: When }> {
    if (this.stands !== null) {
      const when = { earliest: this.stands, latest: this.stands };
      return { done: await work(), when };
    }
    if (this.ahead !== null) {
      const { least, most } = this.ahead;
      const from = Date.now();
      const done = await work();
      return { done, when: { earliest: from + least, latest: Date.now() + most } };
    }
    const { shown: earliest } = await this.ask();
    const done = await work();
    return { done, when: { earliest, latest: (await this.ask()).shown } };
  }

  /**
   * If the clock does not run as assumed, returns the interval in which the last answer arrived; the clock is read each
   * time from now on. Returns null if the clock runs as assumed.
   */
  async drift(): Promise<When | null> {
    if (this.stands === null && this.ahead === null) return null;
    const [earliest, stood] = [this.latest, this.stands];
    const { shown, ahead } = await this.ask();
    const isSame =
      stood === null
        ? this.ahead !== null && ahead.least <= this.ahead.most && ahead.most >= this.ahead.least
        : stood === shown;
    if (isSame) return null;
    this.stands = null;
    this.ahead = null;
    return { earliest: Math.min(earliest, shown), latest: shown };
  }

  private async ask(): Promise<{ readonly shown: number; readonly ahead: Ahead }> {
    const from = Date.now();
    const shown = await this.clock.now();
    this.latest = shown;
    return { shown, ahead: { least: shown - Date.now() - ROUNDED_MS, most: shown - from + ROUNDED_MS } };
  }
}

/** The pause between two changes, in milliseconds, since clocks are read in whole milliseconds. */
const APART_MS = 2;

/** Keeps changes apart: the order of rows that are created within one millisecond of a running clock is not known. */
export class Apart {
  private changed = Number.NEGATIVE_INFINITY;

  /** Records that rows were changed just now. */
  note(): void {
    this.changed = performance.now();
  }

  /** Waits until the next change is later than the latest one. */
  async wait(): Promise<void> {
    const left = this.changed + APART_MS - performance.now();
    if (left > 0) await sleep(left);
  }
}

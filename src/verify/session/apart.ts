import { setTimeout as sleep } from 'node:timers/promises';

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

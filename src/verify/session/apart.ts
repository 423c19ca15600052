import { setTimeout as sleep } from 'node:timers/promises';

/** How long after a change the next one comes, in milliseconds: clocks are read in whole ones. */
const APART_MS = 2;

/** Keeps changes apart: the order of rows that are created within one millisecond of a running clock is not known. */
export class Apart {
  private changed = Number.NEGATIVE_INFINITY;

  /** Takes in that rows have just been changed. */
  note(): void {
    this.changed = performance.now();
  }

  /** Waits until the next change is later than the latest one. */
  async wait(): Promise<void> {
    const left = this.changed + APART_MS - performance.now();
    if (left > 0) await sleep(left);
  }
}

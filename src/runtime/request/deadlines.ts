import { RingLink } from '../../store/ring.ts';

/** The interval of the check for passed deadlines, in milliseconds. */
const LOOK_MS = 25;

/** A callback for an instant of the monotonic clock. */
class Deadline extends RingLink {
  readonly at: number;
  readonly act: () => void;

  constructor(at: number, act: () => void) {
    super();
    this.at = at;
    this.act = act;
  }
}

/**
 * The time-outs of waiting requests, with one timer for all, since most are answered long before. They form a ring:
 * a set cost a third of all transitions.
 */
export class Deadlines {
  private readonly ring = new Deadline(Number.POSITIVE_INFINITY, () => {});
  private timer: NodeJS.Timeout | null = null;
  private lookedAt = 0;

  /** Calls `act` after `milliseconds`, unless the deadline is removed before. */
  add(milliseconds: number, act: () => void): Deadline {
    const now = performance.now();
    const { ring } = this;
    const deadline = new Deadline(now + milliseconds, act);
    deadline.joinBefore(ring);
    if (this.timer === null) {
      this.lookedAt = now;
      this.timer = setInterval(() => this.look(), LOOK_MS);
    }
    return deadline;
  }

  private look(): void {
    const { ring } = this;
    if (ring.after === ring) {
      clearInterval(this.timer!);
      this.timer = null;
      return;
    }
    const now = performance.now();
    const stalled = now - this.lookedAt > 10 * LOOK_MS;
    this.lookedAt = now;
    // After a pause of the process, input that arrived meanwhile is read first: it may hold the answer.
    if (stalled) return;
    for (let one = ring.after, next = one.after; one !== ring; one = next, next = one.after)
      if (one.at < now) {
        one.remove();
        one.act();
      }
  }
}

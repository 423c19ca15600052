/** How often it is looked whose time has passed, in milliseconds. */
const LOOK_MS = 25;

/** Something that is done once an instant of the monotonic clock has passed: a link of a ring. */
class Deadline {
  readonly at: number;
  readonly act: () => void;
  before: Deadline = this;
  after: Deadline = this;

  constructor(at: number, act: () => void) {
    this.at = at;
    this.act = act;
  }

  /** Takes it out of its ring. It refers to no other then, so that none outlives its request for it. */
  remove(): void {
    this.before.after = this.after;
    this.after.before = this.before;
    this.before = this;
    this.after = this;
  }
}

/**
 * The time-outs of requests that wait for something: one timer for all, since nearly all are answered long before. A
 * linked ring holds them: the table of a set keeps what is removed from it alive until the next full collection of
 * garbage, which cost a third of all transitions.
 */
export class Deadlines {
  private readonly ring = new Deadline(Number.POSITIVE_INFINITY, () => {});
  private timer: NodeJS.Timeout | null = null;
  private lookedAt = 0;

  /** `act` is called once so many milliseconds have passed, unless the deadline is taken away before. */
  add(milliseconds: number, act: () => void): Deadline {
    const now = performance.now();
    const { ring } = this;
    const deadline = new Deadline(now + milliseconds, act);
    deadline.before = ring.before;
    deadline.after = ring;
    ring.before.after = deadline;
    ring.before = deadline;
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
    // Bytes that came while this process did not run are read first: the answer may be there.
    if (stalled) return;
    for (let one = ring.after, next = one.after; one !== ring; one = next, next = one.after)
      if (one.at <= now) {
        one.remove();
        one.act();
      }
  }
}

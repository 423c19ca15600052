/** How often it is looked whose time has passed, in milliseconds. */
const LOOK_MS = 25;

/** Something that is done once an instant of the monotonic clock has passed. */
interface Deadline {
  readonly at: number;
  readonly act: () => void;
}

/** The time-outs of requests that wait for something: one timer for all, since nearly all are answered long before. */
export class Deadlines {
  private readonly all = new Set<Deadline>();
  private timer: NodeJS.Timeout | null = null;
  private lookedAt = 0;

  /** `act` is called once so many milliseconds have passed, unless the deadline is taken away before. */
  add(milliseconds: number, act: () => void): Deadline {
    const now = performance.now();
    const deadline = { at: now + milliseconds, act };
    this.all.add(deadline);
    if (this.timer === null) {
      this.lookedAt = now;
      this.timer = setInterval(() => this.look(), LOOK_MS);
    }
    return deadline;
  }

  remove(deadline: Deadline): void {
    this.all.delete(deadline);
  }

  private look(): void {
    if (this.all.size === 0) {
      clearInterval(this.timer!);
      this.timer = null;
      return;
    }
    const now = performance.now();
    const stalled = now - this.lookedAt > 10 * LOOK_MS;
    this.lookedAt = now;
    // Bytes that came while this process did not run are read first: the answer may be there.
    if (stalled) return;
    for (const deadline of this.all)
      if (deadline.at <= now) {
        this.all.delete(deadline);
        deadline.act();
      }
  }
}

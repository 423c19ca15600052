/** A caller that waits for its turn; a link of a ring. */
class Waiter<T> {
  readonly resolve: (given: T) => void;
  readonly reject: (error: unknown) => void;
  readonly since = performance.now();
  before: Waiter<T> = this;
  after: Waiter<T> = this;

  constructor(resolve: (given: T) => void, reject: (error: unknown) => void) {
    this.resolve = resolve;
    this.reject = reject;
  }
}

/**
 * Callers that wait, the oldest first. They form a linked ring: a set keeps removed members in memory until the next full
 * garbage collection, and with each of them its request.
 */
export class Line<T> {
  private readonly ring = new Waiter<T>(
    () => {},
    () => {},
  );
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** The caller that has waited longest. */
  get oldest(): Waiter<T> | null {
    return this.ring.after === this.ring ? null : this.ring.after;
  }

  join(resolve: (given: T) => void, reject: (error: unknown) => void): Waiter<T> {
    const { ring } = this;
    const waiter = new Waiter(resolve, reject);
    waiter.before = ring.before;
    waiter.after = ring;
    ring.before.after = waiter;
    ring.before = waiter;
    this.count += 1;
    return waiter;
  }

  /** Takes a caller out of the line, which then keeps no other in memory; false where it has left before. */
  leave(waiter: Waiter<T>): boolean {
    if (waiter.after === waiter) return false;
    waiter.before.after = waiter.after;
    waiter.after.before = waiter.before;
    waiter.before = waiter;
    waiter.after = waiter;
    this.count -= 1;
    return true;
  }

  /** Takes out the caller that has waited longest; null if there is none. */
  shift(): Waiter<T> | null {
    const { oldest } = this;
    if (oldest) this.leave(oldest);
    return oldest;
  }

  /** Rejects all callers that have waited since an instant before this one, on the monotonic clock. */
  rejectThoseBefore(instant: number, error: unknown): void {
    for (let { oldest } = this; oldest !== null && oldest.since < instant; { oldest } = this) {
      this.leave(oldest);
      oldest.reject(error);
    }
  }
}

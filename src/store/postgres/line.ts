import { RingLink } from '../ring.ts';

/** A caller that waits for its turn. */
class Waiter<T> extends RingLink {
  readonly resolve: (given: T) => void;
  readonly reject: (error: unknown) => void;
  readonly since = performance.now();

  constructor(resolve: (given: T) => void, reject: (error: unknown) => void) {
    super();
    this.resolve = resolve;
    this.reject = reject;
  }
}

/** Callers that wait, the oldest first: a ring. */
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
    const waiter = new Waiter(resolve, reject);
    waiter.joinBefore(this.ring);
    this.count += 1;
    return waiter;
  }

  /** Takes a caller out of the line; false where it has left before. */
  leave(waiter: Waiter<T>): boolean {
    if (!waiter.remove()) return false;
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

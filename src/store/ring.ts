/**
 * A link of a ring: what waits, and leaves in any order. A set would keep removed members in memory until the next full
 * garbage collection, and with each of them its request. A link alone is linked with itself.
 */
export class RingLink {
  before: this = this;
  after: this = this;

  /** Puts this link, which is alone, before another one: before the first link of a ring is its end. */
  joinBefore(other: this): void {
    this.before = other.before;
    this.after = other;
    other.before.after = this;
    other.before = this;
  }

  /** Removes this link from its ring, so that it keeps no other link in memory; false where it is alone. */
  remove(): boolean {
    if (this.after === this) return false;
    this.before.after = this.after;
    this.after.before = this.before;
    this.before = this;
    this.after = this;
    return true;
  }
}

/** How often it is looked, in milliseconds. */
const EVERY_MS = 50;
/** A delay that is as short says nothing. */
const LEAST_MS = 20;
/** How much sooner or later than it is due something may come, in milliseconds. */
const SLACK_MS = 500;
/** How long before an instant a delay may have begun that concerns it, in milliseconds. */
const BEFORE_MS = 500;

/** When this process was kept from what it was to do, and for how long: what it times then is off by as much. */
export class Lag {
  private readonly delays: Array<{ readonly at: number; readonly milliseconds: number }> = [];
  private last = performance.now();
  private readonly timer: NodeJS.Timeout;

  constructor() {
    this.timer = setInterval(() => this.look(), EVERY_MS);
  }

  private look(): void {
    const at = performance.now();
    const milliseconds = at - this.last - EVERY_MS;
    if (milliseconds > LEAST_MS) this.delays.push({ at, milliseconds });
    this.last = at;
  }

  /** Before when it is too soon for what takes so long from an instant on. */
  earliest(from: number, milliseconds: number): number {
    return from + milliseconds - SLACK_MS - this.between(from, from);
  }

  /** The time from which on an answer that is due at an instant is late, by the delays known so far. */
  latest(due: number, now = performance.now()): number {
    return due + SLACK_MS + this.between(due, now);
  }

  /** The largest event-loop delay from shortly before one instant to another, in milliseconds. */
  between(from: number, to: number): number {
    const concerned = this.delays.filter(({ at }) => at >= from - BEFORE_MS && at <= to + EVERY_MS);
    return Math.max(0, ...concerned.map(({ milliseconds }) => milliseconds));
  }

  close(): void {
    clearInterval(this.timer);
  }
}

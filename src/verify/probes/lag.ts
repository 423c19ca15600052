/** The interval of the measurements, in milliseconds. */
const EVERY_MS = 50;
/** The shortest delay that counts, in milliseconds. */
const LEAST_MS = 20;
/** The tolerance around the due instant of a message, in milliseconds. */
const SLACK_MS = 500;
/** The time before an instant in which a delay still affects it, in milliseconds. */
const BEFORE_MS = 500;

/**
 * The delays of this process's event loop, with their times: anything that the process timed during a delay is
 * uncertain by its length.
 */
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

  /** The time before which a message is too early that is due `milliseconds` after an instant. */
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

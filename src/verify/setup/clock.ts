import { SetupError } from './failures.ts';

/** Seconds from 2001 to 5138. As milliseconds, they would be days of 1970 to 1973, which no service shows. */
const SECONDS = { from: 1e9, to: 1e11 };
/** By how much a clock may be behind: some clocks have whole seconds only. */
const SLACK_MS = 1000;

/** Checks that a clock advances as required: otherwise, faults of the clock would look like faults of the service. */
export class ClockCheck {
  private readonly file: string;
  /**
   * The earliest time that the clock may show now, by its last time and the time that was passed; null before its first
   * time.
   */
  private least: number | null = null;

  constructor(file: string) {
    this.file = file;
  }

  /** A service that begins anew may have another time. */
  anew(): void {
    this.least = null;
  }

  /** Whether it has shown a time since the service began anew. */
  get hasSaid(): boolean {
    return this.least !== null;
  }

  passed(milliseconds: number): void {
    if (this.least !== null) this.least += milliseconds;
  }

  /** Throws SetupError where the clock can’t say so. */
  says(time: number): void {
    const of = `\`clock.now\` of ${this.file}`;
    if (time >= SECONDS.from && time < SECONDS.to)
      throw new SetupError(`${of} gave ${time}, which are seconds since the epoch: it has to give milliseconds.`);
    if (this.least !== null && time < this.least - SLACK_MS)
      throw new SetupError(
        `${of} gave a time that is ${Math.round(this.least - time)} ms too early: \`clock.now\` must not go back, and after \`clock.pass(n)\` it must be at least n milliseconds later.`,
      );
    this.least = Math.max(time, this.least ?? time);
  }
}

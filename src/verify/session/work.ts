import type { Plan } from '../../plan/step.ts';

/** The work of a run: how long a prediction and a request take at most on a slow machine, in milliseconds. */
const LOOK_MS = 0.25;
const SEND_MS = 1.8;
/** For a document with so many statements. With more of them, rows and answers are larger, though not in proportion. */
const STATEMENTS = 300;

/**
 * The work of a run. It is counted, not measured, so that decisions based on it are equal for the same seed on any
 * machine.
 */
export class Work {
  private looks = 0;
  private readonly size: number;

  constructor({ lines }: Plan) {
    this.size = Math.sqrt(Object.keys(lines).length / STATEMENTS);
  }

  /** A request was looked at: what it is to be answered with is known, by the document or by another one. */
  looked(): void {
    this.looks += 1;
  }

  /** How long all that takes on a slow machine, with so many requests that were sent, in milliseconds. */
  milliseconds(sent: number): number {
    return this.size * (LOOK_MS * this.looks + SEND_MS * sent);
  }
}

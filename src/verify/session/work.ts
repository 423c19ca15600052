import type { Plan } from '../../plan/step.ts';

/** The costs of a prediction and of a request on a slow machine, in milliseconds. */
const LOOK_MS = 0.25;
const SEND_MS = 1.8;
/**
 * The number of statements of a document to which these costs apply. With more statements, rows and answers are larger,
 * though not in proportion.
 */
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

  /** Counts one prediction, by the document or by an altered one. */
  looked(): void {
    this.looks += 1;
  }

  /** The time for all this work on a slow machine, in milliseconds. `sent`: the number of requests that were sent. */
  milliseconds(sent: number): number {
    return this.size * (LOOK_MS * this.looks + SEND_MS * sent);
  }
}

import type { Plan } from '../../plan/step.ts';

/** What takes time in a run, and how long each takes at most on a machine that is slow, in milliseconds. */
const LOOK_MS = 0.25;
const SEND_MS = 1.8;
/** For a document with so many statements. With more of them, rows and answers are larger, though not in proportion. */
const STATEMENTS = 300;

/**
 * How much a run has done. It is counted, and not measured: whatever goes by it is the same for the same seed, however
 * fast the machine is.
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

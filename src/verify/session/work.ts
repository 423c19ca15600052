/** What takes time in a run, and how long each takes at most on a machine that is slow, in milliseconds. */
const LOOK_MS = 0.3;
const OTHER_MS = 2.5;
const SEND_MS = 1.5;

/**
 * How much a run has done. It is counted, and not measured: whatever goes by it is the same for the same seed, however
 * fast the machine is.
 */
export class Work {
  private looks = 0;
  private others = 0;

  /** A request was looked at: what it is to be answered with is known. */
  looked(): void {
    this.looks += 1;
  }

  /** A request was looked at by another document. */
  lookedOtherwise(): void {
    this.others += 1;
  }

  /** How long all that takes on a slow machine, with so many requests that were sent, in milliseconds. */
  milliseconds(sent: number): number {
    return LOOK_MS * this.looks + OTHER_MS * this.others + SEND_MS * sent;
  }
}

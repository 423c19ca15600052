/**
 * The least time between two log entries about missing values of a field, in milliseconds: a list may lack thousands.
 */
const SAID_EVERY_MS = 60_000;

/** Logs derived fields that were answered as missing because they have no result. */
export class MissingValues {
  onMissing: (field: string) => void = () => {};
  private readonly said = new Map<string, number>();

  note(field: string): void {
    const now = performance.now();
    if (now - (this.said.get(field) ?? Number.NEGATIVE_INFINITY) < SAID_EVERY_MS) return;
    this.said.set(field, now);
    this.onMissing(field);
  }
}

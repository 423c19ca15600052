/** A number beyond 2^53 − 1, where JSON numbers stop being exact, or a time beyond the year 9999. */
export class Overflow extends Error {}

/** The same number, where it is exact. */
export function exact(value: number): number {
  if (!Number.isSafeInteger(value)) throw new Overflow('A number went beyond 2^53 − 1');
  // There is no −0.
  return value + 0;
}

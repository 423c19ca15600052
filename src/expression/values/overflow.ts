/** Thrown where a write needs the value of a computation that has no result. */
export class NoResult extends Error {}

/**
 * Returns the number if it is exact, and null, for no result, beyond 2^53 − 1, where JSON numbers are no longer exact.
 */
export function exact(value: number): number | null {
  // There is no −0.
  return Number.isSafeInteger(value) ? value + 0 : null;
}

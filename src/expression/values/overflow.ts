/** A computation without a result, where a write needs one. */
export class NoResult extends Error {}

/** The same number, where it is exact: beyond 2^53 − 1, where JSON numbers stop being so, there is no result. */
export function exact(value: number): number | null {
  // There is no −0.
  return Number.isSafeInteger(value) ? value + 0 : null;
}

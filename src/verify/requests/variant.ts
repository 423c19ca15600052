import type { Content } from './draft.ts';
import type { Random } from './random.ts';

/** A replacement for a value; undefined omits the member. */
export interface Variant {
  readonly value: Content | undefined;
  /**
   * Follows the name of the member in a description: `is 1001, one more than its maximum`. Random values are in “ ”.
   */
  readonly what: string;
  readonly valid: boolean;
}

export const variant = (value: Content | undefined, what: string, valid: boolean): Variant => ({ value, what, valid });
export const allowed = (value: Content, what: string): Variant => variant(value, what, true);
export const refused = (value: Content, what: string): Variant => variant(value, what, false);

export interface Varying {
  readonly random: Random;
  readonly now: number;
  /** The present value at the place. */
  readonly good: Content | undefined;
}

import type { ValueRule } from '../plan/value-forms.ts';
import { patternLength } from '../text/patterns.ts';

/**
 * The greatest number of characters that a rule allows. 0 for other values than text, and for text that only its format
 * or its list of values keeps short; Infinity for a pattern that repeats a part without limit.
 */
export function mostCharacters({ kind, max, pattern }: ValueRule): number {
  if (kind !== 'text') return 0;
  if (max !== null) return max;
  return pattern === null ? 0 : (patternLength(pattern) ?? Number.POSITIVE_INFINITY);
}

import type { ValueRule } from '../plan/value-forms.ts';
import { patternLength } from '../text/pattern-length.ts';

/**
 * The most characters of a text that a rule allows; 0 where it is no text, or its format or its list of values keeps it
 * short. A pattern that repeats a part without end allows endlessly many.
 */
export function mostCharacters({ kind, max, pattern }: ValueRule): number {
  if (kind !== 'text') return 0;
  if (max !== null) return max;
  return pattern === null ? 0 : (patternLength(pattern) ?? Number.POSITIVE_INFINITY);
}

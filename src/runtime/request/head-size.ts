import type { EndpointPlan } from '../../plan/step.ts';
import type { ValueRule } from '../../plan/value-forms.ts';
import { longest } from '../../text/lists.ts';

/** The size that every request's head may have, in bytes: Node's default. */
const ROOM = 16_384;

/** The most bytes of a character in an address: four of UTF-8, each as `%` and two digits (RFC 3986, section 2.1). */
const PER_CHARACTER = 12;

/**
 * Returns the size limit of a request's head, in bytes: room for the longest values of all parameters, in addition to
 * the default. A text parameter without a maximum adds nothing.
 */
export function headSizeOf(endpoints: readonly EndpointPlan[]): number {
  return ROOM + Math.max(0, ...endpoints.map(parametersOf));
}

function parametersOf({ before }: EndpointPlan): number {
  const read = before.find((step) => step.do === 'read parameters');
  if (!read) return 0;
  return [...read.path, ...read.query, ...read.header].reduce((sum, { rule }) => sum + longestOf(rule), 0);
}

/** Returns the most bytes of a value in a URL; numbers, times and the like are short enough to count as none. */
function longestOf({ kind, max, oneOf, items }: ValueRule): number {
  if (items) return (max ?? 0) * (longestOf(items) + PER_CHARACTER);
  const characters = oneOf ? longest(oneOf) : kind === 'text' ? (max ?? 0) : 0;
  return characters * PER_CHARACTER;
}

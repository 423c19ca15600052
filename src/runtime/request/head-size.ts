import type { EndpointPlan } from '../../plan/step.ts';
import type { ValueRule } from '../../plan/value-forms.ts';
import { longest } from '../../text/longest.ts';

/** How much room the head of any request has, in bytes: what Node gives it by default. */
const ROOM = 16_384;

/** The most bytes of a character in an address: four of UTF-8, each as `%` and two digits (RFC 3986, section 2.1). */
const PER_CHARACTER = 12;

/**
 * How long the head of a request may be, in bytes: what each parameter may hold by the document fits into it, beside what
 * any request says. A text without a bound has the room of the others alone.
 */
export function headSizeOf(endpoints: readonly EndpointPlan[]): number {
  return ROOM + Math.max(0, ...endpoints.map(parametersOf));
}

function parametersOf({ before }: EndpointPlan): number {
  const read = before.find((step) => step.do === 'read parameters');
  if (!read) return 0;
  return [...read.path, ...read.query, ...read.header].reduce((sum, { rule }) => sum + longestOf(rule), 0);
}

/** How long a value may be in an address: numbers, times and the like need none of the room that is counted. */
function longestOf({ kind, max, oneOf, items }: ValueRule): number {
  if (items) return (max ?? 0) * (longestOf(items) + PER_CHARACTER);
  const characters = oneOf ? longest(oneOf) : kind === 'text' ? (max ?? 0) : 0;
  return characters * PER_CHARACTER;
}

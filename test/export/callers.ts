import type { Contract } from '../../src/contract/contract.ts';

/**
 * Members of the contract that callers do not need: the steps and expressions of the service, the rules and fields of its
 * rows, what the operator decides, and how the service finds and checks what callers then meet as answers.
 */
const INTERNAL: ReadonlySet<string> = new Set([
  ...['lines', 'document', 'resources', 'steps', 'expression', 'everyRow', 'writes', 'schedules', 'unsettled', 'told'],
  ...['because', 'finds', 'refersTo', 'field', 'conditions', 'more', 'codes', 'faults', 'while', 'issuedBy', 'caller'],
  ...['hears', 'condition', 'instant', 'to', 'subject', 'lifetime', 'longest', 'skew', 'keys', 'preflightSeconds'],
  // Only exports that are made for one audience, and served ones, leave out the endpoints of others.
  'audience',
]);

/** What callers can meet. Expressions are there, or not. */
export const callersText = (contract: Contract): string =>
  JSON.stringify(contract, (key, value) => {
    if (key === 'otherwise' || key === 'keeps') return value !== null;
    if (key === 'webhook' && value) return { ...value, keptMilliseconds: 0 };
    return INTERNAL.has(key) ? undefined : value;
  });

import type { Lines } from '../../contract/types.ts';

/** Something in an answer or a message that the contract does not declare. */
export interface ContractFault {
  /** `status`, `header NAME`, or `body` with a JSON Pointer (RFC 6901). */
  readonly at: string;
  /** The declaration of the contract, in words. */
  readonly declared: string;
  /** The actual value. */
  readonly actual: string;
  /** The lines of the document that the contract names for it. */
  readonly lines: Lines;
}

/** A fault as a sentence, for tests. */
export const faultText = ({ at, declared, actual }: ContractFault): string =>
  `${at}: the contract declares ${declared}, and the answer has ${actual}`;

/** The longest quotation of a value in a fault, in characters. */
const EXCERPT = 300;

/** A value of JSON as text, cut where it is long. */
export function excerpt(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text;
}

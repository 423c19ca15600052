import { nearest } from '../text/suggest.ts';
import type { Refusal } from './context/refusal.ts';

/** Further properties of an operator's error. */
interface Cause {
  /** The rule of the document that refuses. */
  readonly refusal?: Refusal;
  /** True where the named thing doesn't exist. */
  readonly missing?: boolean;
}

/** Why a command of the operator was refused; the message says what to do. `wrongUse` tells mistakes from rules. */
export class OperatorError extends Error {
  readonly wrongUse: boolean;
  readonly refusal: Refusal | null;
  readonly missing: boolean;

  constructor(message: string, wrongUse = false, { refusal, missing = false }: Cause = {}) {
    super(message);
    this.wrongUse = wrongUse;
    this.refusal = refusal ?? null;
    this.missing = missing;
  }
}

/** Throws an OperatorError, with the nearest name or all names, where a name is none of those that are known. */
export function mustBeOneOf(given: string, known: readonly string[], kind: string): void {
  if (known.includes(given)) return;
  const near = nearest(given, known);
  const rest = near ? `: did you mean “${near}”?` : known.length ? `. Use one of: ${known.join(', ')}.` : '.';
  throw new OperatorError(`There is no ${kind} “${given}”${rest}`, true);
}

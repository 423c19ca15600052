import { nearest } from '../text/suggest.ts';
import type { Refusal } from './context/refusal.ts';

/** Further properties of an operator's error. */
interface Cause {
  /** The refusal by a rule of the document. */
  readonly refusal?: Refusal;
  /** True where the named thing doesn't exist. */
  readonly missing?: boolean;
  /** The message without words of the command line, where it has some. */
  readonly plain?: string;
}

/**
 * The reason why an operator's command is refused; the message says what to do. `wrongUse` is true for a mistake in the
 * command, and false for a refusal by the document or the state of the service.
 */
export class OperatorError extends Error {
  readonly wrongUse: boolean;
  readonly refusal: Refusal | null;
  readonly missing: boolean;
  /** The message for people who use no command line. */
  readonly plain: string;

  constructor(message: string, wrongUse = false, { refusal, missing = false, plain = message }: Cause = {}) {
    super(message);
    this.wrongUse = wrongUse;
    this.refusal = refusal ?? null;
    this.missing = missing;
    this.plain = plain;
  }
}

/** Throws an OperatorError where a name is unknown, with the nearest name or all names. */
export function mustBeOneOf(given: string, known: readonly string[], kind: string): void {
  if (known.includes(given)) return;
  const near = nearest(given, known);
  const rest = near ? `: did you mean “${near}”?` : known.length ? `. Use one of: ${known.join(', ')}.` : '.';
  throw new OperatorError(`There is no ${kind} “${given}”${rest}`, true);
}

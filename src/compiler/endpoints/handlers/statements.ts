import type { Located, Name } from '../../syntax/read.ts';
import type { Span } from '../../syntax/span.ts';
import type { Parameter, Step } from '../statements.ts';

/**
 * Code of the team’s own, where a document should stop. A pure one runs inside the transaction and only computes; an
 * outside one is queued as the transaction ends, may reach other services, and its result enters through steps.
 */
export interface Handler {
  readonly name: Name;
  readonly kind: Located<'pure' | 'outside'> | null;
  /** The TypeScript or JavaScript module, by its path from the document; it exports a function of the handler’s name. */
  readonly file: Located<string> | null;
  readonly takes: readonly Parameter[];
  readonly gives: readonly Parameter[];
  /** How it may refuse: an empty list means that it doesn’t. */
  readonly fails: Located<readonly Name[]> | null;
  /** How long one run may take, in milliseconds. */
  readonly within: Located<number> | null;
  /** The delays before the second and later attempts of an outside one, in milliseconds. */
  readonly delays: Located<readonly number[]> | null;
  readonly answers: HandlerSteps | null;
  readonly failing: HandlerSteps | null;
  readonly span: Span;
}

/** Steps that are taken when an outside handler has answered, or has failed for good. */
export interface HandlerSteps {
  readonly steps: readonly Step[];
  readonly span: Span;
}

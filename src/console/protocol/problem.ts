/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/**
 * The body of an error response: `error` is a sentence that says what to do. Status by `kind`: `no session` 401,
 * `forbidden` 403, `not found` 404, `wrong use` 400 (413 and 415 for bodies, 428 without `If-Match`), `refused` 409, `changed` 412, `unavailable` 503,
 * `defect` 500.
 */
export interface Problem {
  readonly kind:
    | 'no session'
    | 'forbidden'
    | 'not found'
    | 'wrong use'
    | 'refused'
    | 'changed'
    | 'unavailable'
    | 'defect';
  readonly error: string;
  /** The code and title of a refusal by the document, and the lines that state it; null for other errors. */
  readonly refusal: RefusalShown | null;
}

/** A refusal that the document states. */
export interface RefusalShown {
  /** The code; null if the rule has none. */
  readonly code: string | null;
  readonly title: string | null;
  readonly status: number | null;
  /** The rule that refused: `unique sku`, `the guard of cancel`, `rate 1`. */
  readonly because: string;
  readonly lines: readonly StatedLine[];
}

/** A line of the served document. */
export interface StatedLine {
  /** From 1. */
  readonly line: number;
  /** The text of the line, without its ending. */
  readonly text: string;
}

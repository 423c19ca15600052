import type { StatedLine } from './problem.ts';

// ——— GET /requests ———

/**
 * The last thousand requests since the process started, newest first. Query: `offset`, `limit` as for rows; `endpoint`
 * (a part of its name, or `none`), `status` (its first digits), `code`, `caller` (a part of it), `id`.
 */
export interface RequestsAnswer {
  readonly total: number;
  readonly offset: number;
  readonly requests: readonly RequestShown[];
}

/** An answered request; no value that it sent or received. */
export interface RequestShown {
  readonly id: string;
  readonly at: string;
  readonly method: string;
  /** The name of its endpoint; null where it came to none. */
  readonly endpoint: string | null;
  readonly status: number;
  readonly code: string | null;
  readonly caller: { readonly resource: string; readonly id: string } | null;
  readonly milliseconds: number;
  readonly bytes: number;
  /** Why it was refused; null for a success. */
  readonly because: string | null;
  /** The lines of the document that state the refusal. */
  readonly lines: readonly StatedLine[];
}

import type { Name, Said } from '../../source/read.ts';
import type { Span } from '../../source/span.ts';

export interface Scope {
  readonly name: Name;
  readonly span: Span;
}

/** API keys: who issues them, where they are sent, and whose row they stand for. */
export interface Scheme {
  readonly name: string;
  readonly kind: Said<'API key'> | null;
  /** The header and the authentication scheme in it, such as `Authorization` and `Bearer`. */
  readonly header: Said<{ readonly name: string; readonly scheme: string }> | null;
  /** The resource that each key stands for. */
  readonly credentials: Said<Name> | null;
  readonly caller: Name | null;
  /** Null where the document doesn't say; `none` is an empty list. */
  readonly scopes: readonly Scope[] | null;
  readonly origins: Said<'none'> | null;
  readonly span: Span;
}

export interface Authentication {
  readonly none: boolean;
  /** What becomes of credentials that are not accepted, at endpoints that need none. */
  readonly unaccepted: Said<'refused'> | null;
  readonly schemes: readonly Scheme[];
}

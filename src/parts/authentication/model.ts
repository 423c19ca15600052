import type { Name, Said } from '../../source/read.ts';
import type { Span } from '../../source/span.ts';

export interface Scope {
  readonly name: Name;
  readonly span: Span;
}

/** What pages of other origins may do in a browser: the Fetch Standard's CORS protocol. */
export interface Origins {
  readonly from: 'any' | readonly string[];
  /** Whether browsers may send credentials of their own accord, such as cookies. */
  readonly credentials: boolean;
  /** How long a browser goes by the answer to a preflight. */
  readonly keptMilliseconds: number;
  /** The headers of answers that scripts may read, beside those that Fetch shows them anyway. */
  readonly shown: readonly Name[];
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
  readonly origins: Said<Origins | 'none'> | null;
  readonly span: Span;
}

export interface Authentication {
  readonly none: boolean;
  /** What becomes of credentials that are not accepted, at endpoints that need none. */
  readonly unaccepted: Said<'refused'> | null;
  /** What is said of browser origins for all schemes, or where there is none. */
  readonly origins: Said<Origins | 'none'> | null;
  readonly schemes: readonly Scheme[];
}

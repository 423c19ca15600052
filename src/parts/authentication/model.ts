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

/** Where a credential stands: `Authorization: Bearer {key}`, or in a header of its own, `X-API-Key: {key}`. */
export interface SchemeHeader {
  readonly name: string;
  /** The authentication scheme before the credential, such as `Bearer`; null in a header of its own. */
  readonly scheme: string | null;
}

/** Who issues credentials, and the resource whose rows they are for. */
export interface Credentials {
  readonly by: readonly ('operator' | 'steps' | 'issuer')[];
  readonly resource: Name;
}

/** One way in which callers prove who they are. */
export interface Scheme {
  readonly name: string;
  readonly kind: Said<'API key'> | null;
  readonly header: Said<SchemeHeader> | null;
  readonly credentials: Said<Credentials> | null;
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

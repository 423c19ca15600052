import type { Algorithm } from '../../plan/algorithms.ts';
import type { Located, Name } from '../../syntax/names.ts';
import type { Span } from '../../syntax/span.ts';

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
  /** What stands for the credential: `key` of API keys, `token` of all else. */
  readonly holds: 'key' | 'token';
  /** The authentication scheme before the credential, such as `Bearer`; null in a header of its own. */
  readonly scheme: string | null;
}

/** Who issues credentials, and the resource whose rows they are for. */
export interface Credentials {
  readonly by: readonly ('operator' | 'steps' | 'issuer')[];
  /** True of what can be revoked, since a hash of it is kept. */
  readonly kept: boolean;
  readonly resource: Name;
}

/** What a scheme says of its JSON Web Tokens (RFC 7519). Null where the document doesn't say. */
export interface Tokens {
  readonly algorithm: Located<Algorithm> | null;
  /** The caller is the row whose field holds what the claim says. */
  readonly subject: Located<{ readonly field: Name; readonly claim: string }> | null;
  /** Where the keys are: with the operator, or published by the issuer as a JWK Set. */
  readonly keys: Located<'operator' | { readonly url: string; readonly keptMilliseconds: number }> | null;
  readonly issuer: Located<string> | null;
  readonly audience: Located<string> | null;
  /** How long a token is good: exactly, where steps issue it; otherwise at most, or as long as it says itself. */
  readonly lifetime: Located<{ readonly milliseconds: number; readonly most: boolean } | 'as the token says'> | null;
  /** How far the issuer's clock may be from this one, in milliseconds. */
  readonly skew: Located<number> | null;
  /** The claim that lists scopes, and whether as text or as a list. */
  readonly scopesIn: Located<{ readonly claim: string; readonly form: 'spaces' | 'list' }> | null;
}

/** One way in which callers prove who they are. */
export interface Scheme {
  readonly name: string;
  readonly kind: Located<'API key' | 'JWT' | 'OAuth 2 bearer'> | null;
  readonly header: Located<SchemeHeader> | null;
  readonly credentials: Located<Credentials> | null;
  readonly caller: Name | null;
  readonly tokens: Tokens;
  /** Null where the document doesn't say; `none` is an empty list. */
  readonly scopes: readonly Scope[] | null;
  readonly origins: Located<Origins | 'none'> | null;
  readonly span: Span;
}

export interface Authentication {
  readonly none: boolean;
  /** What becomes of credentials that are not accepted, at endpoints that need none. */
  readonly unaccepted: Located<'refused'> | null;
  /** What is said of browser origins for all schemes, or where there is none. */
  readonly origins: Located<Origins | 'none'> | null;
  readonly schemes: readonly Scheme[];
}

import type { Algorithm } from './algorithms.ts';

export interface SchemePlan {
  readonly name: string;
  readonly kind: 'API key' | 'JWT' | 'OAuth 2 bearer';
  readonly issuedBy: readonly ('operator' | 'steps' | 'issuer')[];
  readonly header: string;
  /** The word before the credential; null where it stands alone in a header of its own. */
  readonly scheme: string | null;
  /** What its keys are stored under, so that one of another scheme isn't taken for one of its own. */
  readonly mark: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  /** Null where its credentials are API keys. */
  readonly tokens: TokensPlan | null;
}

/** What a JSON Web Token of a scheme has to be. Lengths of time are in milliseconds. */
export interface TokensPlan {
  readonly algorithm: Algorithm;
  readonly keys: 'operator' | { readonly url: string; readonly kept: number };
  readonly issuer: string;
  readonly audience: string;
  /** How long those that steps issue are good; null where others issue them. */
  readonly lifetime: number | null;
  /** How long one from elsewhere may be good at most; null: as long as it says. */
  readonly longest: number | null;
  readonly skew: number;
  /** The caller is the row whose field holds what the claim says. */
  readonly field: string;
  readonly claim: string;
  readonly scopes: { readonly claim: string; readonly form: 'spaces' | 'list' } | null;
  /** What its header has to call it; null: anything. */
  readonly type: 'JWT' | 'at+jwt' | null;
  readonly oauth: boolean;
}

/** What pages of other origins may do (CORS). */
export interface BrowsersPlan {
  readonly origins: 'any' | readonly string[];
  readonly credentials: boolean;
  /** Seconds for which a browser goes by the answer to a preflight. */
  readonly kept: number;
  /** The headers of answers that scripts may read. */
  readonly shown: readonly string[];
}

/** How passwords are hashed: scrypt, with what RFC 7914 calls N, r and p. */
export interface HashingPlan {
  readonly cost: number;
  readonly blocks: number;
  readonly lanes: number;
}

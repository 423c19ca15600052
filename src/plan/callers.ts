import type { Expr } from '../expression/tree/expression.ts';
import type { ValueRule } from './value-forms.ts';

/** The signature algorithms of tokens (RFC 7518, section 3.1; RFC 8037). */
export const ALGORITHMS = ['HS256', 'HS384', 'HS512', 'RS256', 'PS256', 'ES256', 'EdDSA'] as const;

export type Algorithm = (typeof ALGORITHMS)[number];

export interface SchemePlan {
  readonly name: string;
  /** The stated condition of a row while it calls (`while`); null where there is none. */
  readonly while: Expr | null;
  readonly kind: 'API key' | 'JWT' | 'OAuth 2 bearer' | 'HTTP Basic';
  readonly issuedBy: readonly ('operator' | 'steps' | 'issuer')[];
  readonly header: string;
  /**
   * The word before the credential (RFC 9110, `auth-scheme`); null where a header of its own holds the credential
   * alone.
   */
  readonly scheme: string | null;
  /** The cookie that holds the credential; absent where a header of its own, or Authorization, holds it. */
  readonly cookie?: CookiePlan;
  /** The prefix under which API keys are stored, so that a key of one scheme is not accepted by another. */
  readonly mark: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  /** Null where the credentials are no tokens. */
  readonly tokens: TokensPlan | null;
  /** The user name and the password of rows; absent where the credentials are issued. */
  readonly basic?: BasicPlan;
}

/** The credentials of HTTP Basic (RFC 7617): the row whose field is the user name, and its password. */
export interface BasicPlan {
  readonly realm: string;
  readonly field: string;
  /** Whether the user name is compared with simple case folding, as the unique rule of the field does. */
  readonly ignoresCase: boolean;
  /** The field of the format password. */
  readonly password: string;
  /** The origins, besides the service's own, from whose pages requests by unsafe methods are accepted. */
  readonly origins: readonly string[];
}

/** The origins of the pages that may write with credentials which browsers send by themselves; null for all others. */
export const ambientOrigins = ({ cookie, basic }: Pick<SchemePlan, 'cookie' | 'basic'>): readonly string[] | null =>
  (cookie ?? basic)?.origins ?? null;

/**
 * The challenges of an answer 401, one for each scheme (RFC 9110, section 11.6.1): with the error where a token was sent
 * (RFC 6750, section 3.1), and with the realm and the charset of HTTP Basic (RFC 7617, section 2).
 */
export function challengesOf(schemes: readonly SchemePlan[], sent: boolean): string {
  const challenges = schemes.map(({ scheme, header, basic }) => {
    const word = scheme ?? header;
    if (basic) return `${word} realm="${basic.realm.replaceAll(/["\\]/g, '\\$&')}", charset="UTF-8"`;
    return sent && word.toLowerCase() === 'bearer' ? `${word} error="invalid_token"` : word;
  });
  return [...new Set(challenges)].join(', ');
}

/** A cookie with a credential: `HttpOnly`, `Secure` and for every path (RFC 6265bis, section 4.1). */
export interface CookiePlan {
  readonly name: string;
  readonly sameSite: 'Strict' | 'Lax' | 'None';
  /** Seconds for which a browser keeps the cookie; null until the browser ends its session. */
  readonly maxAge: number | null;
  /** Whether the answer that refuses the credential removes the cookie. */
  readonly removed: boolean;
  /** The origins, besides the service's own, from which requests by unsafe methods are accepted with the cookie. */
  readonly origins: readonly string[];
}

/** The value of `Set-Cookie` that gives a browser the cookie, or removes the cookie where there is no credential. */
export function setCookie({ name, sameSite, maxAge }: CookiePlan, credential: string | null): string {
  const age = credential === null ? 0 : maxAge;
  const lasts = age === null ? '' : `; Max-Age=${age}`;
  return `${name}=${credential ?? ''}; Path=/; Secure; HttpOnly; SameSite=${sameSite}${lasts}`;
}

/** The header field with a credential of a scheme, and its value. */
export function credentialField(
  {
    header,
    word,
    cookie,
  }: { readonly header: string; readonly word: string | null; readonly cookie?: { readonly name: string } },
  credential: string,
): [name: string, value: string] {
  if (cookie) return [header, `${cookie.name}=${credential}`];
  return [header, word === null ? credential : `${word} ${credential}`];
}

/** Methods that are safe (RFC 9110, section 9.2.1; RFC 10008): pages of other origins may send them with cookies. */
const SAFE: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'QUERY'];

export const isSafe = (method: string): boolean => SAFE.includes(method);

/** The scopes that an endpoint needs: one of them, or all. */
export interface NeededScopes {
  readonly scopes: readonly string[];
  readonly all: boolean;
}

/** Whether a caller that `has` certain scopes has those that are needed. */
export const hasNeeded = ({ scopes, all }: NeededScopes, has: (scope: string) => boolean): boolean =>
  all ? scopes.every(has) : scopes.some(has);

/** The needed scopes as a document states them: `orders:read or orders:admin`. */
export const neededText = ({ scopes, all }: NeededScopes): string => scopes.join(all ? ' and ' : ' or ');

/** The needed scopes in words: `the scope orders:read or orders:admin`. */
export const neededWords = (needed: NeededScopes): string =>
  `the scope${needed.all && needed.scopes.length > 1 ? 's' : ''} ${neededText(needed)}`;

/** Whether whoever has what `old` needs has what `next` needs, too. */
export const isEnough = (old: NeededScopes, next: NeededScopes): boolean =>
  old.all
    ? hasNeeded(next, (scope) => old.scopes.includes(scope))
    : old.scopes.every((one) => hasNeeded(next, (scope) => scope === one));

/**
 * The scopes to request of a token's issuer where a token lacks the needed ones (RFC 6750, section 3): all, or the
 * first that the scheme has.
 */
export function challengedScopes({ scopes, all }: NeededScopes, scheme: SchemePlan): string {
  const own = scopes.filter((scope) => scheme.scopes.includes(scope));
  return (all ? own : own.slice(0, 1)).join(' ');
}

/** The requirements for a JSON Web Token of a scheme. Durations are in milliseconds. */
export interface TokensPlan {
  readonly algorithm: Algorithm;
  readonly keys: 'operator' | { readonly url: string; readonly kept: number };
  readonly issuer: string;
  readonly audience: string;
  /** The lifetime of tokens that steps issue; null where others issue them. */
  readonly lifetime: number | null;
  /** The longest accepted lifetime of a token that others issue; null where the token alone decides. */
  readonly longest: number | null;
  readonly skew: number;
  /** The caller is the row whose field equals the value of the claim. */
  readonly field: string;
  readonly claim: string;
  readonly scopes: { readonly claim: string; readonly form: 'spaces' | 'list' } | null;
  /** The claims that expressions read. A token with another value, or without one that is not nullable, is refused. */
  readonly claims: readonly ClaimPlan[];
  /** The required value of the header parameter `typ`; null where any value is accepted. */
  readonly type: string | null;
  readonly oauth: boolean;
}

/** A claim of a token as a typed value; it is nullable where a token may leave it out. */
export interface ClaimPlan {
  readonly name: string;
  readonly rule: ValueRule;
  readonly nullable: boolean;
}

/** The permissions of pages of other origins (CORS). */
export interface BrowsersPlan {
  readonly origins: 'any' | readonly string[];
  readonly credentials: boolean;
  /** Seconds for which a browser may cache the answer to a preflight. */
  readonly kept: number;
  /** The headers of answers that scripts may read. */
  readonly shown: readonly string[];
}

/** The cost of password hashes: scrypt’s parameters N, r and p (RFC 7914). */
export interface HashingPlan {
  readonly cost: number;
  readonly blocks: number;
  readonly lanes: number;
}

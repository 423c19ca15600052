import type { Origins, SchemeBullets, ScopesIn, Subject, TokenBullets } from '../../language/authentication.ts';
import type { Located, Name } from '../../syntax/names.ts';
import type { Span } from '../../syntax/span.ts';
import type { Token } from '../../syntax/tokens.ts';
import type { Parameter } from './endpoints.ts';

export interface Scope {
  readonly name: Name;
  /** The cell `Lets the caller`: for people. */
  readonly permits: string | null;
  readonly span: Span;
}

/** The bullets of a scheme about its JSON Web Tokens (RFC 7519). Null where the document states none. */
export interface Tokens extends TokenBullets {
  /** The claim and the field that must be equal: the row with that value is the caller. */
  readonly subject: Located<Subject> | null;
  readonly scopesIn: Located<ScopesIn> | null;
}

/** One way in which callers prove who they are. */
export interface Scheme extends Omit<SchemeBullets, 'caller' | 'scopes'> {
  readonly name: string;
  readonly caller: Name | null;
  /** The condition of a row of the caller’s resource while its credentials are accepted; null where they always are. */
  readonly condition: Token | null;
  readonly tokens: Tokens;
  /** Null where the document doesn't say; `none` is an empty list. */
  readonly scopes: readonly Scope[] | null;
  /** The claims of a token that expressions read. */
  readonly claims: readonly Parameter[];
  readonly span: Span;
}

export interface Authentication {
  readonly none: boolean;
  /** Treatment of credentials that are not accepted, at endpoints that need none. */
  readonly unaccepted: Located<'refused'> | null;
  /** Browser origins for all schemes, or of a service without schemes. */
  readonly origins: Located<Origins | 'none'> | null;
  readonly schemes: readonly Scheme[];
}

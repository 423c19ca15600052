import type { Origins, SchemeBullets, ScopesIn, Subject, TokenBullets } from '../../language/authentication.ts';
import type { Located, Name } from '../../syntax/names.ts';
import type { Span } from '../../syntax/span.ts';

export interface Scope {
  readonly name: Name;
  readonly span: Span;
}

/** What a scheme says of its JSON Web Tokens (RFC 7519). Null where the document doesn't say. */
export interface Tokens extends TokenBullets {
  /** The caller is the row whose field holds what the claim says. */
  readonly subject: Located<Subject> | null;
  readonly scopesIn: Located<ScopesIn> | null;
}

/** One way in which callers prove who they are. */
export interface Scheme extends Omit<SchemeBullets, 'caller' | 'scopes'> {
  readonly name: string;
  readonly caller: Name | null;
  readonly tokens: Tokens;
  /** Null where the document doesn't say; `none` is an empty list. */
  readonly scopes: readonly Scope[] | null;
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

import { createPrivateKey, createSecretKey } from 'node:crypto';
import { exampleKey } from '../../exchanges/fixed-sources.ts';
import type { SchemePlan, TokensPlan } from '../../plan/callers.ts';
import type { Secrets } from '../../runtime/authentication/signing-keys.ts';
import type { Claims } from '../../verify/setup/setup.ts';

/** The lifetime of a token if the scheme states none, in milliseconds: longer than any run. */
const LIFETIME_MS = 10 * 365 * 86_400_000;

/** Generated keys for a service that the test itself starts. They exist as long as this object. */
export class TestKeys {
  private readonly made = new Map<string, string>();

  /** Finds the key of a scheme. */
  readonly secrets: Secrets = (scheme, algorithm) => {
    const key = this.made.get(scheme) ?? exampleKey(scheme, algorithm);
    this.made.set(scheme, key);
    return key;
  };

  /**
   * Signs a token that follows the scheme. `subject`: the value that identifies the caller. `now`: milliseconds since
   * the epoch. `id`: a text that makes the token differ from earlier ones.
   */
  async token(
    { name }: SchemePlan,
    tokens: TokensPlan,
    of: {
      readonly subject: string | number;
      readonly scopes: readonly string[];
      readonly claims: Claims;
      readonly now: number;
      readonly id: string;
    },
  ): Promise<string> {
    const { SignJWT } = await import('jose');
    const { algorithm, claim, scopes, type, oauth } = tokens;
    const text = this.secrets(name, algorithm);
    const issued = Math.floor(of.now / 1000);
    const lasts = Math.floor((tokens.longest ?? tokens.lifetime ?? LIFETIME_MS) / 1000);
    const claims = {
      ...of.claims,
      iss: tokens.issuer,
      aud: tokens.audience,
      iat: issued,
      exp: issued + lasts,
      jti: of.id,
      ...(oauth && { client_id: 'ninefold-test', sub: String(of.subject) }),
      // The subject of a token is text (RFC 7519, section 4.1.2), even if it identifies the caller by a number.
      [claim]: claim === 'sub' ? String(of.subject) : of.subject,
      ...(scopes && { [scopes.claim]: scopes.form === 'list' ? of.scopes : of.scopes.join(' ') }),
    };
    const key = algorithm.startsWith('HS') ? createSecretKey(Buffer.from(text)) : createPrivateKey(text);
    const typ = type ?? (oauth ? 'at+jwt' : 'JWT');
    return new SignJWT(claims).setProtectedHeader({ alg: algorithm, typ }).sign(key);
  }
}

/**
 * The scheme with keys of the operator in place of published keys: a test sends requests only to the service, not to an
 * issuer.
 */
export function withOwnKeys(scheme: SchemePlan): SchemePlan {
  const { tokens } = scheme;
  return tokens === null || tokens.keys === 'operator'
    ? scheme
    : { ...scheme, tokens: { ...tokens, keys: 'operator' } };
}

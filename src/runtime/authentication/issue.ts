import { constants, createHmac, type KeyObject, sign } from 'node:crypto';
import { identified } from '../../expression/javascript.ts';
import { UuidSource } from '../../expression/values/uuid.ts';
import type { Row, Value } from '../../expression/values/value.ts';
import type { CookiePlan, SchemePlan, TokensPlan } from '../../plan/callers.ts';
import { named } from '../../plan/named.ts';
import type { Plan } from '../../plan/step.ts';
import { call, type Program, type Statement, type Store } from '../../store/store.ts';
import { newKey } from './keys.ts';
import type { TokenKeys, VerifyingKey } from './signing-keys.ts';

/** Issues credentials of schemes in steps, and revokes keys. */
export class Issuers {
  private readonly plan: Plan;
  private readonly store: Store;
  private readonly ids: UuidSource;
  private readonly keys: ReadonlyMap<string, TokenKeys>;
  private readonly revocation: Statement;
  private readonly longest: number;

  /** `longest`: the longest lifetime of tokens in milliseconds, where it is shorter than the one that a scheme states. */
  constructor(
    plan: Plan,
    store: Store,
    keys: ReadonlyMap<string, TokenKeys>,
    longest: number = Number.POSITIVE_INFINITY,
  ) {
    this.longest = longest;
    this.plan = plan;
    this.store = store;
    this.ids = new UuidSource(store.random);
    this.keys = keys;
    this.revocation = store.prepare({ kind: 'system', name: 'revoke key' });
  }

  /**
   * Compiles the issue of a scheme's credentials for a row, or for its identity; the credential is returned only once.
   */
  issuer(name: string): (to: Value | Row, scopes: readonly string[], now: number) => Program<string> {
    const scheme = named(this.plan.schemes, name);
    const { identity, columns } = named(this.plan.resources, scheme.resource);
    const at = columns.findIndex((column) => column.name === identity);
    return scheme.tokens ? this.tokens(scheme, scheme.tokens) : this.apiKeys(scheme, at);
  }

  /** The cookie that carries a scheme's credentials; undefined where a header does. */
  cookieOf(name: string): CookiePlan | undefined {
    return named(this.plan.schemes, name).cookie;
  }

  private apiKeys({ resource, mark }: SchemePlan, identity: number) {
    const insert = this.store.prepare({ kind: 'insert key', resource });
    const { random } = this.store;
    return function* issue(to: Value | Row, scopes: readonly string[], now: number): Program<string> {
      const { id, hash, key } = newKey(random);
      yield* call(insert, [id, hash, identified(to, identity), JSON.stringify(scopes), now, mark]);
      return key;
    };
  }

  private tokens(scheme: SchemePlan, tokens: TokensPlan) {
    const { columns } = named(this.plan.resources, scheme.resource);
    const field = columns.findIndex((column) => column.name === tokens.field);
    const find = this.store.prepare({ kind: 'row', resource: scheme.resource });
    const { ids, longest } = this;
    const shown = { ...tokens, lifetime: Math.min(tokens.lifetime ?? 0, longest) };
    const signing = this.keys.get(scheme.name)?.signing ?? null;
    return function* issue(to: Value | Row, scopes: readonly string[], now: number): Program<string> {
      const row = Array.isArray(to) ? (to as Row) : (yield* call(find, [to as Value]))[0]!;
      return signed(shown, signing!, row[field]!, scopes, now, ids.next(now));
    };
  }

  /** Compiles the revocation of all of a row's keys. */
  revoker(name: string): (to: Value | Row, now: number) => Program<void> {
    const { resource, mark } = named(this.plan.schemes, name);
    const { identity, columns } = named(this.plan.resources, resource);
    const at = columns.findIndex((column) => column.name === identity);
    const revoke = this.store.prepare({ kind: 'revoke keys', resource });
    return function* revokeAll(to, now) {
      yield* call(revoke, [now, identified(to, at), mark]);
    };
  }

  /** Revokes one key. */
  *revoke(id: string, now: number): Program<void> {
    yield* call(this.revocation, [now, id]);
  }
}

/** A token as the scheme states it, in JWS Compact Serialization (RFC 7515, section 7.1). */
function signed(
  tokens: TokensPlan & { readonly lifetime: number },
  { id, key }: VerifyingKey,
  subject: Value,
  scopes: readonly string[],
  now: number,
  jti: string,
): string {
  const { algorithm: alg, issuer: iss, audience: aud, lifetime, claim, type } = tokens;
  const iat = Math.floor(now / 1000);
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const header = { alg, typ: type ?? 'JWT', ...(id === null ? {} : { kid: id }) };
  const listed = tokens.scopes && { [tokens.scopes.claim]: tokens.scopes.form === 'list' ? scopes : scopes.join(' ') };
  // The subject of a token is text (RFC 7519, section 4.1.2), whatever it names.
  const named = { [claim]: claim === 'sub' ? String(subject) : subject };
  const claims = { iss, aud, iat, exp: iat + lifetime / 1000, jti, ...named, ...listed };
  const input = `${part(header)}.${part(claims)}`;
  return `${input}.${signature(alg, input, key).toString('base64url')}`;
}

/** Signs as RFC 7518, section 3, and RFC 8037 say. */
function signature(algorithm: TokensPlan['algorithm'], input: string, key: KeyObject): Buffer {
  const bytes = Buffer.from(input);
  switch (algorithm) {
    case 'HS256':
    case 'HS384':
    case 'HS512':
      return createHmac(`sha${algorithm.slice(2)}`, key)
        .update(bytes)
        .digest();
    case 'RS256':
      return sign('sha256', bytes, key);
    case 'PS256':
      return sign('sha256', bytes, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 });
    case 'ES256':
      return sign('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' });
    case 'EdDSA':
      return sign(null, bytes, key);
  }
}

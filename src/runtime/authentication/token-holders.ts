import type { JWTPayload } from 'jose';
import { isBase64url } from '../../expression/values/base64.ts';
import type { Row, Value } from '../../expression/values/value.ts';
import type { SchemePlan, TokensPlan } from '../../plan/callers.ts';
import type { Plan } from '../../plan/step.ts';
import { call, type Program, type Statement, type Store } from '../../store/store.ts';
import { ownMember } from '../../text/own-members.ts';
import { ClaimReader } from '../../validation/claims.ts';
import { type Validated, validator } from '../../validation/validate.ts';
import type { AuthenticatedCaller, CallerAgain, RequestContext, Told } from '../context/request-context.ts';
import type { Acceptor, NotKnown } from './authenticate.ts';
import { PublishedKeys } from './jwks.ts';
import type { SelfVisibility } from './self-visibility.ts';
import { candidates, type TokenKeys, type VerifyingKey } from './signing-keys.ts';

/** The claims that an OAuth 2 access token must have (RFC 9068, section 2.2). */
const OAUTH_CLAIMS = ['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'];

/** The claims of a token whose signature is valid, and whether the token has expired. */
interface Verified {
  readonly claims: JWTPayload;
  readonly expired: boolean;
}

/** Finds callers by their JSON Web Tokens. Nothing in a token is believed before its signature is. */
export class TokenHolders implements Acceptor {
  private readonly plan: SchemePlan;
  private readonly tokens: TokensPlan;
  private readonly store: Store;
  private readonly find: Statement;
  private readonly sees: SelfVisibility | null;
  private readonly keys: PublishedKeys | TokenKeys | null;
  private readonly check: (claim: unknown) => Validated;
  private readonly claims: ClaimReader;
  /** The library is loaded only for documents with tokens. */
  private readonly jose = import('jose');

  /**
   * `keys`: the keys that the operator has configured; null where the issuer publishes its keys, and in operator
   * commands, which accept no tokens. `sees`: whether a row is visible to itself; null where every row is.
   */
  constructor(plan: SchemePlan, of: Plan, store: Store, keys: TokenKeys | null, sees: SelfVisibility | null) {
    this.plan = plan;
    this.tokens = plan.tokens!;
    this.store = store;
    this.sees = sees;
    const { keys: source, algorithm, field } = this.tokens;
    this.keys = source === 'operator' ? keys : new PublishedKeys(source.url, source.kept, algorithm);
    this.find = store.prepare({ kind: 'by key', resource: plan.resource, fields: [field], while: null });
    const resource = of.resources.find((one) => one.name === plan.resource)!;
    const { rule } = resource.columns.find((column) => column.name === field)!;
    const value = validator(rule, { ...of.wire, text: 'as sent' });
    this.claims = new ClaimReader(this.tokens.claims, of.wire);
    const number = rule.kind === 'integer';
    // The subject of a token is text (RFC 7519, section 4.1.2), whatever it names.
    this.check = (claim) =>
      value(number && typeof claim === 'string' && /^-?\d{1,16}$/.test(claim) ? Number(claim) : claim);
  }

  async accept(token: string, x: Pick<RequestContext, 'frame'>): Promise<AuthenticatedCaller | NotKnown> {
    const verified = await this.verified(token, x.frame.now);
    if (typeof verified === 'string') return verified;
    const { claims, expired } = verified;
    const named = this.check(ownMember(claims, this.tokens.claim));
    const scopes = this.scopesOf(claims);
    const read = this.claims.of(claims);
    if ('fault' in named || scopes === null || read === null) return 'credentials not accepted';
    const row = await this.store.read(() => this.program(named.value, { scopes, claims: read }, x.frame.now));
    if (!row) return 'credentials not accepted';
    // Only a token that is valid except for its time is reported as expired: its sender then gets a new one.
    if (expired) return 'credentials expired';
    const until = claims.exp! * 1000 + this.tokens.skew;
    const told = { scopes, claims: read };
    return { row, ...told, keyId: null, again: (now) => this.again(named.value, told, now, until) };
  }

  /**
   * Returns the claims of a token if its signature is by one of the scheme's keys and its audience is this service; the
   * token may have expired.
   */
  private async verified(token: string, now: number): Promise<Verified | NotKnown> {
    if (!isCompact(token)) return 'credentials not accepted';
    const keys = await this.keysOf(token);
    if (typeof keys === 'string') return keys;
    const { jwtVerify, errors } = await this.jose;
    for (const { key } of keys) {
      try {
        const { payload } = await jwtVerify(token, key, this.options(now));
        return this.ifSound({ claims: payload, expired: false }, now);
      } catch (error) {
        // jose checks the time last, so everything else in the token is valid.
        if (error instanceof errors.JWTExpired) return this.ifSound({ claims: error.payload, expired: true }, now);
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) return 'credentials not accepted';
      }
    }
    return 'credentials not accepted';
  }

  private async keysOf(token: string): Promise<readonly VerifyingKey[] | NotKnown> {
    const { decodeProtectedHeader } = await this.jose;
    let id: string | null;
    try {
      const { alg, kid } = decodeProtectedHeader(token);
      // A token's own algorithm is accepted only where it is the scheme's.
      if (alg !== this.tokens.algorithm) return 'credentials not accepted';
      // A name of a key is text (RFC 7515, section 4.1.4).
      if (kid !== undefined && typeof kid !== 'string') return 'credentials not accepted';
      id = kid ?? null;
    } catch {
      return 'credentials not accepted';
    }
    if (this.keys instanceof PublishedKeys) return (await this.keys.named(id)) ?? 'unavailable';
    return candidates(this.keys?.verifying ?? [], id);
  }

  private options(now: number) {
    const { algorithm, issuer, audience, skew, claim, type, oauth } = this.tokens;
    return {
      algorithms: [algorithm],
      issuer,
      audience,
      clockTolerance: skew / 1000,
      currentDate: new Date(now),
      requiredClaims: ['exp', claim, ...(oauth ? OAUTH_CLAIMS : [])],
      ...(type === null ? {} : { typ: type }),
    };
  }

  private ifSound(verified: Verified, now: number): Verified | NotKnown {
    const { claims } = verified;
    return !isWellTyped(claims) || this.livesTooLong(claims, now) ? 'credentials not accepted' : verified;
  }

  /** Whether a token is valid for longer than the document allows; it must state when it was issued. */
  private livesTooLong({ iat, exp }: JWTPayload, now: number): boolean {
    const { longest, skew } = this.tokens;
    if (longest === null) return false;
    if (typeof iat !== 'number' || typeof exp !== 'number') return true;
    return iat * 1000 > now + skew || (exp - iat) * 1000 > longest;
  }

  /** Returns the scheme's scopes that a token lists; null where the claim is no list of scopes. */
  private scopesOf(claims: JWTPayload): string[] | null {
    const { scopes } = this.tokens;
    if (!scopes) return [];
    const told = ownMember(claims, scopes.claim) ?? (scopes.form === 'list' ? [] : '');
    if (scopes.form === 'list') {
      if (!Array.isArray(told) || told.some((one) => typeof one !== 'string')) return null;
      return this.plan.scopes.filter((scope) => told.includes(scope));
    }
    if (typeof told !== 'string') return null;
    const words = told.split(' ');
    return this.plan.scopes.filter((scope) => words.includes(scope));
  }

  /** Reads the caller again unless the token has expired: a stream ends with its token. */
  private *again(value: Value, told: Told, now: number, until: number): Program<CallerAgain | null> {
    const row = now < until ? yield* this.program(value, told, now) : null;
    return row ? { row, ...told } : null;
  }

  /** Reads the row that a token names, if the row may call now. */
  private *program(value: Value, told: Told, now: number): Program<Row | undefined> {
    const [row] = yield* call(this.find, [value]);
    if (!this.sees || !row) return row;
    return (yield* this.sees.holds(row, told, now)) ? row : undefined;
  }
}

/** Whether the registered claims have the types that they may have (RFC 7519, section 4.1). */
function isWellTyped({ iss, sub, jti, aud }: Readonly<Record<string, unknown>>): boolean {
  const isText = (value: unknown): boolean => value === undefined || typeof value === 'string';
  const all = Array.isArray(aud) ? aud : [aud];
  return [iss, sub, jti, ...all].every(isText);
}

/**
 * Whether a token has three parts in canonical base64url (RFC 7515, section 7.1). If a signature had several spellings,
 * one token would have several texts, and a list of revoked tokens would hold only one of them.
 */
function isCompact(token: string): boolean {
  const parts = token.split('.');
  return parts.length === 3 && parts.every(isBase64url);
}

import { createPrivateKey, createSecretKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { exportJWK, type JWK, SignJWT } from 'jose';
import type { SchemePlan } from '../src/plan/callers.ts';
import type { Plan } from '../src/plan/step.ts';

/** Claims as a test writes them: of instants, seconds from now; null leaves a claim out. */
export type Claims = Readonly<Record<string, unknown>>;

/** A private key of the algorithm’s kind, as the operator keeps it: a secret, or PEM. */
export function newKeyText(algorithm: string): string {
  if (algorithm.startsWith('HS')) return randomBytes(64).toString('base64url');
  const options = { privateKeyEncoding: { type: 'pkcs8', format: 'pem' } } as const;
  const publicKeyEncoding = { type: 'spki', format: 'pem' } as const;
  if (algorithm === 'ES256')
    return generateKeyPairSync('ec', { namedCurve: 'P-256', ...options, publicKeyEncoding }).privateKey;
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519', { ...options, publicKeyEncoding }).privateKey;
  return generateKeyPairSync('rsa', { modulusLength: 2048, ...options, publicKeyEncoding }).privateKey;
}

/** What signs with a key that is kept as text. */
export function signingKey(text: string): KeyObject {
  return text.startsWith('-----BEGIN') ? createPrivateKey(text) : createSecretKey(Buffer.from(text));
}

/** The public half of a key, as an issuer publishes it. */
export async function publicJwk(text: string, more: JWK = {}): Promise<JWK> {
  const { kty, n, e, crv, x, y } = (await exportJWK(signingKey(text))) as Record<string, string>;
  const jwk = { kty, n, e, crv, x, y, ...more } as Record<string, unknown>;
  return JSON.parse(JSON.stringify(jwk)) as JWK;
}

/** The keys that the operator keeps for the schemes of a plan, made anew. */
export class TestKeys {
  private readonly texts = new Map<string, string>();

  constructor(plan: Plan) {
    for (const { name, tokens } of plan.schemes)
      if (tokens?.keys === 'operator') this.texts.set(name, newKeyText(tokens.algorithm));
  }

  secret(scheme: string): string {
    return this.texts.get(scheme)!;
  }

  /** A token of the scheme that is good for an hour, but for what `claims` say otherwise. */
  sign(scheme: SchemePlan, claims: Claims): Promise<string> {
    return signToken(scheme, signingKey(this.secret(scheme.name)), claims);
  }
}

/** Signs a token as the issuer of a scheme would. */
export function signToken(
  { tokens }: SchemePlan,
  key: KeyObject,
  claims: Claims,
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const { issuer, audience, algorithm, type, oauth } = tokens!;
  const now = Math.floor(Date.now() / 1000);
  const rest = oauth ? { client_id: 'app', jti: randomBytes(8).toString('hex') } : {};
  const told = Object.entries({ iss: issuer, aud: audience, iat: 0, exp: 3600, ...rest, ...claims }).flatMap(
    ([name, value]) => {
      if (value === null) return [];
      return [[name, ['iat', 'exp', 'nbf'].includes(name) && typeof value === 'number' ? now + value : value]];
    },
  );
  return new SignJWT(Object.fromEntries(told))
    .setProtectedHeader({ alg: algorithm, ...(type ? { typ: type } : {}), ...header })
    .sign(key);
}

import { createPrivateKey, createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { isBase64url } from '../../expression/values/base64.ts';
import type { Algorithm } from '../../plan/algorithms.ts';
import type { SchemePlan } from '../../plan/callers.ts';

/** A key that tells whether a token is sound, by the name that tokens may call it by. */
export interface VerifyingKey {
  readonly id: string | null;
  readonly key: KeyObject;
}

/** The keys of a scheme: the first one that can sign signs, and every one tells whether a token is sound. */
export interface TokenKeys {
  readonly verifying: readonly VerifyingKey[];
  readonly signing: VerifyingKey | null;
}

/** Finds the key that the operator keeps for a scheme, as text. Throws KeyError where there is none. */
export type Secrets = (scheme: string, algorithm: Algorithm) => string;

/** Why a key can't be used; the message never holds any of it. */
export class KeyError extends Error {}

/**
 * Reads the keys that the operator gives a scheme: for HS256 and the like, the secret as it is; otherwise PEM; and for
 * any, a JWK or a JWK Set (RFC 7517). Throws KeyError where there is none that fits the algorithm.
 */
function readKeys(text: string, algorithm: Algorithm, scheme: string): TokenKeys {
  const trimmed = text.trim();
  const plain = trimmed.startsWith('{') ? null : readPlain(trimmed, algorithm);
  const given: readonly VerifyingKey[] = plain ? [{ id: null, key: plain }] : (readJwks(trimmed) ?? []);
  const fit = given.filter(({ key }) => fits(key, algorithm));
  if (fit.length === 0)
    throw new KeyError(`The key of “${scheme}” has to be ${WANTED[algorithm]}: PEM, a JWK or a JWK Set.`);
  const signing = fit.find(({ key }) => key.type !== 'public') ?? null;
  const verifying = fit.map(({ id, key }) => ({ id, key: key.type === 'private' ? createPublicKey(key) : key }));
  return { verifying, signing };
}

/** The keys that the operator keeps for schemes of tokens, by the scheme. Throws KeyError where one can't be used. */
export function keysOf(schemes: readonly SchemePlan[], secrets: Secrets | null): Map<string, TokenKeys> {
  const out = new Map<string, TokenKeys>();
  for (const { name, tokens } of schemes) {
    if (!secrets || tokens?.keys !== 'operator') continue;
    const keys = readKeys(secrets(name, tokens.algorithm), tokens.algorithm, name);
    if (tokens.lifetime !== null && !keys.signing)
      throw new KeyError(`The key of “${name}” can only verify, and steps need a key that signs.`);
    out.set(name, keys);
  }
  return out;
}

/** The keys of a published set that fit; what doesn't is passed over, since a set may serve others too. */
export function publishedKeys(text: string, algorithm: Algorithm): VerifyingKey[] | null {
  return readJwks(text)?.filter(({ key }) => key.type === 'public' && fits(key, algorithm)) ?? null;
}

const SECRET = (bytes: number): string => `a secret of at least ${bytes} bytes`;
const WANTED: Readonly<Record<Algorithm, string>> = {
  HS256: SECRET(32),
  HS384: SECRET(48),
  HS512: SECRET(64),
  RS256: 'an RSA key of at least 2048 bits',
  PS256: 'an RSA key of at least 2048 bits',
  ES256: 'a key on the curve P-256',
  EdDSA: 'an Ed25519 key',
};

/** Whether a key is of the kind and the size that the algorithm asks for (RFC 7518, section 3). */
function fits(key: KeyObject, algorithm: Algorithm): boolean {
  const { asymmetricKeyType: kind, asymmetricKeyDetails: details } = key;
  switch (algorithm) {
    case 'HS256':
    case 'HS384':
    case 'HS512':
      return key.type === 'secret' && (key.symmetricKeySize ?? 0) >= Number(algorithm.slice(2)) / 8;
    case 'RS256':
    case 'PS256':
      return kind === 'rsa' && (details?.modulusLength ?? 0) >= 2048;
    case 'ES256':
      return kind === 'ec' && details?.namedCurve === 'prime256v1';
    case 'EdDSA':
      return kind === 'ed25519';
  }
}

function readPlain(text: string, algorithm: Algorithm): KeyObject | null {
  if (algorithm.startsWith('HS')) return text.startsWith('-----BEGIN') ? null : createSecretKey(Buffer.from(text));
  try {
    return /PUBLIC KEY-----/.test(text) ? createPublicKey(text) : createPrivateKey(text);
  } catch {
    return null;
  }
}

/** How many keys of a set are looked at. */
const MOST = 64;

function readJwks(text: string): VerifyingKey[] | null {
  try {
    const parsed = JSON.parse(text) as { keys?: unknown };
    const keys = Array.isArray(parsed.keys) ? (parsed.keys as unknown[]) : [parsed];
    return keys.slice(0, MOST).flatMap((one) => readJwk(one));
  } catch {
    return null;
  }
}

/** The members of a JWK that are bytes in base64url without padding (RFC 7518, section 6; RFC 8037, section 2). */
const BYTES = ['k', 'n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi', 'x', 'y'];

const isBytes = (value: unknown): value is string => typeof value === 'string' && isBase64url(value);

function readJwk(value: unknown): VerifyingKey[] {
  if (typeof value !== 'object' || value === null) return [];
  const jwk = value as Record<string, unknown>;
  // A key that is meant to encrypt signs nothing (RFC 7517, section 4.2).
  if (jwk.use !== undefined && jwk.use !== 'sig') return [];
  if (BYTES.some((name) => jwk[name] !== undefined && !isBytes(jwk[name]))) return [];
  const id = typeof jwk.kid === 'string' ? jwk.kid : null;
  try {
    if (jwk.kty === 'oct') return isBytes(jwk.k) ? [{ id, key: createSecretKey(Buffer.from(jwk.k, 'base64url')) }] : [];
    const read = jwk.d === undefined ? createPublicKey : createPrivateKey;
    return [{ id, key: read({ key: jwk, format: 'jwk' }) }];
  } catch {
    return [];
  }
}

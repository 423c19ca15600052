import { createPrivateKey, createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { isBase64url } from '../../expression/values/base64.ts';
import type { Algorithm, SchemePlan } from '../../plan/callers.ts';

/** A key that verifies tokens, and the key id that tokens may name it by. */
export interface VerifyingKey {
  readonly id: string | null;
  readonly key: KeyObject;
}

/** A key from the operator, with its permitted uses. */
interface GivenKey extends VerifyingKey {
  readonly signs: boolean;
  readonly verifies: boolean;
  /** The only algorithm with which the key may be used; null if the key states none. */
  readonly algorithm: string | null;
}

/** The keys of a scheme: the first one that can sign is used for signing, and all verify. */
export interface TokenKeys {
  readonly verifying: readonly VerifyingKey[];
  readonly signing: VerifyingKey | null;
}

/** Finds the key that the operator keeps for a scheme, as text. Throws KeyError where there is none. */
export type Secrets = (scheme: string, algorithm: Algorithm) => string;

/** The reason why a key can't be used. The message contains no part of the key. */
export class KeyError extends Error {}

/**
 * Reads the operator's keys for a scheme. The formats are: the plain secret (HS256 and other HMAC algorithms), PEM
 * (other algorithms), and a JWK or JWK Set (RFC 7517) for any algorithm. Throws KeyError if no key fits the algorithm.
 */
function readKeys(text: string, algorithm: Algorithm, scheme: string): TokenKeys {
  const trimmed = text.trim();
  const plain = trimmed.startsWith('{') ? null : readPlain(trimmed, algorithm);
  const given = plain ? [plainKey(plain)] : (readJwks(trimmed) ?? []);
  const fit = given.filter((one) => fits(one, algorithm));
  const verifying = fit
    .filter((one) => one.verifies)
    .map(({ id, key }) => ({ id, key: key.type === 'private' ? createPublicKey(key) : key }));
  if (verifying.length === 0)
    throw new KeyError(
      `The key of “${scheme}” has to be ${WANTED[algorithm]} that may verify: PEM, a JWK or a JWK Set.`,
    );
  return { verifying, signing: fit.find((one) => one.signs) ?? null };
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

/** Returns the suitable keys of a published set; others are skipped, since the set may serve other purposes, too. */
export function publishedKeys(text: string, algorithm: Algorithm): VerifyingKey[] | null {
  return readJwks(text)?.filter((one) => one.key.type === 'public' && one.verifies && fits(one, algorithm)) ?? null;
}

/**
 * Returns the keys that may have signed a token with a key id: those with this id, and those without any. Without a key
 * id, returns all.
 */
export function candidates(keys: readonly VerifyingKey[], id: string | null): readonly VerifyingKey[] {
  return id === null ? keys : [...keys.filter((one) => one.id === id), ...keys.filter((one) => one.id === null)];
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

/**
 * Whether a key has the kind and size that the algorithm needs (RFC 7518, section 3), and is not for another algorithm.
 */
function fits({ key, algorithm: only }: GivenKey, algorithm: Algorithm): boolean {
  if (only !== null && only !== algorithm) return false;
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

const plainKey = (key: KeyObject): GivenKey => ({
  id: null,
  key,
  signs: key.type !== 'public',
  verifies: true,
  algorithm: null,
});

function readPlain(text: string, algorithm: Algorithm): KeyObject | null {
  if (algorithm.startsWith('HS')) return text.startsWith('-----BEGIN') ? null : createSecretKey(Buffer.from(text));
  try {
    return /PUBLIC KEY-----/.test(text) ? createPublicKey(text) : createPrivateKey(text);
  } catch {
    return null;
  }
}

/** The most keys of a set that are read. */
const MOST = 64;

function readJwks(text: string): GivenKey[] | null {
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

function readJwk(value: unknown): GivenKey[] {
  if (typeof value !== 'object' || value === null) return [];
  const jwk = value as Record<string, unknown>;
  // A key whose `use` is encryption must not sign (RFC 7517, section 4.2).
  if (jwk.use !== undefined && jwk.use !== 'sig') return [];
  if (BYTES.some((name) => jwk[name] !== undefined && !isBytes(jwk[name]))) return [];
  const { kid = null, alg = null, key_ops: ops } = jwk;
  // Both are optional texts (RFC 7517, sections 4.4 and 4.5).
  if ((kid !== null && typeof kid !== 'string') || (alg !== null && typeof alg !== 'string')) return [];
  if (ops !== undefined && !isOperations(ops)) return [];
  const may = (operation: string): boolean => ops === undefined || (ops as string[]).includes(operation);
  const key = keyOf(jwk);
  if (!key) return [];
  const signs = key.type !== 'public' && may('sign');
  // `key_ops` of a private key restrict only the private key: its public half may verify signatures.
  const verifies = may('verify') || (key.type === 'private' && signs);
  return signs || verifies ? [{ id: kid, key, signs, verifies, algorithm: alg }] : [];
}

/** The operations of a key (`key_ops`, RFC 7517, section 4.3): a list of texts, none of them twice. */
const isOperations = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string') && new Set(value).size === value.length;

function keyOf(jwk: Record<string, unknown>): KeyObject | null {
  try {
    if (jwk.kty === 'oct') return isBytes(jwk.k) ? createSecretKey(Buffer.from(jwk.k, 'base64url')) : null;
    const read = jwk.d === undefined ? createPublicKey : createPrivateKey;
    return read({ key: jwk, format: 'jwk' });
  } catch {
    return null;
  }
}

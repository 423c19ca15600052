import { createHash, hash, timingSafeEqual } from 'node:crypto';
import type { RandomBytes } from '../../expression/values/random.ts';

/** A new API key. Only its hash is kept: the key itself is shown once. */
interface NewKey {
  readonly id: string;
  readonly key: string;
  readonly hash: Buffer;
}

/** Makes a key: an id that finds it, and a secret of 256 random bits that proves it. */
export function newKey(random: RandomBytes): NewKey {
  const id = random(9).toString('base64url').replace(/[-_]/g, 'x');
  const key = `nf_${id}_${random(32).toString('base64url')}`;
  return { id, key, hash: keyHash(key) };
}

/** The secret of a row: 256 random bits. Only its hash is kept. */
export function newSecret(random: RandomBytes): { readonly secret: string; readonly hash: string } {
  const secret = random(32).toString('base64url');
  return { secret, hash: keyHash(secret).toString('base64url') };
}

/** Whether a text is the secret with a hash; no text is where there is no hash. The time is the same. */
export const secretMatches = (sent: string, kept: string | null): boolean =>
  keyMatches(sent, kept === null ? NO_HASH : Buffer.from(kept, 'base64url')) && kept !== null;

const NO_HASH = Buffer.alloc(32);

/** The id inside a key; null where it doesn't have the form of one. */
export function keyId(key: string): string | null {
  return /^nf_[A-Za-z0-9]{12}_[A-Za-z0-9_-]{43}$/.test(key) ? key.slice(3, 15) : null;
}

/** SHA-256 is enough for a secret of 256 random bits: there is nothing to guess from. */
function keyHash(key: string): Buffer {
  return typeof hash === 'function' ? hash('sha256', key, 'buffer') : createHash('sha256').update(key).digest();
}

/** Compares in constant time. */
export function keyMatches(key: string, kept: Buffer): boolean {
  const given = keyHash(key);
  return given.length === kept.length && timingSafeEqual(given, kept);
}

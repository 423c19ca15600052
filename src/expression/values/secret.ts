import { base64Bytes } from './base64.ts';
import { type RandomBytes, systemRandom } from './random.ts';

const PREFIX = 'whsec_';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const LEAST_KEY_BYTES = 24;
const MOST_KEY_BYTES = 64;

/** A new symmetric signing secret as Standard Webhooks writes one: `whsec_` and the base64 of 32 random bytes. */
export function newSecret(random: RandomBytes = systemRandom): string {
  return PREFIX + random(32).toString('base64');
}

/** Whether a text is a symmetric signing secret of Standard Webhooks: `whsec_` and the base64 of 24 to 64 bytes. */
export function isWebhookSecret(text: string): boolean {
  return secretKey(text) !== null && base64Bytes(text.slice(PREFIX.length)) !== null;
}

/**
 * The bytes of a secret; null for other text. Stored secrets with unused bits, which are refused by now, remain valid.
 */
export function secretKey(secret: string): Buffer | null {
  if (!secret.startsWith(PREFIX) || secret.length > 200) return null;
  const text = secret.slice(PREFIX.length);
  const key = BASE64.test(text) ? Buffer.from(text, 'base64') : Buffer.alloc(0);
  return key.length < LEAST_KEY_BYTES || key.length > MOST_KEY_BYTES ? null : key;
}

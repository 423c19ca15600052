import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const LEAST_KEY_BYTES = 24;
const MOST_KEY_BYTES = 64;

/** A new symmetric signing secret as Standard Webhooks writes one: `whsec_` and the base64 of 32 random bytes. */
export function newSecret(): string {
  return PREFIX + randomBytes(32).toString('base64');
}

/**
 * The `webhook-signature` of one attempt: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`
 * (Standard Webhooks 1.0.0, symmetric scheme). `secret` is `whsec_` and the base64 of 24 to 64 bytes, `id` the
 * `webhook-id`, `timestampSeconds` the whole seconds since the epoch sent as `webhook-timestamp`, and `body` exactly
 * the text that is posted, taken as UTF-8.
 * Throws an Error, which never quotes the secret, if the secret, the id or the timestamp is not of that form.
 */
export function sign(secret: string, id: string, timestampSeconds: number, body: string): string {
  // A full stop in the id would let one signature stand for another split of id, timestamp and body.
  if (id === '' || id.includes('.')) throw new Error('a webhook id is a text without a full stop');
  if (!Number.isSafeInteger(timestampSeconds) || timestampSeconds < 0) {
    throw new Error('a webhook timestamp is a whole number of seconds');
  }
  const content = `${id}.${timestampSeconds}.${body}`;
  return `v1,${createHmac('sha256', keyOf(secret)).update(content, 'utf8').digest('base64')}`;
}

/** The bytes of a secret. Checked because Buffer drops what is not base64 and would sign with what is left. */
function keyOf(secret: string): Buffer {
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '';
  const key = BASE64.test(text) ? Buffer.from(text, 'base64') : Buffer.alloc(0);
  if (key.length < LEAST_KEY_BYTES || key.length > MOST_KEY_BYTES) {
    throw new Error(`a webhook secret is whsec_ and the base64 of ${LEAST_KEY_BYTES} to ${MOST_KEY_BYTES} bytes`);
  }
  return key;
}

import { createHmac } from 'node:crypto';
import { secretKey } from '../../expression/values/secret.ts';
import { deliveryHeaders, filled, type SigningPlan } from '../../plan/webhook-signing.ts';

/**
 * Returns the `webhook-signature` of one attempt: a signature by each valid secret, separated by spaces, so that a
 * receiver that knows one of the secrets can verify it (Standard Webhooks 1.0.0). Throws like `sign`.
 */
export function signatures(secrets: readonly string[], id: string, timestampSeconds: number, body: string): string {
  return secrets.map((secret) => sign(secret, id, timestampSeconds, body)).join(' ');
}

/**
 * One signature: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`
 * (Standard Webhooks 1.0.0, symmetric scheme). `secret` is `whsec_` and the base64 of 24 to 64 bytes, `id` the
 * `webhook-id`, `timestampSeconds` the whole seconds since the epoch sent as `webhook-timestamp`, and `body` exactly
 * the text that is posted, taken as UTF-8.
 * Throws an Error, which never quotes the secret, if the secret, the id or the timestamp is not of that form.
 */
export function sign(secret: string, id: string, timestampSeconds: number, body: string): string {
  // With a full stop in the id, one signature would be valid for several splits of id, timestamp and body.
  if (id === '' || id.includes('.')) throw new Error('a webhook id is a text without a full stop');
  if (!Number.isSafeInteger(timestampSeconds) || timestampSeconds < 0) {
    throw new Error('a webhook timestamp is a whole number of seconds');
  }
  const content = `${id}.${timestampSeconds}.${body}`;
  return `v1,${createHmac('sha256', keyOf(secret)).update(content, 'utf8').digest('base64')}`;
}

/**
 * The headers of a signature in a form of the document. The key of the HMAC is the text of the secret, as it is. Two
 * secrets are the new one and, until its end, the old one.
 */
export function signedHeaders(
  form: SigningPlan,
  [secret, old = secret]: readonly [secret: string, ...old: string[]],
  values: Readonly<Record<'id' | 'type' | 'seconds' | 'timestamp' | 'body', string>>,
): Record<string, string> {
  const content = filled(form.content, values);
  const by = (key: string): string =>
    createHmac('sha256', key)
      .update(content, 'utf8')
      .digest(form.encoding === 'base64' ? 'base64' : 'hex');
  const { rotation } = form;
  const one = by(rotation === 'old' ? old : secret);
  const signature =
    rotation === null || typeof rotation === 'string' || old === secret ? one : `${one}${rotation.between}${by(old)}`;
  const { body: _, ...carried } = values;
  const sent = { ...carried, signature };
  return Object.fromEntries(deliveryHeaders(form).map(({ name, value }) => [name, filled(value, sent)]));
}

function keyOf(secret: string): Buffer {
  const key = secretKey(secret);
  if (key === null) throw new Error('a webhook secret is whsec_ and the base64 of 24 to 64 bytes');
  return key;
}

import type { WebhookEvent } from './document.ts';
import { bytesOf, checkTime, headerOf, signedEvent, type WebhookHeaders } from './webhook.ts';

/**
 * Verifies the signature of a webhook (Standard Webhooks), and returns its event.
 *
 * `body` is the request body, unchanged: JSON that is parsed and serialized again may differ. While a secret is being
 * replaced, pass the old one and the new one. A webhook whose timestamp differs by more than `tolerance` seconds is
 * refused, which prevents replays; the default is 300, as in Standard Webhooks. An event may still arrive more than
 * once, with the same `webhook-id`. The `webhook-id` of a test event, which the operator of the service sends without a
 * cause, begins with `test_`.
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secrets: string | readonly string[],
  tolerance = 300,
): Promise<WebhookEvent> {
  const id = headerOf(headers, 'webhook-id');
  const seconds = headerOf(headers, 'webhook-timestamp');
  checkTime(seconds, tolerance);
  const signatures = headerOf(headers, 'webhook-signature')
    .split(' ')
    .flatMap((one) => (one.startsWith('v1,') ? (bytesOf(one.slice(3)) ?? []) : []));
  const keys = [secrets].flat().map((secret) => {
    const key = bytesOf(secret.replace(/^whsec_/, ''));
    if (!key?.length) throw new TypeError('A secret must be whsec_ followed by base64');
    return key;
  });
  return signedEvent(`${id}.${seconds}.`, body, signatures, keys);
}

import type { WebhookEvent } from './document.ts';
import { parse } from './numbers.ts';

/** An invalid webhook. The receiver answers it with status 400, and ignores its event. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/**
 * Verifies the signature of a webhook (Standard Webhooks), and returns its event.
 *
 * `body` is the request body, unchanged: JSON that is parsed and serialized again may differ. While a secret is being
 * replaced, pass the old one and the new one. A webhook whose timestamp differs by more than `tolerance` seconds is
 * refused, which prevents replays; the default is 300, as in Standard Webhooks. An event may still arrive more than
 * once, with the same `webhook-id`. A test event that the operator of the service has sent, of which nothing has
 * happened, has a `webhook-id` that begins with `test_`.
 */
export async function verifyWebhook(
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>,
  body: string | Uint8Array,
  secrets: string | readonly string[],
  tolerance = 300,
): Promise<WebhookEvent> {
  const header = (name: string): string => {
    const found =
      headers instanceof Headers
        ? [headers.get(name)]
        : Object.entries(headers).flatMap(([one, value]) => (one.toLowerCase() === name ? value : []));
    const [only] = found;
    if (typeof only !== 'string' || found.length > 1) throw new WebhookError(`It has no ${name}, or several`);
    return only;
  };
  const id = header('webhook-id');
  const timestamp = header('webhook-timestamp');
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  // A timestamp that is no number gives NaN, which is not within the tolerance.
  if (!(Math.abs(Date.now() / 1000 - seconds) <= tolerance))
    throw new WebhookError('It is too old, or from the future');
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const encoder = new TextEncoder();
  const posted = typeof body === 'string' ? encoder.encode(body) : body;
  const before = encoder.encode(`${id}.${timestamp}.`);
  const content = new Uint8Array(before.length + posted.length);
  content.set(before);
  content.set(posted, before.length);
  const signatures = header('webhook-signature').split(' ');
  for (const secret of [secrets].flat()) {
    const raw = bytesOf(secret.replace(/^whsec_/, ''));
    if (!raw?.length) throw new TypeError('A secret is whsec_ and base64');
    const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    for (const signature of signatures) {
      const bytes = signature.startsWith('v1,') ? bytesOf(signature.slice(3)) : undefined;
      // The platform compares in constant time.
      if (!bytes || !(await crypto.subtle.verify('HMAC', key, bytes, content))) continue;
      // #if exact
      return parse(text) as WebhookEvent;
      // #else
      // return JSON.parse(text);
      // #end
    }
  }
  throw new WebhookError('Its signature is not that of a known secret');
}

/** Decodes base64; undefined if the text is invalid. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

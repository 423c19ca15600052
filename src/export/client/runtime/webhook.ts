import type { WebhookEvent } from './document.ts';
import { parse } from './numbers.ts';

/** The headers of a request, as `fetch` or a server of Node.js has them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** An invalid webhook. The receiver answers it with status 400, and ignores its event. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/** The value of a header, which a webhook has exactly once. */
export function headerOf(headers: WebhookHeaders, name: string): string {
  const found =
    headers instanceof Headers
      ? [headers.get(name)]
      : Object.entries(headers).flatMap(([one, value]) => (one.toLowerCase() === name.toLowerCase() ? value : []));
  const [only] = found;
  if (typeof only !== 'string' || found.length > 1)
    throw new WebhookError(`The webhook has no header ${name}, or several`);
  return only;
}

// #if timed
/** Throws if a webhook was signed more than `tolerance` seconds ago, or in the future. */
export function checkTime(seconds: string, tolerance: number): void {
  const signed = /^\d{1,12}$/.test(seconds) ? Number(seconds) : Number.NaN;
  // A text that is not a number gives NaN, which is not within the tolerance.
  if (!(Math.abs(Date.now() / 1000 - signed) <= tolerance))
    throw new WebhookError(`The webhook was not signed within the last ${tolerance} seconds`);
}

// #end
/** Returns the event of a webhook if one of the keys signed it. `before`: the signed text before the body. */
export async function signedEvent(
  before: string,
  body: string | Uint8Array,
  signatures: ReadonlyArray<Uint8Array<ArrayBuffer>>,
  keys: ReadonlyArray<Uint8Array<ArrayBuffer>>,
): Promise<WebhookEvent> {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const encoder = new TextEncoder();
  const [first, rest] = [encoder.encode(before), typeof body === 'string' ? encoder.encode(body) : body];
  const content = new Uint8Array(first.length + rest.length);
  content.set(first);
  content.set(rest, first.length);
  for (const bytes of keys) {
    const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    for (const signature of signatures) {
      // The platform compares in constant time.
      if (!(await crypto.subtle.verify('HMAC', key, signature, content))) continue;
      // #if exact
      return parse(text) as WebhookEvent;
      // #else
      // return JSON.parse(text);
      // #end
    }
  }
  throw new WebhookError('None of the secrets matches a signature of the webhook');
}

// #if base64
/** Decodes base64; undefined if the text is invalid. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
// #else
// /** Decodes hexadecimal digits. */
// function bytesOf(digits: string): Uint8Array<ArrayBuffer> {
//   return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
// }
// #end

import { SIGNED_HEADERS, SIGNED_TEXT, type WebhookEvent } from './document.ts';
import { bytesOf, checkTime, headerOf, signedEvent, WebhookError, type WebhookHeaders } from './webhook.ts';

// #if timed
/**
 * Verifies the signature of a webhook, and returns its event.
 *
 * `body` is the request body, unchanged: JSON that is parsed and serialized again may differ. While a secret is being
 * replaced, pass the old one and the new one. A webhook that was not signed within the last `tolerance` seconds is
 * refused, which prevents replays; the default is 300. An event may still arrive more than once, with the same id. The
 * id of a test event, which the operator of the service has sent without a cause, begins with `test_`.
 */
// #else
// /**
//  * Verifies the signature of a webhook, and returns its event.
//  *
//  * `body` is the request body, unchanged: JSON that is parsed and serialized again may differ. While a secret is being
//  * replaced, pass the old one and the new one. The signature does not contain the time of sending, so a copy of an old
//  * webhook is valid, too. The id of a test event, which the operator of the service has sent without a cause, begins
//  * with `test_`.
//  */
// #end
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secrets: string | readonly string[],
  // #if timed
  tolerance = 300,
  // #end
): Promise<WebhookEvent> {
  const values: Record<string, string> = {};
  for (const [name, form] of Object.entries(SIGNED_HEADERS)) {
    const found = form.exec(headerOf(headers, name));
    if (!found)
      throw new WebhookError(`The header ${name} of the webhook does not have the form that the document states`);
    for (const [value, text] of Object.entries(found.groups ?? {})) {
      if ((values[value] ?? text) !== text) throw new WebhookError(`The headers of the webhook differ in the ${value}`);
      values[value] = text;
    }
  }
  // #if timed
  const { seconds = '' } = values;
  checkTime(seconds, tolerance);
  // #end
  const before = SIGNED_TEXT.replace(/\{(\w+)\}/g, (_name, value: string) => values[value] ?? '');
  const { signature = '' } = values;
  // #if rotated
  // #if base64
  const length = 44;
  // #else
  // const length = 64;
  // #end
  // While a secret is being replaced, the service signs with both.
  const signatures = [signature.slice(0, length), signature.slice(-length)].flatMap((one) => bytesOf(one) ?? []);
  // #else
  // const signatures = [signature].flatMap((one) => bytesOf(one) ?? []);
  // #end
  const keys = [secrets].flat().map((secret) => {
    if (secret === '') throw new TypeError('A secret is empty');
    return Uint8Array.from(new TextEncoder().encode(secret));
  });
  return signedEvent(before, body, signatures, keys);
}

import { changed } from '../../fixtures.ts';
import { PATIENT } from '../../harness.ts';

const STANDARD = '- Signature: Standard Webhooks';

/** Forms that well-known senders have, and one with everything in one header. */
export const FORMS = {
  'the body alone':
    'HMAC-SHA256 of `{body}` in hexadecimal, in `X-Hub-Signature-256: sha256={signature}`, other headers `X-Delivery: {id}`, `X-Event: {type}`; of two secrets the new one signs',
  'the time and the body':
    'HMAC-SHA256 of `{seconds}.{body}` in hexadecimal, in `X-Signature: t={seconds},v1={signature}`, other headers `X-Id: {id}`; two secrets sign, between them `,v1=`',
  'the id, the time and the body, in base64':
    'HMAC-SHA256 of `{id}/{seconds}/{body}` in base64, in `X-Signature: {id};{seconds};{signature}`, other headers `X-Id: {id}`; of two secrets the old one signs',
  'two signatures in base64':
    'HMAC-SHA256 of `v0:{seconds}:{body}` in base64, in `Signature: {signature}`, other headers `Sent-At: {seconds}`, `Id: {id}`; two secrets sign, between them `+`',
} as const;

/** The orders with a signature of webhooks in another form. */
export const documentWith = (form: string): string => changed(PATIENT, [STANDARD, `- Signature: ${form}`]);

/**
 * Canonical base64: if the last group has 1 or 2 bytes, the unused bits of its last character are 0 (RFC 4648, 3.5).
 */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/;
const BASE64URL = /^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-][AQgw]|[A-Za-z0-9_-]{2}[AEIMQUYcgkosw048])?$/;

/** The bytes of base64 (RFC 4648, section 4), as its encoder alone writes them; null for any other text. */
export function base64Bytes(text: string): Buffer | null {
  // Buffer ignores invalid characters, so that one value would have many encodings.
  return BASE64.test(text) ? Buffer.from(text, 'base64') : null;
}

/** The bytes of base64url without padding (RFC 4648, section 5), as its encoder alone writes them; null for any other text. */
export function base64urlBytes(text: string): Buffer | null {
  return isBase64url(text) ? Buffer.from(text, 'base64url') : null;
}

/** Whether a text is base64url without padding, as its encoder writes it. */
export function isBase64url(text: string): boolean {
  return BASE64URL.test(text);
}

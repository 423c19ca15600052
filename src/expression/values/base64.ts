/**
 * Canonical base64: if the last group has 1 or 2 bytes, the unused bits of its last character are 0 (RFC 4648, 3.5).
 */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/;
const BASE64URL = /^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-][AQgw]|[A-Za-z0-9_-]{2}[AEIMQUYcgkosw048])?$/;

/** Decodes base64 (RFC 4648, section 4). Returns null for any text that an encoder would not produce. */
export function base64Bytes(text: string): Buffer | null {
  // Buffer ignores invalid characters, so that one value would have many encodings.
  return BASE64.test(text) ? Buffer.from(text, 'base64') : null;
}

/**
 * Decodes base64url without padding (RFC 4648, section 5). Returns null for any text that an encoder would not produce,
 * such as one with unused bits that are not 0.
 */
export function base64urlBytes(text: string): Buffer | null {
  return isBase64url(text) ? Buffer.from(text, 'base64url') : null;
}

/** Whether a text is base64url without padding, exactly as an encoder produces it. */
export function isBase64url(text: string): boolean {
  return BASE64URL.test(text);
}

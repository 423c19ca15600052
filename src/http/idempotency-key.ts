const QUOTE = 0x22;
const COMMA = 0x2c;
const SEMICOLON = 0x3b;
const BACKSLASH = 0x5c;
const LONGEST = 255;

/**
 * Reads an `Idempotency-Key` header, which is a structured-field string (RFC 9651, 3.3.3; draft-ietf-httpapi-
 * idempotency-key-header) or the same key bare, as many clients send it: `"k"` and `k` are one key.
 *
 * A quoted key holds 0x20 to 0x7e, with `\"` and `\\` as its only escapes. A bare one holds 0x21 to 0x7e without double
 * quote, comma and semicolon (so that a repeated header, a list or parameters are never taken for a key); a backslash
 * in it is a backslash. Parameters after a quoted key are refused, since none is defined and dropping one would make
 * two keys one. Gives the key of 1 to 255 characters, or null. A bare key is given back as it is, without allocating.
 */
export function idempotencyKey(header: string): string | null {
  return header.charCodeAt(0) === QUOTE ? quotedKey(header) : bareKey(header);
}

function bareKey(header: string): string | null {
  if (header.length === 0 || header.length > LONGEST) return null;
  for (let at = 0; at < header.length; at += 1) {
    const code = header.charCodeAt(at);
    if (code < 0x21 || code > 0x7e || code === QUOTE || code === COMMA || code === SEMICOLON) return null;
  }
  return header;
}

function quotedKey(header: string): string | null {
  const close = header.length - 1;
  let escapes = 0;
  let at = 1;
  for (; at < close; at += 1) {
    let code = header.charCodeAt(at);
    if (code === QUOTE) return null;
    if (code === BACKSLASH) {
      escapes += 1;
      at += 1;
      code = header.charCodeAt(at);
      if (code !== QUOTE && code !== BACKSLASH) return null;
    }
    if (code < 0x20 || code > 0x7e) return null;
  }
  // An escape that ends on the last character has swallowed the closing quote.
  if (at !== close || header.charCodeAt(close) !== QUOTE) return null;
  const length = close - 1 - escapes;
  if (length < 1 || length > LONGEST) return null;
  const inner = header.slice(1, close);
  return escapes === 0 ? inner : inner.replace(/\\(.)/g, '$1');
}

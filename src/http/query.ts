const URI_CHARACTERS = /^[\x21-\x7e]*$/;

/**
 * Parses a query (the part after `?`) as application/x-www-form-urlencoded (WHATWG URL, 5.1): `&` separates pairs, the
 * first `=` ends the name, `+` is a space, empty pieces are skipped, and order and repetitions are kept.
 *
 * WHATWG repairs invalid input; this parser returns null for it: an escape that isn't `%` and two hexadecimal digits,
 * escapes that decode to invalid UTF-8, and characters that are not allowed in a URL (outside 0x21 to 0x7e).
 */
export function parseQuery(raw: string): Array<[string, string]> | null {
  return URI_CHARACTERS.test(raw) ? parsePairs(raw) : null;
}

/** Parses the pairs of a query or a form, as `parseQuery` does, with any characters. */
export function parsePairs(raw: string): Array<[string, string]> | null {
  const plain = !raw.includes('%') && !raw.includes('+');
  const pairs: Array<[string, string]> = [];
  let equals = -1;
  for (let start = 0, end = 0; start < raw.length; start = end + 1) {
    end = placeOf('&', raw, start);
    if (end === start) continue;
    // The search for `=` is repeated only after the last one was passed, so that many names without values take linear
    // time.
    if (equals < start) equals = placeOf('=', raw, start);
    const nameEnd = Math.min(equals, end);
    const name = raw.slice(start, nameEnd);
    const value = raw.slice(nameEnd + 1, end);
    if (plain) {
      pairs.push([name, value]);
      continue;
    }
    const decodedName = decodeForm(name);
    const decodedValue = decodeForm(value);
    if (decodedName === null || decodedValue === null) return null;
    pairs.push([decodedName, decodedValue]);
  }
  return pairs;
}

/**
 * Decodes one segment of a path (RFC 3986, 2.1 and 3.3), where `+` is a plus. A segment without `%` is returned as it
 * is. Returns null under the same conditions as `parseQuery`. The decoded text may have any character, `/` and U+0000
 * too.
 */
export function decodeSegment(raw: string): string | null {
  if (!URI_CHARACTERS.test(raw)) return null;
  return decodeEscapes(raw);
}

/** Decodes the escapes of letters, digits and `-._~`, which mean the same as these characters (RFC 3986, 6.2.2.2). */
export const withoutNeedlessEscapes = (raw: string): string =>
  raw.includes('%') ? raw.replace(NEEDLESS, decodeURIComponent) : raw;

const NEEDLESS = /%(?:4[1-9A-F]|5[0-9A]|6[1-9A-F]|7[0-9A]|3[0-9]|2D|2E|5F|7E)/gi;

/** Returns the index of a character at or after `start`; the text's length if there is none. */
function placeOf(character: string, text: string, start: number): number {
  const at = text.indexOf(character, start);
  return at === -1 ? text.length : at;
}

function decodeForm(text: string): string | null {
  return decodeEscapes(text.includes('+') ? text.replaceAll('+', ' ') : text);
}

function decodeEscapes(text: string): string | null {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

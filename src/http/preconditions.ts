const QUOTE = 0x22;
const COMMA = 0x2c;
const SPACE = 0x20;
const TAB = 0x09;

/**
 * Evaluates `If-Match` against a representation that exists (RFC 9110, 13.1.1): `*`, or a list of entity tags under
 * strong comparison, so that a weak tag on either side never matches.
 *
 * Takes the header's value and the current entity tag with its quotes. Gives true where the condition holds, false
 * where it doesn't (also for an empty list), null where the header is malformed. Allocates nothing.
 */
export function matchesEtag(header: string, etag: string): boolean | null {
  const strong = etag.charCodeAt(0) === QUOTE;
  if (header === '*' || (strong && header === etag)) return true;
  return contains(header, etag, strong, false);
}

/**
 * Evaluates `If-None-Match` against a representation that exists (RFC 9110, 13.1.2): `*`, or a list of entity tags
 * under weak comparison, so that `W/"a"` and `"a"` are the same.
 *
 * Takes the header's value and the current entity tag with its quotes. Gives true where the condition holds (no tag
 * matches), false where it doesn't, null where the header is malformed. Allocates only where the current tag is weak
 * and the header isn't just that tag.
 */
export function noneMatch(header: string, etag: string): boolean | null {
  if (header === '*' || header === etag) return false;
  const opaque = etag.charCodeAt(0) === QUOTE ? etag : etag.slice(2);
  const found = contains(header, opaque, true, true);
  return found === null ? null : !found;
}

/**
 * Reads `#entity-tag` (RFC 9110, 5.6.1 and 8.8.3) to its end, and tells whether one of the tags is `opaque`; null where
 * it isn't such a list, even if a tag before the fault matches. `comparable` is false where nothing can match.
 */
function contains(header: string, opaque: string, comparable: boolean, weakly: boolean): boolean | null {
  let found = false;
  let separated = true;
  let at = 0;
  while (at < header.length) {
    const code = header.charCodeAt(at);
    if (code === COMMA || code === SPACE || code === TAB) {
      separated ||= code === COMMA;
      at += 1;
      continue;
    }
    if (!separated) return null;
    const weak = header.startsWith('W/', at);
    const open = weak ? at + 2 : at;
    at = opaqueEnd(header, open);
    if (at === -1) return null;
    separated = false;
    if (comparable && (weakly || !weak) && at - open === opaque.length) found ||= header.startsWith(opaque, open);
  }
  return found;
}

/** Gives the place after the opaque tag that opens at `open`, or -1 where there is none. */
function opaqueEnd(header: string, open: number): number {
  if (header.charCodeAt(open) !== QUOTE) return -1;
  for (let at = open + 1; at < header.length; at += 1) {
    const code = header.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code < 0x21 || code === 0x7f || code > 0xff) return -1;
  }
  return -1;
}

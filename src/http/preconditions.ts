import { httpDate } from './date.ts';

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

/** Returns the index after the opaque tag that opens at `open`, or -1 if there is none. */
function opaqueEnd(header: string, open: number): number {
  if (header.charCodeAt(open) !== QUOTE) return -1;
  for (let at = open + 1; at < header.length; at += 1) {
    const code = header.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code < 0x21 || code === 0x7f || code > 0xff) return -1;
  }
  return -1;
}

/** The validators that preconditions are evaluated against: the entity tag, and the time of modification in HTTP form. */
export interface Validators {
  readonly tag: string | null;
  readonly modified: string | null;
}

/** Reads a header of a request by its name in lower case; undefined where it was not sent. */
type Headers = (lowerName: string) => string | undefined;

/** The preconditions of a request that is neither GET nor HEAD (RFC 9110, 13.2.2). */
const OF_WRITES = ['if-match', 'if-none-match', 'if-unmodified-since'] as const;

/** Whether a request that writes has a precondition. */
export const hasPrecondition = (headers: Headers): boolean => OF_WRITES.some((name) => headers(name) !== undefined);

/**
 * Evaluates the preconditions of a request that writes, in the order of RFC 9110, 13.2.2. `current` is null where there
 * is no representation. A header that cannot be read does not hold, but for a date, which is ignored (13.1.4).
 */
export function preconditionsHold(headers: Headers, current: Validators | null): boolean {
  const match = headers('if-match');
  if (match !== undefined) {
    if (current === null) return false;
    if (match !== '*' && (current.tag === null || matchesEtag(match, current.tag) !== true)) return false;
  } else if (isModifiedSince(headers('if-unmodified-since'), current)) return false;
  const none = headers('if-none-match');
  return none === undefined || noneHolds(none, current);
}

function isModifiedSince(since: string | undefined, current: Validators | null): boolean {
  const at = httpDate(since ?? '');
  const modified = Date.parse(current?.modified ?? '');
  return at !== null && Number.isFinite(modified) && modified > at;
}

/** Evaluates If-None-Match on a request that writes: without a representation, no tag matches. */
function noneHolds(none: string, current: Validators | null): boolean {
  if (current === null) return none === '*' || noneMatch(none, '""') !== null;
  return none !== '*' && noneMatch(none, current.tag ?? '"') === true;
}

import { sameIgnoringCase } from './headers.ts';

/** A media type or range in a header: its name in lower case, its parameters, and the index of its end. */
interface MediaRange {
  readonly name: string;
  readonly parameters: ReadonlyArray<readonly [name: string, value: string]>;
  readonly end: number;
}

const TAB = 0x09;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const SLASH = 0x2f;
const SEMICOLON = 0x3b;
const EQUALS = 0x3d;
const BACKSLASH = 0x5c;

const QVALUE = /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * Reads a `Content-Type` (RFC 9110, 8.3.1). Returns `type/subtype` in lower case without its parameters. Returns null
 * if the header isn't a media type (a wildcard, a list, a malformed parameter), or if it has a `charset` other than
 * utf-8 (8.3.2; quoted or not, in any case). `application/json` takes a fast path.
 */
export function mediaType(header: string): string | null {
  if (header === 'application/json') return header;
  const range = readRange(header, 0);
  if (range === null || range.end !== header.length) return null;
  if (range.name.startsWith('*/') || range.name.endsWith('/*')) return null;
  return range.parameters.every(isNoOtherCharset) ? range.name : null;
}

/**
 * Whether an `Accept` header (RFC 9110, 12.5.1) accepts a media type. The most specific matching range decides; among
 * equally specific ranges, the one with the greatest weight. A weight of 0 refuses the type, and so does a header that
 * does not list it.
 *
 * `header` is undefined if none was sent; `offered` is the well-formed media type of the answer. Each parameter of a
 * range must be a parameter of `offered`, except `charset=utf-8`, which always matches, since every answer is UTF-8. A
 * malformed header and an empty list are ignored, as 12.5.1 allows, so that they accept any type. Allocates nothing if
 * the header is missing, is the full wildcard, or begins with the offered type without parameters.
 */
export function accepts(header: string | undefined, offered: string): boolean {
  if (header === undefined || header === '*/*' || header === offered) return true;
  if (header.startsWith(offered) && header.charCodeAt(offered.length) === COMMA && !header.includes(';')) return true;
  const answer = readRange(offered, 0);
  if (answer === null) return true;
  let listed = false;
  let rank = -1;
  let weight = 0;
  for (let at = afterSeparators(header, 0); at < header.length; at = afterSeparators(header, at)) {
    const range = readRange(header, at);
    if (range === null) return true;
    at = range.end;
    if (at < header.length && header.charCodeAt(at) !== COMMA) return true;
    const ownWeight = weightOf(range);
    if (ownWeight === null) return true;
    const ownRank = rankOf(range, answer);
    if (ownRank > rank) weight = ownWeight;
    else if (ownRank === rank) weight = Math.max(weight, ownWeight);
    rank = Math.max(rank, ownRank);
    listed = true;
  }
  return !listed || (rank >= 0 && weight > 0);
}

/** A media range with its weight. */
export type Accepted = Pick<MediaRange, 'name' | 'parameters'> & { readonly weight: number };

/** The media ranges of a header, in their order, each with its weight; null where it is malformed. */
export function mediaRanges(header: string): Accepted[] | null {
  const out: Accepted[] = [];
  for (let at = afterSeparators(header, 0); at < header.length; at = afterSeparators(header, at)) {
    const range = readRange(header, at);
    if (range === null) return null;
    at = range.end;
    const weight = weightOf(range);
    if (weight === null || (at < header.length && header.charCodeAt(at) !== COMMA)) return null;
    out.push({ name: range.name, parameters: range.parameters, weight });
  }
  return out;
}

/**
 * Returns the weight of a range (RFC 9110, 12.4.2): 1 if the range has none; null if the weight is malformed or
 * repeated.
 */
function weightOf(range: MediaRange): number | null {
  let weight: number | null = null;
  for (const [name, value] of range.parameters) {
    if (name !== 'q') continue;
    if (weight !== null || !QVALUE.test(value)) return null;
    weight = Number(value);
  }
  return weight ?? 1;
}

/**
 * Returns how specifically a range matches the media type of the answer. The type counts before its parameters. Returns
 * -1 if the range does not match.
 */
function rankOf(range: MediaRange, answer: MediaRange): number {
  let rank: number;
  if (range.name === answer.name) rank = 2_000_000;
  else if (range.name === '*/*') rank = 0;
  else if (range.name.endsWith('/*') && answer.name.startsWith(range.name.slice(0, -1))) rank = 1_000_000;
  else return -1;
  for (const parameter of range.parameters) {
    if (parameter[0] === 'q') continue;
    const own = answer.parameters.find(([name]) => name === parameter[0]);
    const given = own === undefined ? parameter[0] === 'charset' && isNoOtherCharset(parameter) : same(own, parameter);
    if (!given) return -1;
    rank += 1;
  }
  return rank;
}

function same([name, one]: readonly [string, string], [, other]: readonly [string, string]): boolean {
  return name === 'charset' ? sameIgnoringCase(one, other) : one === other;
}

function isNoOtherCharset([name, value]: readonly [string, string]): boolean {
  return name !== 'charset' || sameIgnoringCase(value, 'utf-8');
}

/** Reads `type "/" subtype parameters` from `start`, with the white space after it; null where there is none. */
function readRange(text: string, start: number): MediaRange | null {
  const slash = afterToken(text, start);
  if (slash === start || text.charCodeAt(slash) !== SLASH) return null;
  let at = afterToken(text, slash + 1);
  if (at === slash + 1) return null;
  const name = text.slice(start, at).toLowerCase();
  const parameters: Array<[string, string]> = [];
  for (at = afterSpace(text, at); text.charCodeAt(at) === SEMICOLON; at = afterSpace(text, at)) {
    at = afterSpace(text, at + 1);
    const equals = afterToken(text, at);
    // A semicolon with nothing behind it is allowed (RFC 9110, 5.6.6).
    if (equals === at) continue;
    if (text.charCodeAt(equals) !== EQUALS) return null;
    const value = equals + 1;
    const quoted = text.charCodeAt(value) === QUOTE;
    const end = quoted ? afterQuoted(text, value) : afterToken(text, value);
    if (end === value) return null;
    parameters.push([
      text.slice(at, equals).toLowerCase(),
      quoted ? unquoted(text, value, end) : text.slice(value, end),
    ]);
    at = end;
  }
  return { name, parameters, end: at };
}

function afterSpace(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) === SPACE || text.charCodeAt(at) === TAB) at += 1;
  return at;
}

/** Skips the separators of a list: white space and any number of commas (RFC 9110, 5.6.1.2). */
function afterSeparators(text: string, start: number): number {
  let at = afterSpace(text, start);
  while (text.charCodeAt(at) === COMMA) at = afterSpace(text, at + 1);
  return at;
}

function afterToken(text: string, start: number): number {
  let at = start;
  while (at < text.length && isTokenCharacter(text.charCodeAt(at))) at += 1;
  return at;
}

/** Returns the index after a quoted string (RFC 9110, 5.6.4), or `start` if there is none. */
function afterQuoted(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    let code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) {
      at += 1;
      code = at < text.length ? text.charCodeAt(at) : 0;
    }
    if ((code < 0x20 && code !== TAB) || code === 0x7f || code > 0xff) return start;
  }
  return start;
}

function unquoted(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1);
  return inner.includes('\\') ? inner.replace(/\\(.)/g, '$1') : inner;
}

function isTokenCharacter(code: number): boolean {
  if (code >= 0x61 && code <= 0x7a) return true;
  if ((code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39)) return true;
  return code < 0x7f && "!#$%&'*+-.^_`|~".includes(String.fromCharCode(code));
}

import { isUtf8 } from 'node:buffer';
import { exactNumber } from '../expression/values/decimal.ts';

/** The result of parsing a JSON body: its value, or a short reason for people that never quotes the body. */
export type ParsedJson = { ok: true; value: unknown } | { ok: false; reason: string };

const EMPTY: ParsedJson = Object.freeze({ ok: false, reason: 'the body is empty' });
const BYTE_ORDER_MARK: ParsedJson = Object.freeze({ ok: false, reason: 'the body begins with a byte order mark' });
const NOT_UTF8: ParsedJson = Object.freeze({ ok: false, reason: 'the body is not valid UTF-8' });
const NOT_JSON: ParsedJson = Object.freeze({ ok: false, reason: 'the body is not valid JSON' });
const REPEATED: ParsedJson = Object.freeze({ ok: false, reason: 'an object in the body names a member twice' });

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const SPACE = 0x20;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const SMALL_E = 0x65;

/** The number of digits that a double always holds exactly. */
const EXACT = 15;
/**
 * The longest text between two strings that cannot contain an inexact number. The shortest inexact number, `9e308`, has
 * a separator on each side.
 */
const SHORT = 6;

const BY_PIECES = -1;

/**
 * Parses a JSON body (RFC 8259). As I-JSON requires (RFC 7493, 2.1 and 2.3), refuses bytes that are not UTF-8, a byte
 * order mark, and an object that repeats a member name, even if the two are escaped differently.
 *
 * Returns the value, or the reason why there is none. Never throws. Time and memory are linear in the length of the
 * body, at any depth. A number inside an array or object that no double represents exactly becomes a Numeral. The value
 * may still contain lone surrogates and an own member named `__proto__`, and may be nested as deeply as the body is
 * long.
 */
export function parseJson(bytes: Buffer): ParsedJson {
  if (bytes.length === 0) return EMPTY;
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return BYTE_ORDER_MARK;
  const text = bytes.toString();
  // Decoding replaces invalid UTF-8 by U+FFFD, so only a text that contains U+FFFD can have been invalid.
  if (text.includes('\ufffd') && !isUtf8(bytes)) return NOT_UTF8;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return NOT_JSON;
  }
  if (typeof value !== 'object' || value === null) return { ok: true, value };
  const written = membersWritten(bytes);
  if (written === BY_PIECES) return readPieces(text);
  return written === membersKept(value) ? { ok: true, value } : REPEATED;
}

/**
 * Counts the members in the bytes of a valid JSON text: one for each colon outside strings. Returns BY_PIECES where
 * `readPieces` is needed: a member name has an escape, or a number may have too many digits for a double.
 */
function membersWritten(bytes: Buffer): number {
  let members = 0;
  let escaped = false;
  // The index at which the last string ended.
  let after = 0;
  // Iterates over bytes instead of characters: that is three times as fast, and in UTF-8 no byte of a longer character
  // is an ASCII byte.
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === COLON) {
      if (escaped) return BY_PIECES;
      members += 1;
    } else if (byte === QUOTE) {
      if (at - after > SHORT && mayRound(bytes, after, at)) return BY_PIECES;
      escaped = false;
      for (at += 1; at < bytes.length && bytes[at] !== QUOTE; at += 1) {
        if (bytes[at] !== BACKSLASH) continue;
        escaped = true;
        at += 1;
      }
      after = at + 1;
    }
  }
  return bytes.length - after > SHORT && mayRound(bytes, after, bytes.length) ? BY_PIECES : members;
}

/** Whether a number among bytes outside strings has an exponent, or more digits than every double holds. */
function mayRound(bytes: Buffer, from: number, to: number): boolean {
  let digits = 0;
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at]!;
    if (byte >= ZERO && byte <= NINE) {
      digits += 1;
      if (digits > EXACT) return true;
    } else if (byte !== POINT) {
      // The letter e also occurs in `true` and `false`, but only numbers have it after a digit.
      if (digits > 0 && (byte | SPACE) === SMALL_E) return true;
      digits = 0;
    }
  }
  return false;
}

/** Counts the members of all objects in a parsed value. A body may nest as deep as it is long, so nothing recurs. */
function membersKept(root: object): number {
  let members = 0;
  let waiting: object[] | undefined;
  let node: object | undefined = root;
  while (node !== undefined) {
    if (Array.isArray(node)) {
      for (let at = 0; at < node.length; at += 1) {
        const child: unknown = node[at];
        if (typeof child !== 'object' || child === null) continue;
        waiting ??= [];
        waiting.push(child);
      }
    } else {
      // `for … in` makes no list of keys, which halves the cost. Values from JSON.parse have only own members.
      for (const name in node) {
        members += 1;
        const child: unknown = (node as Record<string, unknown>)[name];
        if (typeof child !== 'object' || child === null) continue;
        waiting ??= [];
        waiting.push(child);
      }
    }
    node = waiting?.pop();
  }
  return members;
}

/**
 * Reads a valid JSON text piece by piece, and keeps all digits of numbers. This avoids a defect of JSON.parse, which
 * may confuse names with escapes: it compares a name as it is written, cut to its unescaped length, with a name of an
 * earlier text, and after the name `\\` it reads `\"` and `\u00e9` as that name (nodejs/node#63785, in V8 13.6 and
 * 14.6). JSON.parse is used only for pieces without names.
 */
function readPieces(text: string): ParsedJson {
  const open: object[] = [];
  let root: unknown;
  let name: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= SPACE || code === COLON || code === COMMA) continue;
    if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      open.pop();
      continue;
    }
    const parent = open.at(-1);
    const nested = code === OPEN_OBJECT || code === OPEN_ARRAY;
    const end = nested ? at + 1 : scalarEnd(text, at);
    const value: unknown = code === OPEN_OBJECT ? {} : code === OPEN_ARRAY ? [] : scalar(text.slice(at, end));
    at = end - 1;
    if (parent === undefined) {
      root = value;
    } else if (Array.isArray(parent)) {
      parent.push(value);
    } else if (name === undefined) {
      name = value as string;
      if (Object.hasOwn(parent, name)) return REPEATED;
      continue;
    } else {
      // Uses defineProperty, since an assignment to `__proto__` would change the object's prototype.
      Object.defineProperty(parent, name, { value, writable: true, enumerable: true, configurable: true });
      name = undefined;
    }
    if (nested) open.push(value as object);
  }
  return { ok: true, value: root };
}

function scalar(source: string): unknown {
  const value: unknown = JSON.parse(source);
  return typeof value === 'number' ? exactNumber(source) : value;
}

/** Returns the index after the string, number or literal at `start` of a valid JSON text. */
export function scalarEnd(text: string, start: number): number {
  let at = start + 1;
  if (text.charCodeAt(start) === QUOTE) {
    while (text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
    return at + 1;
  }
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= SPACE || code === COMMA || code === CLOSE_OBJECT || code === CLOSE_ARRAY) break;
  }
  return at;
}

import { randomBytes } from 'node:crypto';

/** A source of unpredictable bytes; for examples, of the same bytes each time. */
export type RandomBytes = (count: number) => Buffer;

export const systemRandom: RandomBytes = (count) => randomBytes(count);

/** The most characters of a random text. */
export const LONGEST_RANDOM_TEXT = 200;

/** One item of an alphabet: a range such as `a-z`, or one visible ASCII character. */
const ITEM = /([0-9A-Za-z])-([0-9A-Za-z])|[!-~]/y;
/** The characters that a range may connect, in their order. */
const RANGES: readonly RegExp[] = [/^[0-9]{2}$/, /^[A-Z]{2}$/, /^[a-z]{2}$/];

/**
 * The characters of an alphabet: `0-9a-f` has 16. Null for a text that is no alphabet: a range that does not ascend
 * among digits or letters of one case, a character that is not visible ASCII, one that occurs twice, or fewer than two.
 */
export function alphabetOf(text: string): string | null {
  let out = '';
  for (let at = 0; at < text.length; ) {
    ITEM.lastIndex = at;
    const found = ITEM.exec(text);
    if (!found) return null;
    const [item, first, last] = found;
    at += item.length;
    if (first === undefined || last === undefined) out += item;
    else if (first < last && RANGES.some((one) => one.test(first + last))) out += between(first, last);
    else return null;
  }
  return out.length >= 2 && new Set(out).size === out.length ? out : null;
}

function between(first: string, last: string): string {
  const from = first.charCodeAt(0);
  return String.fromCharCode(...Array.from({ length: last.charCodeAt(0) - from + 1 }, (_, i) => from + i));
}

/**
 * A text of characters that are drawn from an alphabet, each with the same probability: a byte that would favour some
 * of them is not used.
 */
export function randomText(alphabet: string, length: number, random: RandomBytes = systemRandom): string {
  const most = 256 - (256 % alphabet.length);
  let out = '';
  while (out.length < length)
    for (const byte of random(length - out.length)) if (byte < most) out += alphabet.charAt(byte % alphabet.length);
  return out;
}

import { matching } from '../../contract/samples/matching.ts';
import type { TextType } from '../../contract/types.ts';
import { matches } from '../../expression/library/patterns.ts';
import { trimWhiteSpace } from '../../text/white-space.ts';
import { formatVariants } from './format-values.ts';
import { allowed, refused, type Variant, type Varying, variant } from './variant.ts';

/** The length of the longest text that is sent to see whether a longer text than allowed is refused. */
const LONGEST = 100_000;
/** A character that UTF-16 writes in two units and UTF-8 in four bytes. */
const ASTRAL = '😀';
const NONE = 'none of these';
/** A value that many lists of allowed values contain. */
const OTHER = 'other';

/**
 * Texts at the bounds of a type, one character past them, and texts with characters that implementations often handle
 * wrongly.
 */
export function textVariants(type: TextType, varying: Varying): Variant[] {
  const { oneOf, pattern, format } = type;
  const empty = variant('', 'is empty', (type.min ?? 0) === 0 && isFree(type));
  const strange = [
    refused('a\u0000b', 'holds the character U+0000'),
    refused('a\ud800b', 'holds half of a surrogate pair'),
  ];
  if (oneOf) return [...listed(oneOf), empty, ...strange];
  const fit = pattern === null ? [] : matched(pattern, varying);
  if (format !== null) return [...formatVariants(format, type, varying), ...fit, empty, ...strange];
  if (pattern !== null) return [...fit, ...matchedLengths(type, fit), empty, ...strange];
  return [empty, ...lengths(type), ...open(type), ...strange];
}

/** Whether text may hold any characters. */
export const isFree = ({ oneOf, pattern, format }: TextType): boolean =>
  oneOf === null && pattern === null && format === null;

function listed(oneOf: readonly string[]): Variant[] {
  const [first = ''] = oneOf;
  const near = [otherCase(first), `${first} `, ` ${first}`, `${first}\n`, first.slice(0, -1), `${first}${first}`];
  return [
    ...oneOf.map((one) => allowed(one, `is ${one}`)),
    refused(NONE, 'is none of the values that are allowed'),
    ...(oneOf.includes(OTHER) ? [] : [refused(OTHER, 'is one that is often allowed, and is not here')]),
    refused(oneOf.slice(0, 2).join(','), 'is two of the values that are allowed, with a comma'),
    ...[...new Set(near)]
      .filter((one) => !oneOf.includes(one))
      .map((one) => refused(one, `is ${JSON.stringify(one)}, nearly one that is allowed`)),
  ];
}

function matched(pattern: string, { random, good }: Varying): Variant[] {
  const made = matching(pattern, random.int(0, 9999));
  const fit = typeof good === 'string' ? good : (made ?? '');
  const near: ReadonlyArray<readonly [string, string]> = [
    [otherCase(fit), 'in other letters'],
    [`${fit}\n`, 'and a new line'],
    [`\n${fit}`, 'after a new line'],
    [` ${fit}`, 'after a space'],
    [`${fit} `, 'and a space'],
    [`${fit}${fit}`, 'twice'],
    [fit.slice(0, -1), 'without its last character'],
    [fit.slice(1), 'without its first character'],
    [`x${fit}`, 'after an x'],
    [`${fit}x`, 'and an x'],
    [`${fit}0`, 'and a 0'],
    [`${fit}\u0301`, 'with an accent'],
    [fit.replace(/[0-9]/, '٣'), 'with a digit of another script'],
    [fit.replace(/[A-Za-z]/, 'Ａ'), 'with a wide letter'],
    [fit.replace(/[-_.]/, ' '), 'with a space for a mark'],
    [fit.padEnd(300, fit.slice(-1)), 'with its last character again and again'],
  ];
  return [
    ...(made === null ? [] : [allowed(made, `is “${made}”, which matches its pattern`)]),
    ...atEnds(pattern, fit),
    ...near
      .filter(([text]) => text !== fit)
      .map(([text, how]) => refused(text, `is ${shown(text)}, one that matches its pattern ${how}`)),
    refused(NONE, 'does not match its pattern'),
  ];
}

/** Further than this, no length of a pattern is looked for. */
const LONGEST_MATCH = 400;

/**
 * From a text that matches a pattern, the longest and shortest texts that still match when its end is repeated or cut,
 * and one character past each.
 */
function atEnds(pattern: string, fit: string): Variant[] {
  const last = fit.slice(-1);
  const more = (count: number): string => fit + last.repeat(count);
  if (last === '' || !matches(fit, pattern)) return [];
  // Most patterns that end in “+” or “*” match the longest text, so that the hundreds of lengths before it are not
  // tried.
  let count = matches(more(LONGEST_MATCH), pattern) ? LONGEST_MATCH : 0;
  while (count < LONGEST_MATCH && matches(more(count + 1), pattern)) count += 1;
  let length = fit.length;
  while (length > 0 && matches(fit.slice(0, length - 1), pattern)) length -= 1;
  return [
    ...(count === LONGEST_MATCH
      ? []
      : [
          allowed(more(count), 'is as long as its pattern allows'),
          refused(more(count + 1), 'is one character longer than its pattern allows'),
        ]),
    ...(length === 0
      ? []
      : [
          allowed(fit.slice(0, length), 'is as short as its pattern allows'),
          refused(fit.slice(0, length - 1), 'is one character shorter than its pattern allows'),
        ]),
  ];
}

/** Texts of a pattern at the bounds of a length that is stated beside it, and a character past them. */
function matchedLengths({ min, max, pattern }: TextType, fit: readonly Variant[]): Variant[] {
  const text = fit.find(({ value, valid }) => valid && typeof value === 'string')?.value;
  if (typeof text !== 'string' || text === '') return [];
  const sizes = [max, max === null ? null : max + 1, min, min === null ? null : min - 1];
  return sizes.flatMap((size) => {
    if (size === null || size < 1 || size > LONGEST) return [];
    const made = text.slice(0, size).padEnd(size, text.slice(-1));
    const fits = size >= (min ?? 0) && size <= (max ?? size) && matches(made, pattern ?? '');
    return [variant(made, `is one that matches its pattern, made ${size} characters long`, fits)];
  });
}

function lengths({ min, max }: TextType): Variant[] {
  const out: Variant[] = [];
  const of = (char: string, count: number, what: string, valid: boolean): void => {
    if (count < 0 || count * char.length > LONGEST) return;
    const kind = char === ASTRAL ? 'characters beyond U+FFFF' : 'characters';
    out.push(variant(char.repeat(count), `has ${count} ${kind}, ${what}`, valid));
  };
  for (const char of ['x', ASTRAL]) {
    if (max !== null) of(char, max, 'its most', true);
    if (max !== null) of(char, max + 1, 'one more than its most', false);
    if (min !== null && min > 0) of(char, min, 'its least', true);
    if (min !== null && min > 1) of(char, min - 1, 'one fewer than its least', false);
  }
  if (max !== null && max <= LONGEST) {
    out.push(variant(` ${'x'.repeat(max)} `, 'has its most characters, between spaces', true));
    out.push(refused(` ${'x'.repeat(max)}y`, 'has one more character than its most, the first a space'));
  }
  if (min !== null && min > 0) out.push(refused(` ${'x'.repeat(min - 1)}`, 'reaches its least only with a space'));
  return out;
}

function open({ min, max }: TextType): Variant[] {
  const fits = (text: string): boolean => text.length >= (min ?? 0) && text.length <= (max ?? text.length);
  const texts: ReadonlyArray<readonly [string, string]> = [
    ['   ', 'is nothing but spaces'],
    [' a b ', 'stands between spaces'],
    ['\tA\n', 'stands between a tab and a new line'],
    ['\u00a0a\u3000', 'stands between spaces of other kinds'],
    ['\u0085a\u0085', 'stands between next-line characters'],
    ['\ufeffa\ufeff', 'stands between byte order marks'],
    ['a\nb', 'holds a new line'],
    ['é', 'is one character with an accent'],
    ['e\u0301', 'is a letter and an accent as two characters'],
    ['<b>"\'&\\/', 'holds signs that markup and JSON escape'],
    ['null', 'is the text null'],
    ['0', 'is the text 0'],
    ["Robert'); DROP TABLE x;--", 'holds SQL'],
    ['!?', 'has neither letters nor digits'],
    ['İıßẞ', 'has letters whose case is not simple'],
    ['\u202eabc', 'holds a mark that turns the direction of text'],
    ['%00%2F..', 'holds escapes of addresses'],
    ['Zebra', 'begins with a large letter'],
    ['zebra', 'begins with a small letter'],
  ];
  return texts.map(([text, what]) => variant(text, what, fits(trimWhiteSpace(text))));
}

/** A text in the other case: upper case where it has lower-case letters, otherwise lower case. */
export const otherCase = (text: string): string =>
  text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase();

const shown = (text: string): string => `“${text.length > 60 ? `${text.slice(0, 57)}…` : text}”`;

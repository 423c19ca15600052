import type { Json } from '../../export/json.ts';
import type { Value } from '../../expression/values/value.ts';
import { type DrawKind, escaped, isShortRandom, randomOfKind } from './samples.ts';

export const OPEN = '\u{E000}';
export const CLOSE = '\u{E001}';

/** Regular expressions of the values of each kind. */
const FORMS: Readonly<Record<Exclude<DrawKind, `random_${string}`>, string>> = {
  uuid: '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
  secret: 'whsec_[A-Za-z0-9+/]{32,88}={0,2}',
  credential: '[A-Za-z0-9._~+/-]{8,}=*',
  tag: '"[\\x21\\x23-\\x7e\\x80-\\xff]*"',
  cursor: '[^\\s"<>&]+',
};

/** A regular expression of the values of a kind. */
function formOf(kind: DrawKind): string {
  const drawn = randomOfKind(kind);
  if (!drawn) return FORMS[kind as keyof typeof FORMS];
  const characters = drawn.alphabet.replace(/[\\\]^-]/g, '\\$&');
  return `[${characters}]{${drawn.length}}`;
}

/** A UUID that is the placeholder of an unknown UUID. */
const UUID_MARK = /ffffffff-ffff-8fff-9fff-[0-9a-f]{12}/;
const COMPUTED_MARK = `${OPEN}(?:computed|json):\\d+${CLOSE}`;
export const MARK = new RegExp(
  `${OPEN}(uuid|secret|credential|tag|cursor|random_\\w+):\\d+${CLOSE}|${COMPUTED_MARK}|${UUID_MARK.source}`,
  'g',
);
/** A mark in either case, since a request may repeat it in capital letters. */
const MARK_IN_ANY_CASE = new RegExp(MARK.source, 'i');

/** Facts about the texts of values that are drawn, or computed of these. */
export interface Patterns {
  /** Whether long random text was drawn before, for something else. */
  wasDrawn(mark: string, value: string): boolean;
  /** A regular expression that the text, or the JSON, of a computed value matches. */
  patternOf(mark: string): string;
}

/** JSON as text; the empty text for an absent value. */
export const textOfJson = (value: Json | undefined): string => (value === undefined ? '' : JSON.stringify(value));

/** Whether a text has a mark in it. */
export const hasMark = (text: string): boolean => MARK_IN_ANY_CASE.test(text);

const COMPUTED = new RegExp(`^${COMPUTED_MARK}$`);
const ALONE = new RegExp(`^(?:${MARK.source})$`);
const UUID_START = 'ffffffff-ffff-8fff-9fff-';

/** Whether a value is a mark and nothing else. */
export const isMark = (value: Value): value is string => typeof value === 'string' && ALONE.test(value);

/** Whether a value is the mark of a computed value alone, without further text around it. */
export const isComputed = (value: unknown): value is string =>
  typeof value === 'string' && value.startsWith(OPEN) && COMPUTED.test(value);

/** Whether there is a mark anywhere in a value. */
export function isMarked(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(OPEN) || value.includes(UUID_START);
  if (Array.isArray(value)) return value.some(isMarked);
  return value instanceof Map && [...value.values()].some(isMarked);
}

/** Whether there is the mark of a computed value in a value. */
export function hasComputed(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(`${OPEN}computed:`);
  if (Array.isArray(value)) return value.some(hasComputed);
  return value instanceof Map && [...value.values()].some(hasComputed);
}

/** Whether there is a mark in a value of random text that other rows may well have, too. */
export const hasShortRandom = (value: Value): boolean =>
  typeof value === 'string' &&
  value.includes(`${OPEN}random_`) &&
  [...value.matchAll(MARK)].some(([, kind]) => kind !== undefined && isShortRandom(kind as DrawKind) === true);

/** The marks in a value. */
export function marksIn(value: Value): string[] {
  if (typeof value === 'string') return [...value.matchAll(MARK)].map(([mark]) => mark);
  if (Array.isArray(value)) return value.flatMap(marksIn);
  return value instanceof Map ? [...value.values()].flatMap(marksIn) : [];
}

export function isMarkedWith(value: Value, mark: string): boolean {
  if (typeof value === 'string') return value.includes(mark);
  if (Array.isArray(value)) return value.some((one) => isMarkedWith(one, mark));
  return value instanceof Map && [...value.values()].some((one) => isMarkedWith(one, mark));
}

/** A value with each occurrence of a mark replaced by the value of the mark. */
export function withTold(value: Value, mark: string, told: Value): Value {
  if (value === mark) return told;
  if (typeof value === 'string') return value.includes(mark) ? value.replaceAll(mark, () => String(told)) : value;
  if (!isMarkedWith(value, mark)) return value;
  if (Array.isArray(value)) return value.map((one) => withTold(one, mark, told));
  return value instanceof Map ? new Map([...value].map(([key, one]) => [key, withTold(one, mark, told)])) : value;
}

/**
 * Matches JSON with the mark of a computed value; null where the JSON does not match, or no computed value is expected.
 */
export function matchShown(
  expected: Json | undefined,
  actual: Json | undefined,
  patterns: Patterns,
): readonly [string, string] | null {
  if (typeof expected !== 'string' || !expected.startsWith(`${OPEN}json:`) || !isComputed(expected)) return null;
  const text = textOfJson(actual);
  return matchMarks(expected, text, patterns) ? [expected, text] : null;
}

/** Whether a percent-encoded text has a mark in it. */
export const hasEncodedMark = (text: string): boolean => text.includes(encodeURIComponent(OPEN));

const QUOTED = new RegExp(` ?“(?:${MARK.source})”`, 'g');

/** A text for people: an unknown value is shown as its kind, `(a uuid)`, and not shown at all in quotes. */
export const withoutMarks = (text: string): string =>
  text
    .replace(QUOTED, '')
    .replace(MARK, (mark, kind = mark.startsWith(OPEN) ? 'value' : 'uuid') =>
      kind.startsWith('random_') ? '(a random text)' : `(a ${kind})`,
    );

/**
 * The marks of an expected text, each with the text in its place in the actual text; null where the texts differ
 * otherwise.
 */
export function matchMarks(
  expected: string,
  actual: string,
  patterns: Patterns,
): Array<readonly [mark: string, value: string]> | null {
  const marks: string[] = [];
  let pattern = '';
  let from = 0;
  for (const found of expected.matchAll(MARK)) {
    pattern += escaped(expected.slice(from, found.index));
    from = found.index + found[0].length;
    const known = marks.indexOf(found[0]);
    const kind = (found[1] ?? 'uuid') as DrawKind;
    if (known >= 0) pattern += `\\${known + 1}`;
    else {
      marks.push(found[0]);
      pattern += `(${isComputed(found[0]) ? patterns.patternOf(found[0]) : formOf(kind)})`;
    }
  }
  pattern += escaped(expected.slice(from));
  const match = new RegExp(`^${pattern}$`, 'su').exec(actual);
  return match && marks.map((mark, i) => [mark, match[i + 1] ?? ''] as const);
}

/** A text whose marks are numbered in the order of their first occurrence. */
export function inOrder(text: string): string {
  const marks = new Map<string, string>();
  return text.replace(MARK, (mark) => {
    const known = marks.get(mark) ?? `(${marks.size + 1})`;
    marks.set(mark, known);
    return known;
  });
}

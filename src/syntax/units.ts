import { ownMember } from '../text/own-members.ts';
import { MILLISECONDS, showDuration, unitOf } from '../text/units.ts';
import { language } from './messages.ts';
import type { Phrase } from './phrase.ts';

/** The units of durations that callers receive in whole seconds, and of all other durations stated for people. */
const STATED = Object.keys(MILLISECONDS).filter((unit) => unit !== 'millisecond');

/** Takes a length of time such as `24 hours`; returns milliseconds, or null after reporting. */
export function takeDuration(phrase: Phrase, otherwise = ''): number | null {
  return takeLength(phrase, STATED, `a number of seconds, minutes, hours or days, from 1${otherwise}`);
}

/** Takes a length of time that may be a part of a second, such as `100 milliseconds`. */
export function takeShortDuration(phrase: Phrase): number | null {
  return takeLength(
    phrase,
    Object.keys(MILLISECONDS),
    'a number of milliseconds, seconds, minutes, hours or days, from 1',
  );
}

/** The units of the calendar, in months: their lengths in days depend on where they begin. */
const MONTHS: Readonly<Record<string, number>> = { month: 1, year: 12 };

const calendarUnit = (phrase: Phrase): number | undefined =>
  /^\d/.test(phrase.peek()?.text ?? '') ? ownMember(MONTHS, phrase.peek(1)?.text.replace(/s$/, '') ?? '') : undefined;

/** Whether a length of the calendar follows, such as `1 month`. */
export const isCalendarLength = (phrase: Phrase): boolean => calendarUnit(phrase) !== undefined;

/** Takes a length of the calendar, such as `1 month` or `2 years`; returns months, or null after reporting. */
export function takeMonths(phrase: Phrase): number | null {
  const count = phrase.positive('a number of months or years, from 1', LONGEST_MONTHS / (calendarUnit(phrase) ?? 1));
  const units = Object.keys(MONTHS);
  const unit = count === null ? null : phrase.choose(count === 1 ? units : units.map(severalOf));
  const size = MONTHS[unit?.replace(/s$/, '') ?? ''];
  return size === undefined || count === null ? null : count * size;
}

/** A thousand years. */
const LONGEST_MONTHS = 12_000;

/** Reports a length of the calendar where only fixed lengths are allowed; false for any other text. */
function reportsCalendar(phrase: Phrase, units: readonly string[]): boolean {
  const [count, unit] = [phrase.peek(), phrase.peek(1)];
  if (!count || !unit || !isCalendarLength(phrase)) return false;
  const params = {
    found: `${count.text} ${unit.text}`,
    units: units
      .map(severalOf)
      .join(', ')
      .replace(/, (\w+)$/, ' or $1'),
  };
  phrase.refuse(language.report.calendarLength({ from: count.from, to: unit.to }, params));
  return true;
}

function takeLength(phrase: Phrase, units: readonly string[], expected: string): number | null {
  if (reportsCalendar(phrase, units)) return null;
  if (reportsForm(phrase, (text) => durationElsewhere(text, units), language.report.durationForm, units.map(severalOf)))
    return null;
  const length = MILLISECONDS[phrase.peek(1)?.text.replace(/s$/, '') ?? ''] ?? 1;
  const count = phrase.positive(expected, LONGEST / length);
  const unit = count === null ? null : phrase.choose(count === 1 ? units : units.map(severalOf));
  const size = MILLISECONDS[unit?.replace(/s$/, '') ?? ''];
  return size === undefined || count === null ? null : count * size;
}

const severalOf = (unit: string): string => `${unit}s`;

/** A thousand years: an instant that is so far from now is still one of the calendar. */
const LONGEST = 365_000 * 86_400_000;

/** Takes one unit of time alone, as in `per minute`; returns milliseconds. */
export function takeUnit(phrase: Phrase): number | null {
  return MILLISECONDS[phrase.choose(STATED) ?? ''] ?? null;
}

/** Takes a size such as `64 KiB`; returns bytes, or null after reporting. */
export function takeSize(phrase: Phrase): number | null {
  if (reportsForm(phrase, sizeElsewhere, language.report.sizeForm, Object.keys(BYTES))) return null;
  const bytes = BYTES[phrase.peek(1)?.text ?? ''] ?? 1;
  const count = phrase.positive('a size, such as 64 KiB', Number.MAX_SAFE_INTEGER / bytes);
  const size = count === null ? undefined : BYTES[phrase.choose(Object.keys(BYTES)) ?? ''];
  return size === undefined || count === null ? null : count * size;
}

const BYTES: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: 1_048_576, kB: 1000, MB: 1_000_000 };

/** A number of bytes as `takeSize` reads it, in the largest unit of which there is a whole number. */
export function writtenSize(bytes: number): string {
  const [unit, size] = Object.entries(BYTES)
    .sort(([, a], [, b]) => b - a)
    .find(([, each]) => bytes % each === 0)!;
  return `${bytes / size} ${unit}`;
}

/**
 * A measure in a form that the language does not have; `write` is the measure in the form of the language, or empty.
 */
type Measured = { readonly write: string };

/** Reports a measure in a form of other languages, such as `64KiB` or `1h30m`; false for any other text. */
function reportsForm(
  phrase: Phrase,
  read: (text: string) => Measured | null,
  report: typeof language.report.sizeForm,
  units: readonly string[],
): boolean {
  const ahead = [0, 1, 2, 3].map((i) => phrase.peek(i));
  const end = ahead.findIndex((token) => token?.kind !== 'word');
  // A measure in inline code is a mistake of its own, which the right form mends too.
  const taken = ahead[0]?.kind === 'code' ? 1 : end < 0 ? ahead.length : end;
  const words = ahead.slice(0, taken).flatMap((token) => token ?? []);
  // The longest comes first: “1 h 30 m” begins with a measure too.
  for (let count = words.length; count > 0; count--) {
    const [first, last] = [words[0], words[count - 1]];
    const found = words
      .slice(0, count)
      .map(({ text }) => text)
      .join(' ');
    const measure = first && last && read(found);
    if (!measure) continue;
    const params = { found, write: measure.write, units: units.join(', ') };
    phrase.refuse(report({ from: first.from, to: last.to }, params));
    return true;
  }
  return false;
}

/** `5s`, `1h30m`, `1.5 hours` or `PT5S` in the form of the language. */
function durationElsewhere(text: string, units: readonly string[]): Measured | null {
  if (/^[\d,]+ [a-z]+$/.test(text) && ownMember(MILLISECONDS, text.replace(/^[\d,]+ |s$/g, ''))) return null;
  const parts = /^P(?=.)/i.test(text) ? isoParts(text) : shortParts(text);
  const total = parts?.reduce((sum, { count, unit }) => sum + count * (MILLISECONDS[unit] ?? 0), 0) ?? 0;
  if (!parts || total <= 0 || total > LONGEST) return null;
  const [only] = parts;
  const own = only && parts.length === 1 && Number.isInteger(only.count) && units.includes(only.unit);
  if (own) return { write: `${only.count} ${only.unit}${only.count === 1 ? '' : 's'}` };
  const fits = Number.isInteger(total) && (total % 1000 === 0 || units.includes('millisecond'));
  return { write: fits ? showDuration(total) : '' };
}

interface Part {
  readonly count: number;
  readonly unit: string;
}

/** The parts of a duration with short units, one after another. */
function shortParts(text: string): readonly Part[] | null {
  if (!/^(?:\d+(?:\.\d+)?\s*[a-z]+\.?\s*)+$/i.test(text)) return null;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi)].map(([, count = '', word = '']) => {
    if (/^w(?:ee)?ks?$|^w$/i.test(word)) return { count: Number(count) * 7, unit: 'day' };
    const milliseconds = /^(?:ms|msecs?|millis|milliseconds?)$/i.test(word);
    return { count: Number(count), unit: milliseconds ? 'millisecond' : unitOf(word) };
  });
  return parts.every((part): part is Part => part.unit !== null) ? parts : null;
}

/** The parts of a duration of ISO 8601. */
function isoParts(text: string): readonly Part[] | null {
  const found = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/i.exec(text);
  if (!found) return null;
  return ['day', 'hour', 'minute', 'second'].flatMap((unit, i) => {
    const count = Number(found[i + 1] ?? 0);
    return count > 0 ? [{ count, unit }] : [];
  });
}

/** `64KiB`, `1.5 MiB` or `10mb` in the form of the language. */
function sizeElsewhere(text: string): Measured | null {
  const [, count = '', word = ''] = /^(\d+(?:\.\d+)?|\d{1,3}(?:,\d{3})+)\s*([a-z]+)$/i.exec(text) ?? [];
  const [unit, times = 1] = ownMember(SIZES, word.toLowerCase()) ?? [];
  if (unit === undefined || text === `${count} ${unit}`) return null;
  // 1,000 or 1,024 of them: only the writer knows.
  if (unit === '') return { write: '' };
  const number = Number(count.replaceAll(',', '')) * times;
  const bytes = number * (BYTES[unit] ?? 1);
  if (bytes < 1 || bytes > Number.MAX_SAFE_INTEGER) return null;
  if (Number.isInteger(number)) return { write: `${number} ${unit}` };
  const smaller = { MiB: 'KiB', MB: 'kB' }[unit] ?? 'B';
  const left = bytes / (BYTES[smaller] ?? 1);
  return { write: Number.isInteger(left) ? `${left} ${smaller}` : Number.isInteger(bytes) ? `${bytes} B` : '' };
}

/** The units of sizes by their names in small letters, with how many of the unit each is. */
const SIZES: Readonly<Record<string, readonly [unit: string, times?: number]>> = {
  b: ['B'],
  byte: ['B'],
  bytes: ['B'],
  kb: ['kB'],
  kib: ['KiB'],
  mb: ['MB'],
  mib: ['MiB'],
  gb: ['MB', 1000],
  gib: ['MiB', 1024],
  k: [''],
  m: [''],
  g: [''],
  kilobytes: ['kB'],
  kibibytes: ['KiB'],
  megabytes: ['MB'],
  mebibytes: ['MiB'],
};

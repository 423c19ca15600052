import { ownMember } from './own-members.ts';

export const MILLISECONDS: Readonly<Record<string, number>> = {
  millisecond: 1,
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

const SHORT: Readonly<Record<string, string>> = {
  ms: 'millisecond',
  s: 'second',
  m: 'minute',
  min: 'minute',
  h: 'hour',
  d: 'day',
};

const SPOKEN: Readonly<Record<string, string>> = { sec: 'second', hr: 'hour' };

/** The unit that a word or its short form means, such as `minute` for `min` or `Minutes`. */
export function unitOf(word: string): string | null {
  const lower = word.toLowerCase().replace(/(?<=..)s$/, '');
  const unit = ownMember(SHORT, lower) ?? ownMember(SPOKEN, lower) ?? lower;
  return ownMember(MILLISECONDS, unit) && unit !== 'millisecond' ? unit : null;
}

/**
 * Reads a duration such as `30s`, `5m` or `2 minutes`, in milliseconds; null if the text is no duration, or if it is
 * longer than `most`.
 */
export function readDuration(text: string, most: number): number | null {
  const found = /^(\d{1,9})\s*([a-z]{1,12})$/i.exec(text.trim());
  if (!found) return null;
  const [, count = '', word = ''] = found;
  const lower = word.toLowerCase();
  const unit = MILLISECONDS[SHORT[lower] ?? lower.replace(/s$/, '')];
  const milliseconds = unit === undefined ? 0 : Number(count) * unit;
  return milliseconds > 0 && milliseconds <= most ? milliseconds : null;
}

/** A length of time as people write it, in the largest unit that fits exactly. */
export function showDuration(milliseconds: number): string {
  for (const unit of ['day', 'hour', 'minute', 'second']) {
    const size = MILLISECONDS[unit]!;
    if (milliseconds >= size && milliseconds % size === 0) {
      const count = milliseconds / size;
      return `${count} ${unit}${count === 1 ? '' : 's'}`;
    }
  }
  return `${milliseconds} milliseconds`;
}

/** A length of the calendar as people write it: whole years as years. */
export function showMonths(months: number): string {
  const [count, unit] = months % 12 === 0 ? [months / 12, 'year'] : [months, 'month'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** An instant that a call of `addMonths` or `addYears` gives, in the text of an expression. */
const CALENDAR = /^([\w.]+)\.add(Month|Year)s\((\d+), "?([^"]+)"?\)$/;

/** The time of a timed transition in words: so long after an instant or a transition. */
export function showDelay(milliseconds: number, from: string): string {
  const [, instant, unit = '', count = '', zone = ''] = CALENDAR.exec(from) ?? [];
  if (milliseconds > 0) return `${showDuration(milliseconds)} after ${from}`;
  if (instant === undefined) return `at ${from}`;
  return `${count} ${unit.toLowerCase()}${count === '1' ? '' : 's'} after ${instant} in ${zone}`;
}

/** A number of bytes as people write it. */
export function showSize(bytes: number): string {
  if (bytes >= 1_048_576 && bytes % 1_048_576 === 0) return `${bytes / 1_048_576} MiB`;
  return bytes >= 1024 && bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} B`;
}

/** A number of things in words: `1 row`, `2 rows`. */
export const counted = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

import { MILLISECONDS } from '../../text/units.ts';
import type { Phrase } from './phrase.ts';

/** The units of what callers are told in whole seconds, and of all else that is stated for people. */
const STATED = Object.keys(MILLISECONDS).filter((unit) => unit !== 'millisecond');

/** Takes a length of time such as `24 hours`; returns milliseconds, or null after reporting. */
export function takeDuration(phrase: Phrase, otherwise = ''): number | null {
  return takeLength(phrase, STATED, `a number of seconds, minutes, hours or days, from 1${otherwise}`);
}

/** Takes one that may be a part of a second, such as `100 milliseconds`. */
export function takeShortDuration(phrase: Phrase): number | null {
  return takeLength(
    phrase,
    Object.keys(MILLISECONDS),
    'a number of milliseconds, seconds, minutes, hours or days, from 1',
  );
}

function takeLength(phrase: Phrase, units: readonly string[], expected: string): number | null {
  const length = MILLISECONDS[phrase.peek(1)?.text.replace(/s$/, '') ?? ''] ?? 1;
  const count = phrase.positive(expected, LONGEST / length);
  const unit = count === null ? null : phrase.choose(units.map((name) => (count === 1 ? name : `${name}s`)));
  const size = MILLISECONDS[unit?.replace(/s$/, '') ?? ''];
  return size === undefined || count === null ? null : count * size;
}

/** A thousand years: an instant that is so far from now is still one of the calendar. */
const LONGEST = 365_000 * 86_400_000;

/** Takes one unit of time alone, as in `per minute`; returns milliseconds. */
export function takeUnit(phrase: Phrase): number | null {
  return MILLISECONDS[phrase.choose(STATED) ?? ''] ?? null;
}

/** Takes a size such as `64 KiB`; returns bytes, or null after reporting. */
export function takeSize(phrase: Phrase): number | null {
  const bytes = BYTES[phrase.peek(1)?.text ?? ''] ?? 1;
  const count = phrase.positive('a size, such as 64 KiB', Number.MAX_SAFE_INTEGER / bytes);
  const size = count === null ? undefined : BYTES[phrase.choose(Object.keys(BYTES)) ?? ''];
  return size === undefined || count === null ? null : count * size;
}

const BYTES: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: 1_048_576, kB: 1000, MB: 1_000_000 };

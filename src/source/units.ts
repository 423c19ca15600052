import type { Phrase } from './phrase.ts';

const MILLISECONDS: Readonly<Record<string, number>> = {
  millisecond: 1,
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** The units of what callers are told in whole seconds, and of all else that is stated for people. */
const STATED = Object.keys(MILLISECONDS).filter((unit) => unit !== 'millisecond');

/** Takes a length of time such as `24 hours`; returns milliseconds, or null after reporting. */
export function takeDuration(phrase: Phrase): number | null {
  return takeLength(phrase, STATED, 'a number of seconds, minutes, hours or days, from 1');
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
  const count = phrase.positive(expected);
  const unit = count === null ? null : phrase.choose(units.map((name) => (count === 1 ? name : `${name}s`)));
  return unit === null || count === null ? null : exact(phrase, count * MILLISECONDS[unit.replace(/s$/, '')]!);
}

function exact(phrase: Phrase, amount: number): number | null {
  if (Number.isSafeInteger(amount)) return amount;
  phrase.fail('an amount below 2^53');
  return null;
}

/** Takes one unit of time alone, as in `per minute`; returns milliseconds. */
export function takeUnit(phrase: Phrase): number | null {
  const unit = phrase.choose(STATED);
  return unit === null ? null : MILLISECONDS[unit]!;
}

const BYTES: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: 1_048_576, kB: 1000, MB: 1_000_000 };

/** Takes a size such as `64 KiB`; returns bytes, or null after reporting. */
export function takeSize(phrase: Phrase): number | null {
  const count = phrase.positive('a size, such as 64 KiB');
  const unit = count === null ? null : phrase.choose(Object.keys(BYTES));
  return unit === null || count === null ? null : exact(phrase, count * BYTES[unit]!);
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

/** A number of bytes as people write it. */
export function showSize(bytes: number): string {
  if (bytes >= 1_048_576 && bytes % 1_048_576 === 0) return `${bytes / 1_048_576} MiB`;
  return bytes >= 1024 && bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} B`;
}

import { memo } from './memo.ts';
import type { Civil } from './zones.ts';

/** Formats one component of a date and time. */
type Write = (at: Civil) => string;

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

const padded =
  (width: number, part: (at: Civil) => number): Write =>
  (at) =>
    `${part(at)}`.padStart(width, '0');

const hour12 = (at: Civil): number => at.hour % 12 || 12;

/** Formats the offset from UTC; `zero` is the text for UTC itself. */
const offset =
  (zero: string | null): Write =>
  ({ offset: ahead }) => {
    if (ahead === 0 && zero !== null) return zero;
    const minutes = Math.floor(Math.abs(ahead) / 60_000);
    const two = (n: number): string => `${n}`.padStart(2, '0');
    return `${ahead < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  };

/** The fields of a format (Unicode TR35, part 4, “Date Format Patterns”), in English where they are words. */
const FIELDS: Readonly<Record<string, Write>> = {
  y: (at) => `${at.year}`,
  yy: (at) => `${at.year % 100}`.padStart(2, '0'),
  yyyy: padded(4, (at) => at.year),
  M: padded(1, (at) => at.month),
  MM: padded(2, (at) => at.month),
  MMM: (at) => MONTHS[at.month - 1]!.slice(0, 3),
  MMMM: (at) => MONTHS[at.month - 1]!,
  d: padded(1, (at) => at.day),
  dd: padded(2, (at) => at.day),
  D: padded(1, (at) => at.yearday),
  DDD: padded(3, (at) => at.yearday),
  EEE: (at) => DAYS[at.weekday]!.slice(0, 3),
  EEEE: (at) => DAYS[at.weekday]!,
};

/** The parts of a time of day. */
const CLOCK: Readonly<Record<string, Write>> = {
  H: padded(1, (at) => at.hour),
  HH: padded(2, (at) => at.hour),
  h: padded(1, hour12),
  hh: padded(2, hour12),
  a: (at) => (at.hour < 12 ? 'AM' : 'PM'),
  m: padded(1, (at) => at.minute),
  mm: padded(2, (at) => at.minute),
  s: padded(1, (at) => at.second),
  ss: padded(2, (at) => at.second),
  SSS: padded(3, (at) => at.millisecond),
  XXX: offset('Z'),
  xxx: offset(null),
};

/** The letters of a format, for messages. */
export const DATE_LETTERS = Object.keys(FIELDS).join(', ');
export const CLOCK_LETTERS = Object.keys(CLOCK).join(', ');

/** Formats a date and time. The format must be valid. */
export function formatted(at: Civil, format: string): string {
  return written(format)!
    .map((write) => write(at))
    .join('');
}

/** Whether a format has known letters only; with `clock`, letters of the time of day are allowed, too. */
export function isFormat(format: string, clock: boolean): boolean {
  const letters = [...format.matchAll(PIECE)].map(([piece]) => piece).filter((piece) => /^[A-Za-z]/.test(piece));
  return (
    written(format) !== null && letters.length > 0 && (clock || letters.every((piece) => Object.hasOwn(FIELDS, piece)))
  );
}

/** Quoted text (in which a quote is doubled), a repeated letter, or any other text. */
const PIECE = /'(?:[^']|'')*'|([A-Za-z])\1*|[^A-Za-z']+|'/g;

const written = memo((format: string): readonly Write[] | null => {
  const out: Write[] = [];
  for (const [piece] of format.matchAll(PIECE)) {
    const field = Object.hasOwn(FIELDS, piece) ? FIELDS[piece] : Object.hasOwn(CLOCK, piece) ? CLOCK[piece] : null;
    if (!field && (/^[A-Za-z]/.test(piece) || piece === "'")) return null;
    const text = piece === "''" ? "'" : piece.startsWith("'") ? piece.slice(1, -1).replaceAll("''", "'") : piece;
    out.push(field ?? (() => text));
  }
  return out;
});

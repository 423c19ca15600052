import type { Expr } from '../tree/expression.ts';
import type { LibraryFn } from '../tree/library-names.ts';
import * as t from '../tree/types.ts';
import { dayFrom, daysAfter, FIRST, LAST, monthsAfter } from '../values/days.ts';
import { durationOf } from '../values/duration.ts';
import { CLOCK_LETTERS, DATE_LETTERS, formatted, isFormat } from './format.ts';
import {
  always,
  DAY,
  INSTANT,
  judged,
  LENGTH,
  type Overload,
  type Pattern,
  readFrom,
  TEXT,
  textOf,
  WHOLE,
  writtenOut,
} from './overload.ts';
import { TIME_ZONES } from './zone-names.ts';
import { type Civil, civil, firstInstantFrom, isZone } from './zones.ts';

/** A valid time zone: a literal, or a value of a type that holds only time zones. */
const ZONE: Pattern = {
  says: 'a time zone: a field of the format “time zone”, or a name such as "Europe/Berlin"',
  fits: TEXT.fits,
  known: TIME_ZONES,
  allows: function sure(arg): boolean {
    const text = textOf(arg);
    if (text !== null) return isZone(text);
    if (arg.op === 'if') return sure(arg.then) && sure(arg.else);
    return arg.type.kind === 'string' && arg.type.format === 'time zone';
  },
};

const INSTANT_TEXT = judged(
  'an instant as RFC 3339 writes it, such as "2026-11-20T09:30:00Z", to the millisecond at most',
  (text) => instantFrom(text) !== null,
);
const DAY_TEXT = judged('a day as RFC 3339 writes it, such as "2026-11-20"', (text) => dayFrom(text) !== null);
const LENGTH_TEXT = judged(
  'a duration in hours, minutes, seconds or milliseconds, such as "1h30m"',
  (text) => durationOf(text) !== null,
);
const INSTANT_FORMAT = writtenOut(
  `a format, written out, of ${DATE_LETTERS}, ${CLOCK_LETTERS} and 'text in quotes'`,
  (text) => isFormat(text, true),
);
const DAY_FORMAT = writtenOut(`a format, written out, of ${DATE_LETTERS} and 'text in quotes'`, (text) =>
  isFormat(text, false),
);

/** A component of an instant in a zone, of a day, or (given `lasting`) of a duration. */
function part(
  name: string,
  ofInstant: (at: Civil) => number,
  of: { day?: true; lasting?: (length: number) => number },
): Overload[] {
  const gives = always(t.INTEGER);
  const overloads: Overload[] = [
    {
      id: `timestamp_${name}`,
      takes: [INSTANT, ZONE],
      optional: 1,
      gives,
      does: (instant: number, zone = 'UTC') => {
        const at = civil(instant, zone);
        return at && ofInstant(at);
      },
    },
  ];
  if (of.day) overloads.push({ id: `date_${name}`, takes: [DAY], gives, does: (day: string) => ofDay(day, ofInstant) });
  const { lasting } = of;
  if (lasting) overloads.push({ id: `duration_${name}`, takes: [LENGTH], gives, does: lasting });
  return overloads;
}

/** The day, or the instant at the same time of day in a zone, to which `moved` moves a day by a number. */
function shifted(name: string, moved: (day: string, by: number) => string | null, ofDay: boolean): Overload[] {
  const ofInstant: Overload = {
    id: `timestamp_${name}`,
    takes: [INSTANT, WHOLE, ZONE],
    gives: always(t.TIMESTAMP),
    does: (instant: number, by: number, zone: string) => {
      // Where clocks show a time twice, the second one stays the second one.
      if (by === 0) return between(instant);
      const at = civil(instant, zone);
      const day = at && dayAt(instant, zone);
      const to = day && moved(day, by);
      if (!at || !day || !to) return null;
      const local = Date.parse(to) + (instant + at.offset - Date.parse(day));
      const found = firstInstantFrom(local, zone);
      return found === null ? null : between(found);
    },
  };
  if (!ofDay) return [ofInstant];
  return [{ id: `date_${name}`, takes: [DAY, WHOLE], gives: always(t.DATE), does: moved }, ofInstant];
}

const yearsAfter = (day: string, years: number): string | null => monthsAfter(day, years * 12);

/** cel-spec, “Date/time functions”: months and days are numbered from 0, except by getDate(). */
export const TIMES: Partial<Record<LibraryFn, readonly Overload[]>> = {
  getFullYear: part('year', (at) => at.year, { day: true }),
  getMonth: part('month', (at) => at.month - 1, { day: true }),
  getDate: part('day', (at) => at.day, { day: true }),
  getDayOfMonth: part('day_of_month', (at) => at.day - 1, { day: true }),
  getDayOfWeek: part('day_of_week', (at) => at.weekday, { day: true }),
  getDayOfYear: part('day_of_year', (at) => at.yearday - 1, { day: true }),
  getHours: part('hours', (at) => at.hour, { lasting: (length) => Math.trunc(length / 3_600_000) + 0 }),
  getMinutes: part('minutes', (at) => at.minute, { lasting: (length) => Math.trunc(length / 60_000) + 0 }),
  getSeconds: part('seconds', (at) => at.second, { lasting: (length) => Math.trunc(length / 1000) + 0 }),
  getMilliseconds: part('milliseconds', (at) => at.millisecond, { lasting: (length) => (length % 1000) + 0 }),
  addMonths: shifted('add_months', monthsAfter, true),
  addYears: shifted('add_years', yearsAfter, true),
  addDays: shifted('add_days', daysAfter, false),
  format: [
    {
      id: 'timestamp_format',
      takes: [INSTANT, INSTANT_FORMAT, ZONE],
      gives: always(t.STRING),
      does: (instant: number, format: string, zone: string) => {
        const at = civil(instant, zone);
        return at && formatted(at, format);
      },
    },
    {
      id: 'date_format',
      takes: [DAY, DAY_FORMAT],
      gives: always(t.STRING),
      does: (day: string, format: string) => ofDay(day, (at) => formatted(at, format)),
    },
  ],
  duration: [
    { id: 'duration', takes: [LENGTH_TEXT], gives: readFrom(t.DURATION), does: durationOf },
    { id: 'duration_itself', takes: [LENGTH], gives: always(t.DURATION), does: (length: number) => length },
  ],
  timestamp: [
    { id: 'timestamp', takes: [INSTANT_TEXT], gives: readFrom(t.TIMESTAMP), does: instantFrom },
    {
      id: 'timestamp_of_seconds',
      takes: [WHOLE],
      gives: ([seconds]) => t.nullable(t.TIMESTAMP, constantIn(seconds) === null),
      does: ofSeconds,
    },
    { id: 'timestamp_itself', takes: [INSTANT], gives: always(t.TIMESTAMP), does: (instant: number) => instant },
    { id: 'timestamp_of_date', takes: [DAY, ZONE], gives: always(t.TIMESTAMP), does: startOfDay },
  ],
  date: [
    { id: 'date', takes: [DAY_TEXT], gives: readFrom(t.DATE), does: dayFrom },
    { id: 'date_of_timestamp', takes: [INSTANT, ZONE], gives: always(t.DATE), does: dayAt },
  ],
};

/** Calls a function with midnight of a day in UTC; null for a day before the year 1, which stored rows may hold. */
function ofDay<T>(day: string, tells: (at: Civil) => T): T | null {
  const at = between(Date.parse(day));
  return at === null ? null : tells(civil(at, 'UTC')!);
}

const ISO = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,3})0*)?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/** Parses an instant of RFC 3339 to milliseconds since the epoch; null for other text, or for a finer one. */
export function instantFrom(text: string): number | null {
  const match = ISO.exec(text);
  if (!match) return null;
  const [, year, month, day, hour, minute, second, fraction = '', sign, hours = '0', minutes = '0'] = match;
  if (dayFrom(`${year}-${month}-${day}`) === null) return null;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59 || Number(hours) > 23 || Number(minutes) > 59)
    return null;
  const local = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0')}Z`);
  const ahead = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return between(local + (sign === '-' ? ahead : -ahead));
}

/** Formats an instant by RFC 3339 in UTC, with as many digits of the second as needed. */
export function showInstant(instant: number): string {
  return new Date(instant).toISOString().replace(/\.?0*Z$/, 'Z');
}

function between(instant: number): number | null {
  return instant >= FIRST && instant <= LAST ? instant : null;
}

function constantIn(seconds: Expr | undefined): number | null {
  return seconds?.op === 'const' && typeof seconds.value === 'number' ? ofSeconds(seconds.value) : null;
}

function ofSeconds(seconds: number): number | null {
  return between(seconds * 1000);
}

/** The first instant of a day in a zone. */
function startOfDay(day: string, zone: string): number | null {
  const instant = firstInstantFrom(Date.parse(day), zone);
  return instant === null ? null : between(instant);
}

function dayAt(instant: number, zone: string): string | null {
  const at = civil(instant, zone);
  if (!at || at.year < 1 || at.year > 9999) return null;
  return new Date(instant + at.offset).toISOString().slice(0, 10);
}

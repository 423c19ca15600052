import { memo } from './memo.ts';
import { TIME_ZONES } from './zone-names.ts';

const MINUTE = 60_000;
/**
 * Number of minutes for which the offset of a zone is cached: a prime, so that full hours do not replace one another.
 */
const KEPT = 251;

/** The parts of a date and time of day (ISO 8601), in the proleptic Gregorian calendar. */
export interface Civil {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  /** The day of the week: 0 is Sunday. */
  readonly weekday: number;
  /** From 1. */
  readonly yearday: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
  /** The offset of local time from UTC, in milliseconds. */
  readonly offset: number;
}

/** The offset of a zone from UTC at an instant. */
type Offset = (instant: number) => number;

const FIXED = /^([+-]?)(\d\d):(\d\d)$/;

/** Whether a text is a time zone: a name, or an offset from UTC such as `+02:00`. */
export function isZone(text: string): boolean {
  return TIME_ZONES.has(text) || (FIXED.test(text) && offsetsOf(text) !== null);
}

/** The date and time at an instant in a zone; null for an unknown zone. */
export function civil(instant: number, zone: string): Civil | null {
  const offset = offsetsOf(zone)?.(instant);
  return offset === undefined ? null : civilAt(instant, offset);
}

/** The instant of a date and time in a zone: the first one if clocks show it twice. */
export function instantOf(local: number, zone: string): number | null {
  const offsets = offsetsOf(zone);
  if (!offsets) return null;
  // Within a day before and after, clocks change at most once.
  const before = local - offsets(local - 86_400_000);
  if (before + offsets(before) === local) return before;
  const after = local - offsets(local + 86_400_000);
  return after + offsets(after) === local ? after : before;
}

/** The offset of a zone from UTC at an instant, in milliseconds; null for an unknown zone. */
export const offsetAt = (instant: number, zone: string): number | null => offsetsOf(zone)?.(instant) ?? null;

/**
 * The first instant at which clocks in a zone show a time or a later one. If the zone's clocks skip the time (at the
 * start of summer time), this is the instant of the change.
 */
export function firstInstantFrom(local: number, zone: string): number | null {
  const offsets = offsetsOf(zone);
  const found = instantOf(local, zone);
  if (!offsets || found === null || found + offsets(found) === local) return found;
  // Clocks show an earlier time at one end and a later one at the other, and change once in between.
  let less = local - offsets(local + 86_400_000);
  let more = found;
  while (more - less > 1) {
    const middle = Math.floor((less + more) / 2);
    if (middle + offsets(middle) < local) less = middle;
    else more = middle;
  }
  return more;
}

function civilAt(instant: number, offset: number): Civil {
  const at = new Date(instant + offset);
  const year = at.getUTCFullYear();
  const start = new Date(0);
  start.setUTCFullYear(year, 0, 1);
  return {
    year,
    month: at.getUTCMonth() + 1,
    day: at.getUTCDate(),
    weekday: at.getUTCDay(),
    yearday: Math.floor((instant + offset - start.getTime()) / 86_400_000) + 1,
    hour: at.getUTCHours(),
    minute: at.getUTCMinutes(),
    second: at.getUTCSeconds(),
    millisecond: at.getUTCMilliseconds(),
    offset,
  };
}

const UTC: Offset = () => 0;

/** Created once for each zone, since a formatter with the history of a zone’s clocks is expensive. */
const offsetsOf = memo((zone: string): Offset | null => {
  if (zone === 'UTC') return UTC;
  const fixed = FIXED.exec(zone);
  if (fixed) return fixedOffset(fixed[1]!, Number(fixed[2]), Number(fixed[3]));
  if (!/^[A-Za-z]/.test(zone)) return null;
  try {
    return named(zone);
  } catch {
    return null;
  }
});

function fixedOffset(sign: string, hours: number, minutes: number): Offset | null {
  if (hours > 23 || minutes > 59) return null;
  const offset = (sign === '-' ? -1 : 1) * (hours * 60 + minutes) * MINUTE;
  return () => offset;
}

/** Throws for an unknown zone. */
function named(timeZone: string): Offset {
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const minutes = new Float64Array(KEPT).fill(Number.NaN);
  const offsets = new Float64Array(KEPT);
  return (instant) => {
    // Clocks have changed only at full minutes since 1972, and the same few instants are often needed repeatedly.
    const minute = Math.floor(instant / MINUTE);
    const at = instant > 1e11 ? minute % KEPT : -1;
    if (at >= 0 && minutes[at] === minute) return offsets[at]!;
    const offset = localOf(clock.format(instant)) - Math.floor(instant / 1000) * 1000;
    if (at >= 0) {
      minutes[at] = minute;
      offsets[at] = offset;
    }
    return offset;
  };
}

/** Converts a date and time, such as `11/20/2026 AD, 09:05:00`, to the instant at which a clock in UTC shows them. */
function localOf(shown: string): number {
  const match = /^(\d+)\/(\d+)\/(\d+) (\w+), (\d+):(\d+):(\d+)$/.exec(shown);
  if (!match) throw new Error(`“${shown}” is no date and time`);
  const [, month, day, year, era, hour, minute, second] = match;
  const at = new Date(0);
  at.setUTCFullYear(era === 'BC' ? 1 - Number(year) : Number(year), Number(month) - 1, Number(day));
  at.setUTCHours(Number(hour), Number(minute), Number(second));
  return at.getTime();
}

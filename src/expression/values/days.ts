const DAY_LENGTH = 86_400_000;

/** The first and the last instant that RFC 3339 can write. */
export const FIRST = -62_135_596_800_000;
export const LAST = 253_402_300_799_999;

/** Returns the text if it is a day of the calendar; null for any other text. */
export function dayFrom(text: string): string | null {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (!match || text.startsWith('0000')) return null;
  const at = new Date(Date.parse(text));
  return !Number.isNaN(at.getTime()) && at.getUTCDate() === Number(match[3]) ? text : null;
}

/** The day that is `days` later; null beyond the years 1 to 9999. */
export function daysAfter(day: string, days: number): string | null {
  const at = Date.parse(day) + days * DAY_LENGTH;
  return !(at >= FIRST && at <= LAST) ? null : new Date(at).toISOString().slice(0, 10);
}

/** More months than lie between any two days of the calendar. */
const MOST_MONTHS = 120_000;

/**
 * The day that is `months` later: the same day of that month, or its last day where it is shorter. Null beyond the years
 * 1 to 9999.
 */
export function monthsAfter(day: string, months: number): string | null {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  if (year < 1 || Math.abs(months) > MOST_MONTHS) return null;
  const to = year * 12 + month - 1 + months;
  const [toYear, toMonth] = [Math.floor(to / 12), to - Math.floor(to / 12) * 12];
  if (toYear < 1 || toYear > 9999) return null;
  const isLeap = toYear % 4 === 0 && (toYear % 100 !== 0 || toYear % 400 === 0);
  const last = toMonth === 1 && isLeap ? 29 : LAST_DAYS[toMonth]!;
  return [String(toYear).padStart(4, '0'), ...[toMonth + 1, Math.min(date, last)].map(twoDigits)].join('-');
}

const LAST_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const twoDigits = (number: number): string => String(number).padStart(2, '0');

/** How many days `day` comes after `other`. */
export function daysBetween(day: string, other: string): number {
  return Math.round((Date.parse(day) - Date.parse(other)) / DAY_LENGTH);
}

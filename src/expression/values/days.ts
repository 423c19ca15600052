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

/** How many days `day` comes after `other`. */
export function daysBetween(day: string, other: string): number {
  return Math.round((Date.parse(day) - Date.parse(other)) / DAY_LENGTH);
}

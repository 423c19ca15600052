const SECOND_MS = 1000;

/** Seconds since 1970 without leap seconds (POSIX, “Seconds Since the Epoch”) that are over at an instant in milliseconds. */
export const unixTime = (at: number): number => Math.floor(at / SECOND_MS);

/** The first and the last second of the years that RFC 3339 has. */
export const FIRST_SECOND = unixTime(Date.parse('0001-01-01T00:00:00Z'));
export const LAST_SECOND = unixTime(Date.parse('9999-12-31T23:59:59Z'));

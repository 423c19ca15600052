const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MONTH = `(?<month>${MONTHS.join('|')})`;
const TIME = '(?<time>[0-9]{2}:[0-9]{2}:[0-9]{2})';

/** The three forms of a date in a header (RFC 9110, section 5.6.7): that of today, that of RFC 850, and that of asctime. */
const FORMS = [
  `^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>[0-9]{2}) ${MONTH} (?<year>[0-9]{4}) ${TIME} GMT$`,
  `^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>[0-9]{2})-${MONTH}-(?<year>[0-9]{2}) ${TIME} GMT$`,
  `^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ${MONTH} (?<day>[ 0-9][0-9]) ${TIME} (?<year>[0-9]{4})$`,
].map((form) => new RegExp(form));

/** Two digits of a year mean no year that is further ahead than this. */
const MOST_YEARS_AHEAD = 50;

/** Reads a date in a header, in milliseconds since the epoch; null where the text is not a date of HTTP. */
export function httpDate(text: string): number | null {
  for (const form of FORMS) {
    const { day, month, year, time } = form.exec(text)?.groups ?? {};
    if (day === undefined || month === undefined || year === undefined || time === undefined) continue;
    const date = `${yearOf(year)}-${twoDigits(MONTHS.indexOf(month) + 1)}-${twoDigits(Number(day))}`;
    const at = Date.parse(`${date}T${time}.000Z`);
    // The parser takes 31 February for a day of March, and 24:00:00 for the next day.
    return Number.isFinite(at) && new Date(at).toISOString() === `${date}T${time}.000Z` ? at : null;
  }
  return null;
}

function yearOf(year: string): string {
  if (year.length === 4) return year;
  const now = new Date().getUTCFullYear();
  const near = now - (now % 100) + Number(year);
  return String(near > now + MOST_YEARS_AHEAD ? near - 100 : near);
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** The greatest length of a duration’s text. */
const LONGEST = 100;

/**
 * Parses a duration of CEL (cel-spec, “Durations”), such as `24h`, `1h30m`, `-15m` or `2.5s`, to milliseconds. Null for
 * other text, or for one with fractions of a millisecond.
 */
export function durationOf(text: string): number | null {
  if (text.length > LONGEST || !/^-?(?:\d+(?:\.\d+)?(?:h|ms|m|s))+$/.test(text)) return null;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)) total += Number(amount) * UNITS[unit!]!;
  const exact = Math.round(total);
  if (Math.abs(exact - total) > 1e-6 || !Number.isSafeInteger(exact)) return null;
  return text.startsWith('-') ? -exact : exact;
}

const DAY = 86_400_000;
const ISO =
  /^(-)?P(?:(\d{1,12})W|(?:(\d{1,12})D)?(?:T(?=\d)(?:(\d{1,12})H)?(?:(\d{1,12})M)?(?:(\d{1,12})(?:\.(\d{1,3}))?S)?)?)$/;

/**
 * Parses a duration of ISO 8601 (5.5.2.2) to milliseconds: weeks alone, or days, hours, minutes and seconds, with a
 * sign as in XML Schema (3.3.28). Years and months are not allowed, since they have no fixed length; a day has 24
 * hours. Null for any other text.
 */
export function isoDuration(text: string): number | null {
  const match = ISO.exec(text);
  if (!match || text.length < 3 || text.endsWith('P')) return null;
  const [, sign, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0, fraction = ''] = match;
  const total =
    Number(weeks) * 7 * DAY +
    Number(days) * DAY +
    Number(hours) * 3_600_000 +
    Number(minutes) * 60_000 +
    Number(seconds) * 1000 +
    Number(fraction.padEnd(3, '0'));
  if (!Number.isSafeInteger(total)) return null;
  return sign && total ? -total : total;
}

/** Formats milliseconds by ISO 8601, in XML Schema’s canonical form (`P1DT2H`), which omits components that are 0. */
export function showIsoDuration(milliseconds: number): string {
  const rest = Math.abs(milliseconds);
  const days = Math.floor(rest / DAY);
  const part = (size: number, of: number): number => Math.floor(rest / size) % of;
  const fraction =
    rest % 1000
      ? `.${String(rest % 1000)
          .padStart(3, '0')
          .replace(/0+$/, '')}`
      : '';
  const seconds = part(1000, 60) || fraction ? `${part(1000, 60)}${fraction}S` : '';
  const hours = part(3_600_000, 24);
  const minutes = part(60_000, 60);
  const time = `${hours ? `${hours}H` : ''}${minutes ? `${minutes}M` : ''}${seconds}`;
  if (rest === 0) return 'PT0S';
  return `${milliseconds < 0 ? '-' : ''}P${days ? `${days}D` : ''}${time && `T${time}`}`;
}

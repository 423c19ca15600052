import { type ScalarContract, timestampValue } from '../../contract/kinds.ts';
import { showIsoDuration } from '../../expression/values/duration.ts';
import { FIRST_SECOND, LAST_SECOND } from '../../expression/values/unix-time.ts';
import { allowed, refused, type Variant, variant } from './variant.ts';

const SECOND_MS = 1000;
const DAY_MS = 86_400_000;

/** Instants at the edges of their form, and texts that are nearly instants. `now` is in milliseconds since the epoch. */
export function timestamps({ precision, whole }: ScalarContract<'timestamp'>, now: number): Variant[] {
  if (precision === 'Unix seconds') return unixTimes(whole ?? SECOND_MS, now);
  const fine = precision === 'milliseconds';
  const step = whole ?? 1;
  const day = new Date(now + 2 * DAY_MS).toISOString().slice(0, 10);
  const year = day.slice(0, 4);
  const at = Date.parse(`${day}T10:00:00Z`);
  const takes = (milliseconds: number): boolean => milliseconds % step === 0;
  const is = (text: string, valid: boolean): Variant => variant(text, `is ${text}`, valid);
  const lengths = whole === null ? [] : [whole, whole + 1, whole - 1, whole / 2, whole + SECOND_MS];
  return [
    is(String(timestampValue(at, precision)), true),
    is(`${day}T10:00:00.500Z`, fine && takes(500)),
    is(`${day}T10:00:00.5Z`, fine && takes(500)),
    is(`${day}T10:00:00.000Z`, true),
    is(`${day}T10:00:00.0001Z`, false),
    is(`${day}T10:00:00.5000Z`, false),
    is(`${day}T10:00:00+00:00`, false),
    is(`${day}T12:00:00+02:00`, false),
    is(`${day}T10:00:00`, false),
    is(`${day}T10:00Z`, false),
    is(`${day} 10:00:00Z`, false),
    is(`${day}t10:00:00z`, false),
    is(`${day}T10:00:60Z`, false),
    is(`${day}T24:00:00Z`, false),
    is(`${day}T23:59:59Z`, takes(86_399_000)),
    is(`${year}-02-30T10:00:00Z`, false),
    is('2028-02-29T00:00:00Z', true),
    is('2027-02-29T00:00:00Z', false),
    is('0000-01-01T00:00:00Z', false),
    is('0001-01-01T00:00:00Z', true),
    is('9999-12-31T23:59:00Z', takes(60_000)),
    is(`${year}-12-31T23:59:00Z`, takes(60_000)),
    is(`${year}-01-01T00:00:00Z`, true),
    is('1969-12-31T23:59:00Z', takes(60_000)),
    is(`+00${day}T10:00:00Z`, false),
    is(day, false),
    is('now', false),
    is('', false),
    is(String(timestampValue(now - DAY_MS - (now % step), precision)), true),
    ...lengths.map((more) => is(new Date(at + more).toISOString(), takes(at + more) && (fine || more % 1000 === 0))),
    refused(at, 'is a number of milliseconds'),
  ];
}

/** Instants in seconds since 1970, and values that are nearly so. `step` is in milliseconds. */
function unixTimes(step: number, now: number): Variant[] {
  const at = Math.floor(now / DAY_MS) * (DAY_MS / SECOND_MS);
  const is = (value: number | string, valid: boolean): Variant =>
    variant(value, `is ${typeof value === 'string' ? `the text ${value}` : value}`, valid);
  const takes = (seconds: number): boolean => (seconds * SECOND_MS) % step === 0;
  return [
    ...[0, -1, at, at + 1, at - 86_400, FIRST_SECOND, LAST_SECOND].map((one) => is(one, takes(one))),
    ...[FIRST_SECOND - 1, LAST_SECOND + 1, at + 0.5, at * SECOND_MS].map((one) => is(one, false)),
    is(String(at), false),
    is(new Date(at * SECOND_MS).toISOString(), false),
    is('', false),
  ];
}

/** Days at the edges of their form, and texts that are nearly days. */
export function dates(now: number): Variant[] {
  const today = new Date(now).toISOString().slice(0, 10);
  const year = today.slice(0, 4);
  const is = (text: string, valid: boolean): Variant => variant(text, `is ${text}`, valid);
  const away = [-400, -7, -1, 0, 1, 7, 400].map((days) => new Date(now + days * DAY_MS).toISOString().slice(0, 10));
  return [
    ...away.map((text) => is(text, true)),
    is('2028-02-29', true),
    is('2027-02-29', false),
    is(`${year}-02-30`, false),
    is(`${year}-13-01`, false),
    is(`${year}-1-1`, false),
    is(`${year}-00-10`, false),
    is('0000-01-01', false),
    is('0001-01-01', true),
    is('9999-12-31', true),
    is(`${today}T00:00:00Z`, false),
    is(` ${today}`, false),
    is(`${today}\n`, false),
    is(today.replaceAll('-', ''), false),
    is('', false),
  ];
}

/** Lengths of time at the bounds and past them, and texts that are nearly lengths of time. */
export function durations({ precision, min, max }: ScalarContract<'duration'>): Variant[] {
  const fine = precision === 'milliseconds';
  const unit = fine ? 1 : SECOND_MS;
  const within = (at: number): boolean => at >= (min ?? -Infinity) && at <= (max ?? Infinity);
  const is = (text: string, at: number | null): Variant =>
    variant(text, `is ${text}`, at !== null && within(at) && at % unit === 0);
  const out: Variant[] = [];
  if (min !== null) {
    out.push(allowed(showIsoDuration(min), `is ${showIsoDuration(min)}, its least`));
    out.push(refused(showIsoDuration(min - unit), `is ${showIsoDuration(min - unit)}, less than its least`));
  }
  if (max !== null) {
    out.push(allowed(showIsoDuration(max), `is ${showIsoDuration(max)}, its most`));
    out.push(refused(showIsoDuration(max + unit), `is ${showIsoDuration(max + unit)}, more than its most`));
  }
  const forms: ReadonlyArray<readonly [string, number | null]> = [
    ['P1D', DAY_MS],
    ['PT24H', DAY_MS],
    ['PT1440M', DAY_MS],
    ['PT86400S', DAY_MS],
    ['P1W', 7 * DAY_MS],
    ['P0D', 0],
    ['PT0S', 0],
    ['PT1H30M', 5_400_000],
    ['PT1.5S', 1500],
    ['PT0.001S', 1],
    ['PT0.0001S', null],
    ['-PT1S', -SECOND_MS],
    ['-PT0S', 0],
    ...['P1M', 'P1Y', 'P', 'PT', 'P1DT', 'pt1h', 'PT1h', '1h', '3600', 'PT1,5S', 'P1W1D', ' PT1H', ''].map(
      (text) => [text, null] as const,
    ),
  ];
  return [...out, ...forms.map(([text, at]) => is(text, at)), refused(3600, 'is a number of seconds')];
}

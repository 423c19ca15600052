import { RE2JS } from 're2js';
import { decimalOf, Numeral, plainNumber, showDecimal } from '../expression/values/decimal.ts';
import { isoDuration, showIsoDuration } from '../expression/values/duration.ts';
import { type ColumnKind, isScalarKind, type ScalarKind } from '../expression/values/kinds.ts';
import { codePoints } from '../expression/values/text.ts';
import { FIRST_SECOND, LAST_SECOND, unixTime } from '../expression/values/unix-time.ts';
import type { Value } from '../expression/values/value.ts';
import type { Fault } from '../plan/conditions.ts';
import type { ValueRule, WirePlan } from '../plan/step.ts';
import { trimWhiteSpace } from '../text/white-space.ts';
import { FORMATS } from './formats.ts';

/** The forms of values in requests, as the document states them. */
export type WireForms = Omit<WirePlan, 'missing'>;

/** The forms of values in answers, as the document states them. */
type ShownForms = Pick<WirePlan, 'timestamps' | 'durations' | 'decimals'>;

/** The value that was read from JSON, or the fault of JSON of another kind. */
type Read = { readonly value: Value } | { readonly fault: Fault };

type ReadValue = (raw: unknown) => Read;

/** Checks a value in its computed form; null where it is allowed. */
export type Check = (value: Value) => Fault | null;

/** Writes one value of a kind as JSON. */
export type WriteValue = (value: Exclude<Value, null>) => string;

/** How requests and answers write the values of one kind. Each member is compiled once for a rule. */
interface Wire {
  /** Reads a JSON value, without the limits of the rule. */
  readonly read: (rule: ValueRule, wire: WireForms) => ReadValue;
  /** Reads the text of a parameter, where it differs from the text in JSON. */
  readonly parameter?: (rule: ValueRule, wire: WireForms) => ReadValue;
  /** Checks the limits of the rule. */
  readonly allowed: (rule: ValueRule) => Check;
  /** Writes a value; `scale` is the number of decimal places of a decimal. */
  readonly write: (wire: ShownForms, scale: number) => WriteValue;
}

const unlimited = (): Check => () => null;
const quoted = (): WriteValue => (value) => `"${value as string}"`;

const WIRE: Readonly<Record<ScalarKind, Wire>> = {
  text: {
    read: (_, wire) => {
      const trimmed = wire.text === 'trimmed';
      return (raw) => {
        // A lone surrogate is no character, and U+0000 can't be stored by every store.
        if (typeof raw !== 'string' || !raw.isWellFormed() || raw.includes('\0')) return { fault: 'not_text' };
        return { value: trimmed ? trimWhiteSpace(raw) : raw };
      };
    },
    allowed: textCheck,
    write: () => JSON.stringify,
  },
  uuid: {
    read: () => (raw) => (typeof raw === 'string' ? { value: raw.toLowerCase() } : { fault: 'not_uuid' }),
    allowed: () => (value) => (UUID.test(value as string) ? null : 'not_uuid'),
    write: quoted,
  },
  integer: {
    read: () => readInteger,
    parameter: () => (raw) =>
      /^-?\d{1,16}$/.test(raw as string) ? readInteger(Number(raw)) : { fault: 'not_integer' },
    allowed: withinBounds,
    write: () => String,
  },
  decimal: {
    read: (rule, wire) => decimalReader(rule, wire.decimals),
    // Decimals in parameters are text, whatever their form in JSON is.
    parameter: (rule, wire) => decimalReader(rule, wire.decimals && { ...wire.decimals, as: 'strings' }),
    allowed: withinBounds,
    write: (wire, scale) => {
      const quote = wire.decimals?.as === 'numbers' ? '' : '"';
      return (value) => `${quote}${showDecimal(value as number, scale)}${quote}`;
    },
  },
  boolean: {
    read: () => (raw) => (typeof raw === 'boolean' ? { value: raw } : { fault: 'not_boolean' }),
    parameter: () => (raw) =>
      raw === 'true' || raw === 'false' ? { value: raw === 'true' } : { fault: 'not_boolean' },
    allowed: unlimited,
    write: () => String,
  },
  timestamp: {
    read: (_, wire) => timestampReader(wire),
    parameter: (_, wire) => {
      if (wire.timestamps !== 'Unix seconds') return timestampReader(wire);
      return (raw) => (/^-?\d{1,12}$/.test(raw as string) ? readUnixTime(Number(raw)) : { fault: 'not_timestamp' });
    },
    allowed:
      ({ whole }) =>
      (value) =>
        whole !== null && (value as number) % whole !== 0 ? 'not_whole_minutes' : null,
    write: ({ timestamps }) =>
      timestamps === 'Unix seconds'
        ? (value) => String(unixTime(value as number))
        : timestampWriter(timestamps === 'seconds'),
  },
  date: {
    read: () => (raw) => (typeof raw === 'string' && isDate(raw) ? { value: raw } : { fault: 'not_date' }),
    allowed: unlimited,
    write: quoted,
  },
  duration: {
    read: (_, wire) => {
      const seconds = wire.durations === 'whole seconds';
      return (raw) => readDuration(raw, seconds);
    },
    allowed: withinBounds,
    write: (wire) => {
      const cut = wire.durations === 'whole seconds' ? 1000 : 1;
      return (value) => `"${showIsoDuration(Math.trunc((value as number) / cut) * cut)}"`;
    },
  },
};

/** Compiles the reader of a JSON value without items. It doesn't check the limits of the rule. */
export const reader = (rule: ValueRule, wire: WireForms): ReadValue => WIRE[scalarOf(rule)].read(rule, wire);

/** Compiles the reader of a parameter's text without items. It doesn't check the limits of the rule. */
export function parameterReader(rule: ValueRule, wire: WireForms): ReadValue {
  const { parameter, read } = WIRE[scalarOf(rule)];
  return (parameter ?? read)(rule, wire);
}

function scalarOf({ kind }: ValueRule): ScalarKind {
  if (!isScalarKind(kind)) throw new Error('What has items is read item by item');
  return kind;
}

/** Compiles the limits of a rule to a check, for values from any source; items have checks of their own. */
export function allowedBy(rule: ValueRule): Check {
  if (isScalarKind(rule.kind)) return WIRE[rule.kind].allowed(rule);
  const { min, max } = rule;
  return (value) => {
    const count = value instanceof Map ? value.size : (value as readonly Value[]).length;
    if (min !== null && count < min) return 'too_few';
    return max !== null && count > max ? 'too_many' : null;
  };
}

/** The properties of a value that decide how answers write it: its kind and scale, and those of its items. */
interface ValueForm {
  readonly kind: ColumnKind;
  readonly scale: number | null;
  readonly items: ValueForm | null;
}

/** Compiles the writer of values as JSON. */
export function valueWriter({ kind, scale, items }: ValueForm, wire: ShownForms): WriteValue {
  if (isScalarKind(kind)) return WIRE[kind].write(wire, scale ?? 0);
  if (!items) throw new Error('What has items is written item by item');
  const write = valueWriter(items, wire);
  if (kind === 'map') return mapWriter(write);
  return (value) => `[${(value as readonly Exclude<Value, null>[]).map(write).join(',')}]`;
}

/** Compiles the writer of maps; `write` gives null for an entry that is left out. */
export const mapWriter =
  (write: (value: Exclude<Value, null>) => string | null): WriteValue =>
  (value) => {
    const entries = [...(value as ReadonlyMap<string, Exclude<Value, null>>)];
    const members = entries.flatMap(([key, one]) => {
      const text = write(one);
      return text === null ? [] : [`${JSON.stringify(key)}:${text}`];
    });
    return `{${members.join(',')}}`;
  };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** The year before year 1: RFC 3339 allows it, but the calendars by which times are computed do not have it. */
const BEFORE = '0000';

function withinBounds({ min, max }: ValueRule): Check {
  return (value) => {
    if (min !== null && (value as number) < min) return 'too_small';
    return max !== null && (value as number) > max ? 'too_large' : null;
  };
}

function textCheck(rule: ValueRule): Check {
  const { min, max, oneOf } = rule;
  const format = rule.format && FORMATS[rule.format];
  const pattern = rule.pattern === null ? null : RE2JS.compile(rule.pattern);
  return (given) => {
    const value = given as string;
    if (oneOf && !oneOf.includes(value)) return 'not_one_of';
    if (max !== null && value.length > max && codePoints(value) > max) return 'too_long';
    if (min !== null && min > 0 && codePoints(value) < min) return 'too_short';
    if (pattern && !pattern.test(value)) return 'not_matching';
    return format && !format.test(value) ? format.fault : null;
  };
}

function readInteger(raw: unknown): Read {
  if (typeof raw !== 'number') return raw instanceof Numeral ? longInteger(raw) : { fault: 'not_integer' };
  if (!Number.isInteger(raw)) return { fault: 'not_integer' };
  return { value: raw === 0 ? 0 : raw };
}

/** Reads a number of many digits. A whole one is beyond all limits that a double can express, also when rounded. */
function longInteger({ text }: Numeral): Read {
  return /\.\d*[1-9]/.test(text) ? { fault: 'not_integer' } : { value: Number(text) };
}

function decimalReader(rule: ValueRule, form: WireForms['decimals']): (raw: unknown) => Read {
  const scale = rule.scale ?? 0;
  const rounding = form?.rounding ?? 'refused';
  const wanted = form?.as === 'numbers' ? 'number' : 'string';
  return (raw) => {
    const long = raw instanceof Numeral;
    if ((long ? 'number' : typeof raw) !== wanted) return { fault: 'not_decimal' };
    const text = long ? raw.text : typeof raw === 'number' ? plainNumber(raw) : (raw as string);
    const units = decimalOf(text, scale, rounding);
    return units === null ? { fault: 'not_decimal' } : { value: units };
  };
}

/** RFC 3339 in UTC, written with `Z`, as precise as the document states. */
function readTimestamp(raw: unknown, seconds: boolean): Read {
  if (typeof raw !== 'string' || !TIMESTAMP.test(raw) || raw.startsWith(BEFORE)) return { fault: 'not_timestamp' };
  const at = Date.parse(raw);
  // Date.parse reads a day that the month doesn't have, and the hour 24, as the next day.
  if (!Number.isFinite(at) || new Date(at).getUTCDate() !== Number(raw.slice(8, 10))) return { fault: 'not_timestamp' };
  return seconds && at % 1000 !== 0 ? { fault: 'not_timestamp' } : { value: at };
}

function timestampReader({ timestamps }: WireForms): ReadValue {
  if (timestamps === 'Unix seconds') return readUnixTime;
  const seconds = timestamps === 'seconds';
  return (raw) => readTimestamp(raw, seconds);
}

/** Unix time, in the years that RFC 3339 has. */
function readUnixTime(raw: unknown): Read {
  const isSeconds = Number.isInteger(raw) && (raw as number) >= FIRST_SECOND && (raw as number) <= LAST_SECOND;
  return isSeconds ? { value: (raw as number) * 1000 } : { fault: 'not_timestamp' };
}

/** RFC 3339’s full-date: a day that is in the calendar. */
function isDate(text: string): boolean {
  if (!DATE.test(text) || text.startsWith(BEFORE)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(text);
}

/** ISO 8601, in days or less, as precise as the document states. */
function readDuration(raw: unknown, seconds: boolean): Read {
  const length = typeof raw === 'string' ? isoDuration(raw) : null;
  if (length === null || (seconds && length % 1000 !== 0)) return { fault: 'not_duration' };
  return { value: length };
}

const DAY_MS = 86_400_000;
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

/**
 * Writes instants as ISO 8601 in UTC. The text of the date is reused for instants of the same day, since most that are
 * written together share it.
 */
function timestampWriter(toSeconds: boolean): WriteValue {
  let day = Number.NaN;
  let date = '';
  return (value) => {
    const of = Math.floor((value as number) / DAY_MS);
    if (of !== day) {
      day = of;
      date = new Date(of * DAY_MS).toISOString().slice(0, -'00:00:00.000Z'.length);
    }
    const milliseconds = (value as number) - of * DAY_MS;
    const seconds = Math.floor(milliseconds / 1000);
    const minutes = Math.floor(seconds / 60);
    const time = `${TWO_DIGITS[Math.floor(minutes / 60)]}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[seconds % 60]}`;
    return toSeconds ? `"${date}${time}Z"` : `"${date}${time}.${String(milliseconds % 1000).padStart(3, '0')}Z"`;
  };
}

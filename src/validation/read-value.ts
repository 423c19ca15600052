import { decimalOf, Numeral, plainNumber } from '../expression/values/decimal.ts';
import { isoDuration } from '../expression/values/duration.ts';
import type { Value } from '../expression/values/value.ts';
import type { Fault } from '../plan/conditions.ts';
import type { ValueRule, WirePlan } from '../plan/step.ts';
import { trimWhiteSpace } from '../text/white-space.ts';

/** The forms of values in requests, as the document states them. */
export type WireForms = Omit<WirePlan, 'missing'>;

/** The value that was read from JSON, or the fault of JSON of another kind. */
type Read = { readonly value: Value } | { readonly fault: Fault };

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** The year before year 1: RFC 3339 allows it, but the calendars by which times are computed do not have it. */
const BEFORE = '0000';

/** Compiles the reader of a JSON value without items. It doesn't check the limits of the rule. */
export function reader(rule: ValueRule, wire: WireForms): (raw: unknown) => Read {
  switch (rule.kind) {
    case 'text': {
      const trimmed = wire.text === 'trimmed';
      return (raw) => {
        // A lone surrogate is no character, and U+0000 can't be stored by every store.
        if (typeof raw !== 'string' || !raw.isWellFormed() || raw.includes('\0')) return { fault: 'not_text' };
        return { value: trimmed ? trimWhiteSpace(raw) : raw };
      };
    }
    case 'uuid':
      return (raw) => (typeof raw === 'string' ? { value: raw.toLowerCase() } : { fault: 'not_uuid' });
    case 'integer':
      return (raw) => {
        if (typeof raw !== 'number') return raw instanceof Numeral ? longInteger(raw) : { fault: 'not_integer' };
        if (!Number.isInteger(raw)) return { fault: 'not_integer' };
        return { value: raw === 0 ? 0 : raw };
      };
    case 'decimal':
      return decimalReader(rule, wire.decimals);
    case 'boolean':
      return (raw) => (typeof raw === 'boolean' ? { value: raw } : { fault: 'not_boolean' });
    case 'timestamp':
      return (raw) => timestamp(raw, wire.timestamps === 'seconds');
    case 'date':
      return (raw) => (typeof raw === 'string' && isDate(raw) ? { value: raw } : { fault: 'not_date' });
    case 'duration':
      return (raw) => duration(raw, wire.durations === 'whole seconds');
    case 'list':
    case 'set':
    case 'map':
      throw new Error('What has items is read item by item');
  }
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
function timestamp(raw: unknown, seconds: boolean): Read {
  if (typeof raw !== 'string' || !TIMESTAMP.test(raw) || raw.startsWith(BEFORE)) return { fault: 'not_timestamp' };
  const at = Date.parse(raw);
  // Date.parse reads a day that the month doesn't have, and the hour 24, as the next day.
  if (!Number.isFinite(at) || new Date(at).getUTCDate() !== Number(raw.slice(8, 10))) return { fault: 'not_timestamp' };
  return seconds && at % 1000 !== 0 ? { fault: 'not_timestamp' } : { value: at };
}

/** RFC 3339’s full-date: a day that is in the calendar. */
function isDate(text: string): boolean {
  if (!DATE.test(text) || text.startsWith(BEFORE)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(text);
}

/** ISO 8601, in days or less, as precise as the document states. */
function duration(raw: unknown, seconds: boolean): Read {
  const length = typeof raw === 'string' ? isoDuration(raw) : null;
  if (length === null || (seconds && length % 1000 !== 0)) return { fault: 'not_duration' };
  return { value: length };
}

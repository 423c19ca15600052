import type { Allowed } from '../../src/language/values.ts';
import type { Fault } from '../../src/plan/conditions.ts';
import type { DecimalForm } from '../../src/plan/value-forms.ts';
import { Day, Decimal, Instant, Span, type Val } from './value.ts';

/** A value as it was read, or why it is none of its kind; `minute` says of a timestamp that it is at a whole one. */
export type Reading = { readonly value: Val; readonly minute?: boolean } | { readonly fault: Fault };

/** RFC 3339 in UTC, written with `Z`. */
export function readInstant(raw: unknown, seconds: boolean): Reading {
  const parts =
    typeof raw === 'string' ? /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,3}))?Z$/.exec(raw) : null;
  const fault = { fault: 'not_timestamp' } as const;
  if (!parts) return fault;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    ...number[],
  ];
  const thousandths = Number((parts[7] ?? '').padEnd(3, '0'));
  if (!inCalendar(year, month, day) || hour! > 23 || minute! > 59 || second! > 59) return fault;
  if (seconds && thousandths !== 0) return fault;
  const at = new Date(0);
  at.setUTCFullYear(year, month - 1, day);
  at.setUTCHours(hour!, minute!, second!, thousandths);
  return { value: new Instant(at.getTime()), minute: second === 0 && thousandths === 0 };
}

/** RFC 3339’s full-date. */
export function readDay(raw: unknown): Reading {
  const parts = typeof raw === 'string' ? /^(\d{4})-(\d\d)-(\d\d)$/.exec(raw) : null;
  if (!parts || !inCalendar(Number(parts[1]), Number(parts[2]), Number(parts[3]))) return { fault: 'not_date' };
  return { value: new Day(parts[0]) };
}

function inCalendar(year: number, month: number, day: number): boolean {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  return day >= 1 && day <= days;
}

/** ISO 8601 in weeks, or in days, hours, minutes and seconds. */
export function readDuration(raw: unknown, seconds: boolean): Reading {
  const fault = { fault: 'not_duration' } as const;
  if (typeof raw !== 'string') return fault;
  const weeks = /^(-?)P(\d+)W$/.exec(raw);
  const parts = /^(-?)P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d{1,3}))?S)?)?$/.exec(raw);
  if ((!parts && !weeks) || /[PT]$/.test(raw)) return fault;
  const [, sign, days = 0, hours = 0, minutes = 0, whole = 0, part = ''] = parts ?? [];
  const length = weeks
    ? Number(weeks[2]) * 604_800_000
    : Number(days) * 86_400_000 + Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(whole) * 1000;
  const total = length + Number(part.padEnd(3, '0'));
  if (seconds && total % 1000 !== 0) return fault;
  return { value: new Span((weeks ? weeks[1] : sign) ? 0 - total : total) };
}

/** The canonical form of a duration (XML Schema). */
export function showDuration({ length }: Span): string {
  const all = Math.abs(length);
  const days = Math.floor(all / 86_400_000);
  const hours = Math.floor(all / 3_600_000) % 24;
  const minutes = Math.floor(all / 60_000) % 60;
  const seconds = (all % 60_000) / 1000;
  const time = `${hours ? `${hours}H` : ''}${minutes ? `${minutes}M` : ''}${seconds ? `${seconds}S` : ''}`;
  const text = `${days ? `${days}D` : ''}${time && `T${time}`}`;
  return `${length < 0 ? '-' : ''}P${text || 'T0S'}`;
}

/** A decimal in the form stated; one with more digits than its field has is refused, or rounded as stated. */
export function readDecimal(raw: unknown, allowed: Allowed, form: DecimalForm): Reading {
  const fault = { fault: 'not_decimal' } as const;
  if (typeof raw !== (form.as === 'numbers' ? 'number' : 'string')) return fault;
  const parts = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?$/.exec(String(raw));
  if (!parts) return fault;
  const scale = allowed.kind === 'decimals' ? allowed.scale : 0;
  const [, sign, whole, after = ''] = parts;
  const more = after.slice(scale).replace(/0+$/, '');
  if (more && form.rounding === 'refused') return fault;
  const units = BigInt(`${whole}${after.slice(0, scale).padEnd(scale, '0')}`);
  const rounded = units + (more && awayFromZero(units, more, form.rounding) ? 1n : 0n);
  return { value: new Decimal(Number(sign ? -rounded : rounded) + 0, scale) };
}

function awayFromZero(units: bigint, more: string, rounding: DecimalForm['rounding']): boolean {
  if (rounding === 'down') return false;
  if (/^50*$/.test(more)) return rounding === 'half up' || units % 2n === 1n;
  return more[0]! >= '5';
}

/** A decimal with all of its digits. */
export function showDecimal({ units, scale }: Decimal): string {
  const digits = String(Math.abs(units)).padStart(scale + 1, '0');
  const point = digits.length - scale;
  return `${units < 0 ? '-' : ''}${digits.slice(0, point)}${scale ? `.${digits.slice(point)}` : ''}`;
}

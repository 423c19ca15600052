import { RE2JS } from 're2js';
import type { Model } from '../../src/model/model.ts';
import type { Fault } from '../../src/parts/errors/conditions.ts';
import type { Allowed, FieldType, Format } from '../../src/parts/resources/model.ts';
import { identityName } from './rows.ts';
import { Instant, type Val } from './value.ts';

/** What a field or a parameter says of its values. */
export interface Kind {
  readonly type: FieldType;
  readonly format: Format;
  readonly allowed: Allowed;
}

/** A value that is allowed, or the fault of one that isn’t. */
export type Checked = { readonly value: Val } | { readonly fault: Fault };

/** What a field says of its values; a reference is a value of its target’s identity. */
export function kindOf(model: Model, resource: string, field: string): Kind {
  const { fields } = model.resources.list.find((one) => one.name.text === resource)!;
  const found = fields.find((one) => one.name.text === field)!;
  const type = found.type!.value;
  if (type.kind === 'reference') {
    const target = model.resources.list.find((one) => one.name.text === type.resource.text)!;
    return kindOf(model, type.resource.text, identityName(target));
  }
  return { type, format: found.format?.value ?? 'none', allowed: found.allowed?.value ?? { kind: 'any' } };
}

/** Checks a value of a body that is not null. */
export function checkJson(model: Model, kind: Kind, raw: unknown): Checked {
  switch (kind.type.kind) {
    case 'integer':
      return checkInteger(kind, raw);
    case 'boolean':
      return typeof raw === 'boolean' ? { value: raw } : { fault: 'not_boolean' };
    case 'timestamp':
      return checkTimestamp(raw, model.resources.rules.timestamps?.value === 'seconds');
    case 'string':
      return checkText(kind, raw, model.resources.rules.text?.value === 'trimmed');
    default:
      throw new Error(`Values of ${kind.type.kind} are not known here`);
  }
}

/** Checks what stands in a path, a query or a command, which is text. */
export function checkWritten(model: Model, kind: Kind, raw: string): Checked {
  switch (kind.type.kind) {
    case 'integer':
      return /^-?\d{1,16}$/.test(raw) ? checkInteger(kind, Number(raw)) : { fault: 'not_integer' };
    case 'boolean':
      return raw === 'true' || raw === 'false' ? { value: raw === 'true' } : { fault: 'not_boolean' };
    default:
      return checkJson(model, kind, raw);
  }
}

function checkInteger({ allowed }: Kind, raw: unknown): Checked {
  if (typeof raw !== 'number' || !Number.isInteger(raw)) return { fault: 'not_integer' };
  if (allowed.kind === 'range' && raw < allowed.min) return { fault: 'too_small' };
  if (allowed.kind === 'range' && raw > allowed.max) return { fault: 'too_large' };
  return { value: raw + 0 };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

function checkText({ allowed, format }: Kind, raw: unknown, trimmed: boolean): Checked {
  if (format === 'uuid') {
    const lower = typeof raw === 'string' ? raw.toLowerCase() : '';
    return UUID.test(lower) ? { value: lower } : { fault: 'not_uuid' };
  }
  if (typeof raw !== 'string' || !raw.isWellFormed() || raw.includes('\0')) return { fault: 'not_text' };
  const value = trimmed ? raw.trim() : raw;
  const length = [...value].length;
  if (allowed.kind === 'one of' && !allowed.values.some((one) => one.text === value)) return { fault: 'not_one_of' };
  if (allowed.kind === 'length' && length > allowed.max) return { fault: 'too_long' };
  if (allowed.kind === 'length' && length < allowed.min) return { fault: 'too_short' };
  if (allowed.kind === 'pattern' && !RE2JS.compile(allowed.source).test(value)) return { fault: 'not_matching' };
  if (format === 'email' && !EMAIL.test(value)) return { fault: 'not_email' };
  return { value };
}

function checkTimestamp(raw: unknown, seconds: boolean): Checked {
  const fault = { fault: 'not_timestamp' } as const;
  const parts =
    typeof raw === 'string' ? /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,3}))?Z$/.exec(raw) : null;
  if (!parts) return fault;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    ...number[],
  ];
  if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return fault;
  if (hour! > 23 || minute! > 59 || second! > 59) return fault;
  const thousandths = Number((parts[7] ?? '').padEnd(3, '0'));
  if (seconds && thousandths !== 0) return fault;
  const at = new Date(0);
  at.setUTCFullYear(year, month - 1, day);
  at.setUTCHours(hour!, minute!, second!, thousandths);
  return { value: new Instant(at.getTime()) };
}

function daysOf(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
}

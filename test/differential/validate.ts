import { RE2JS } from 're2js';
import type { Parameter } from '../../src/compiler/statements/endpoints.ts';
import type { Model } from '../../src/compiler/statements/model.ts';
import type { Allowed, FieldType, Format } from '../../src/language/values.ts';
import type { Fault } from '../../src/plan/conditions.ts';
import { type Reading, readDay, readDecimal, readDuration, readInstant } from './measures.ts';
import { identityName } from './rows.ts';
import { Decimal, Instant, order, Span, same, type Val } from './value.ts';

/** What a field or a parameter says of its values. */
export interface Kind {
  readonly type: FieldType;
  readonly format: Format;
  readonly allowed: Allowed;
}

/** One fault, and where it stands in a list. */
export interface FaultIn {
  readonly code: Fault;
  readonly item: number | null;
}

/** A value that is allowed, or the faults of one that isn’t. */
export type Checked = { readonly value: Val } | { readonly faults: readonly FaultIn[] };

const fault = (code: Fault): Checked => ({ faults: [{ code, item: null }] });

/** What a field says of its values; a reference is a value of its target’s identity. */
export function kindOf(model: Model, resource: string, field: string): Kind {
  const { fields } = model.resources.list.find((one) => one.name.text === resource)!;
  const found = fields.find((one) => one.name.text === field)!;
  const type = found.type!.value;
  if (type.kind === 'reference') {
    const target = model.resources.list.find((one) => one.name.text === type.resource.text)!;
    return kindOf(model, type.resource.text, identityName(target));
  }
  if ((type.kind === 'list' || type.kind === 'set') && type.of.kind === 'reference') {
    const target = model.resources.list.find((one) => one.name.text === targetOf(type))!;
    const item = kindOf(model, target.name.text, identityName(target));
    const { min, max } = found.allowed!.value as Extract<Allowed, { kind: 'items' }>;
    const allowed: Allowed = { kind: 'items', min, max, keys: null, each: item.allowed };
    return { type: { ...type, of: item.type }, format: item.format, allowed };
  }
  const numbered = found.givenBy?.value.some((giving) => giving.from === 'sequence');
  const any: Allowed = numbered ? { kind: 'range', min: 1, max: Number.MAX_SAFE_INTEGER } : { kind: 'any' };
  return { type, format: found.format?.value ?? 'none', allowed: numbered ? any : (found.allowed?.value ?? any) };
}

/** The resource that the items of a list or set of references point at; null for any other type. */
export const targetOf = (type: FieldType): string | null =>
  'of' in type && type.of.kind === 'reference' ? type.of.resource.text : null;

/** What a parameter says of its values. */
export function kindOfParameter(model: Model, parameter: Parameter): Kind {
  const type = parameter.type!.value;
  if (type.kind === 'field') return kindOf(model, type.resource.text, type.field.text);
  return { type: type.type, format: 'none', allowed: parameter.allowed!.value };
}

/** Checks a value of a body that is not null. */
export function checkJson(model: Model, kind: Kind, raw: unknown): Checked {
  const { rules } = model.resources;
  switch (kind.type.kind) {
    case 'list':
    case 'set':
      return checkItems(model, kind, raw, checkJson);
    case 'integer':
      if (typeof raw !== 'number' || !Number.isInteger(raw)) return fault('not_integer');
      return bounded(kind, { value: raw + 0 });
    case 'boolean':
      return typeof raw === 'boolean' ? { value: raw } : fault('not_boolean');
    case 'timestamp':
      return bounded(kind, readInstant(raw, rules.timestamps?.value === 'seconds'));
    case 'date':
      return bounded(kind, readDay(raw));
    case 'duration':
      return bounded(kind, readDuration(raw, rules.durations?.value === 'whole seconds'));
    case 'decimal':
      return bounded(kind, readDecimal(raw, kind.allowed, rules.decimals!.value));
    case 'string':
      return checkText(kind, raw, rules.text?.value === 'trimmed');
    default:
      throw new Error(`Values of ${kind.type.kind} are not known here`);
  }
}

/** Checks what stands in a path, a query or a command, which is text. */
export function checkWritten(model: Model, kind: Kind, raw: unknown): Checked {
  const text = String(raw);
  switch (kind.type.kind) {
    case 'integer':
      return /^-?\d{1,16}$/.test(text) ? checkJson(model, kind, Number(text)) : fault('not_integer');
    case 'boolean':
      return text === 'true' || text === 'false' ? { value: text === 'true' } : fault('not_boolean');
    case 'decimal':
      return bounded(
        kind,
        readDecimal(text, kind.allowed, { ...model.resources.rules.decimals!.value, as: 'strings' }),
      );
    case 'list':
    case 'set':
      return checkItems(model, kind, text === '' ? [] : text.split(','), checkWritten);
    default:
      return checkJson(model, kind, text);
  }
}

/** Checks the items of a list or a set, each with its place. */
function checkItems(model: Model, kind: Kind, raw: unknown, check: typeof checkJson): Checked {
  if (!Array.isArray(raw)) return fault('not_list');
  const { type, allowed } = kind;
  if (allowed.kind === 'items' && raw.length < allowed.min) return fault('too_few');
  if (allowed.kind === 'items' && raw.length > allowed.max) return fault('too_many');
  const each = itemsOf(kind);
  const faults: FaultIn[] = [];
  const items: Val[] = [];
  const { text, emptyText } = model.resources.rules;
  for (const [item, one] of raw.entries()) {
    const trimmed = typeof one === 'string' && text?.value === 'trimmed' ? one.trim() : one;
    const nothing = one === null || (trimmed === '' && emptyText?.value === 'null');
    const checked = nothing ? fault('null_refused') : check(model, each, one);
    if ('faults' in checked) faults.push({ code: checked.faults[0]!.code, item });
    else if (type.kind === 'set' && items.some((other) => same(other, checked.value)))
      faults.push({ code: 'repeated', item });
    else items.push(checked.value);
  }
  if (faults.length) return { faults };
  return { value: type.kind === 'set' ? items.sort(order) : items };
}

/** What is said of the items of a list or a set. */
export function itemsOf({ type, format, allowed }: Kind): Kind {
  const { of } = type as Extract<FieldType, { of: FieldType }>;
  return { type: of, format, allowed: (allowed.kind === 'items' && allowed.each) || { kind: 'any' } };
}

/** Checks a value that was computed: what is allowed of it, and not how it is written. */
export function recheck(kind: Kind, value: Val): Checked {
  if (typeof value === 'string') return checkText(kind, value, false);
  const minute = value instanceof Instant && value.at % 60_000 === 0;
  if (!Array.isArray(value)) return bounded(kind, { value, minute });
  const { allowed } = kind;
  if (allowed.kind === 'items' && value.length < allowed.min) return fault('too_few');
  if (allowed.kind === 'items' && value.length > allowed.max) return fault('too_many');
  const each = itemsOf(kind);
  return value.map((one) => recheck(each, one as Val)).find((one) => 'faults' in one) ?? { value };
}

/** Holds a value that was read against what is allowed. */
function bounded({ allowed }: Kind, read: Reading): Checked {
  if ('fault' in read) return fault(read.fault);
  const { value } = read;
  if (allowed.kind === 'range' || allowed.kind === 'durations' || allowed.kind === 'decimals') {
    if (sizeOf(value) < allowed.min) return fault('too_small');
    if (sizeOf(value) > allowed.max) return fault('too_large');
  }
  if (allowed.kind === 'whole minutes' && read.minute === false) return fault('not_whole_minutes');
  return { value };
}

function sizeOf(value: Val): number {
  if (value instanceof Span) return value.length;
  return value instanceof Decimal ? value.units : (value as number);
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

function isZone(name: string): boolean {
  try {
    return /^[A-Z]/.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }) !== null;
  } catch {
    return false;
  }
}

function checkText({ allowed, format }: Kind, raw: unknown, trimmed: boolean): Checked {
  if (format === 'uuid') {
    const lower = typeof raw === 'string' ? raw.toLowerCase() : '';
    return UUID.test(lower) ? { value: lower } : fault('not_uuid');
  }
  if (typeof raw !== 'string' || !raw.isWellFormed() || raw.includes('\0')) return fault('not_text');
  const value = trimmed ? raw.trim() : raw;
  const length = [...value].length;
  if (allowed.kind === 'one of' && !allowed.values.some((one) => one.text === value)) return fault('not_one_of');
  if (allowed.kind === 'length' && length > allowed.max) return fault('too_long');
  if (allowed.kind === 'length' && length < allowed.min) return fault('too_short');
  if (allowed.kind === 'pattern' && !RE2JS.compile(allowed.source).test(value)) return fault('not_matching');
  if (format === 'email' && !EMAIL.test(value)) return fault('not_email');
  if (format === 'time zone' && !isZone(value)) return fault('not_time_zone');
  return { value };
}

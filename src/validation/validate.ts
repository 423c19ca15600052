import { Numeral } from '../expression/values/decimal.ts';
import { jsonOf, sortedMap } from '../expression/values/json.ts';
import { compareText, type Value } from '../expression/values/value.ts';
import type { Fault } from '../plan/conditions.ts';
import type { ValueRule } from '../plan/step.ts';
import { trimWhiteSpace } from '../text/white-space.ts';
import { allowedBy, type Check, parameterReader, reader, type WireForms } from './wire.ts';

/** A refused value: its fault, and the faults of its items where only some are refused. */
interface Refused {
  readonly fault: Fault;
  readonly items?: readonly ItemFault[];
}

/** The fault of an item; `at` is the JSON Pointer from the value to the item (RFC 6901). */
export interface ItemFault {
  readonly at: string;
  readonly code: Fault;
}

/** The result of checking a value: the value in the form in which it is stored, or its faults. */
export type Validated = { readonly value: Value } | Refused;

/** Checks one value that is not null. */
export type Validator = (raw: unknown) => Validated;

/** Whether a value that was read from JSON is an object. */
export const isObject = (raw: unknown): raw is Record<string, unknown> =>
  typeof raw === 'object' && raw !== null && !Array.isArray(raw) && !(raw instanceof Numeral);

/** Returns all faults of a refused value, each with its JSON Pointer. */
export function faultsAt(refused: Refused, at: string): ItemFault[] {
  if (!refused.items) return [{ at, code: refused.fault }];
  return refused.items.map((one) => ({ at: at + one.at, code: one.code }));
}

/** Compiles a rule to a check of JSON values in the document's forms. */
export function validator(rule: ValueRule, wire: WireForms): Validator {
  if (!rule.items) return checked(rule, reader(rule, wire));
  const item = validator(rule.items, wire);
  if (rule.kind !== 'map') return checked(rule, itemsReader(rule, item, wire));
  return checked(rule, mapReader(rule, item, { isNull: nullIn(wire), patch: false }));
}

/**
 * Compiles the check of a value that is merged into a stored one: null removes a key of a map, and the keys are counted
 * after the merge.
 */
export function patchValidator(rule: ValueRule, wire: WireForms): Validator {
  if (rule.kind !== 'map') return validator(rule, wire);
  return mapReader(rule, patchValidator(rule.items!, wire), { isNull: nullIn(wire), patch: true });
}

const nullIn =
  (wire: WireForms | null) =>
  (raw: unknown): boolean =>
    raw === null || (wire !== null && emptyIsNull(raw, wire));

/** Compiles a rule to a check of values that an expression has computed. */
export function computedValidator(rule: ValueRule): Validator {
  if (!rule.items) return checked(rule, (value) => ({ value: value as Value }));
  const item = computedValidator(rule.items);
  if (rule.kind !== 'map') return checked(rule, itemsReader(rule, item, null));
  return checked(rule, mapReader(rule, item, { isNull: nullIn(null), patch: false }));
}

function checked(rule: ValueRule, read: Validator): Validator {
  const check = allowedBy(rule);
  return (raw) => {
    const got = read(raw);
    if ('fault' in got) return got;
    const fault = check(got.value);
    return fault === null ? got : { fault };
  };
}

/**
 * Reads a list or a set, item by item. An item is never null, nor empty text where empty text means null. A set in a
 * request names each item once (`uniqueItems` of JSON Schema); duplicates in a computed set are removed.
 */
function itemsReader(rule: ValueRule, item: Validator, wire: WireForms | null): Validator {
  const most = rule.max ?? Number.POSITIVE_INFINITY;
  const isNull = nullIn(wire);
  return (raw) => {
    if (!Array.isArray(raw)) return { fault: 'not_list' };
    // Checked before the items are read, so that a list that is too long costs no more than an allowed one.
    if (wire && raw.length > most) return { fault: 'too_many' };
    const values: Value[] = [];
    const faults: ItemFault[] = [];
    const seen = rule.kind === 'set' ? new Set<string>() : null;
    for (const [i, one] of raw.entries()) {
      const got: Validated = isNull(one) ? { fault: 'null_refused' } : item(one);
      if ('fault' in got) for (const fault of faultsAt(got, `/${i}`)) faults.push(fault);
      else if (!seen?.has(jsonOf(got.value))) {
        seen?.add(jsonOf(got.value));
        values.push(got.value);
      } else if (wire) faults.push({ at: `/${i}`, code: 'repeated' });
    }
    if (faults.length) return { fault: faults[0]!.code, items: faults };
    return { value: seen ? values.sort(compareValues) : values };
  };
}

/**
 * Whether a value is empty text that means null, as the document states. White space is trimmed first where the
 * document says so.
 */
export function emptyIsNull(raw: unknown, wire: Pick<WireForms, 'text' | 'emptyText'>): boolean {
  if (wire.emptyText !== 'null' || typeof raw !== 'string') return false;
  return (wire.text === 'trimmed' ? trimWhiteSpace(raw) : raw) === '';
}

/** The order of a set’s items: text by code point, numbers by size, false before true, lists by their JSON. */
function compareValues(a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  return compareText(jsonOf(a), jsonOf(b));
}

/** Compiles the check of a parameter's text, in a path, query or header; `split` separates the items of a list. */
export function textParameter(rule: ValueRule, wire: WireForms, split = atCommas): (raw: string) => Validated {
  if (rule.items) {
    const item = textParameter(rule.items, wire);
    const list = checked(rule, itemsReader(rule, item as Validator, { ...wire, emptyText: 'kept' }));
    return (raw) => list(raw === '' ? [] : split(raw));
  }
  return checked(rule, parameterReader(rule, wire));
}

/** Compiles the check of a value in a form: a list is a name that is repeated, any other value the text of a parameter. */
export function formValidator(rule: ValueRule, wire: WireForms): Validator {
  if (rule.items) {
    const list = checked(rule, itemsReader(rule, formValidator(rule.items, wire), wire));
    return (raw) => list(Array.isArray(raw) ? raw : [raw]);
  }
  const read = textParameter(rule, wire);
  return (raw) => (Array.isArray(raw) ? { fault: 'repeated' } : read(raw as string));
}

/** Whether a value was refused because its name occurs several times in a form. */
export const isRepeated = (checked: Validated): boolean =>
  'fault' in checked && checked.fault === 'repeated' && !checked.items;

const atCommas = (raw: string): string[] => raw.split(',');

/** Options of a map's reader: which values count as null, and whether null removes a key (RFC 7396) or is refused. */
interface MapReading {
  readonly isNull: (raw: unknown) => boolean;
  readonly patch: boolean;
}

/** Reads a map, an object in JSON, value by value. Its keys are kept as they are sent. */
function mapReader(rule: ValueRule, item: Validator, how: MapReading): Validator {
  const most = rule.max ?? Number.POSITIVE_INFINITY;
  const allowedKey = allowedBy(rule.keys!);
  return (raw) => {
    const entries = entriesOf(raw);
    if (!entries) return { fault: 'not_an_object' };
    if (!how.patch && entries.length > most) return { fault: 'too_many' };
    const values: Array<readonly [string, Value]> = [];
    const faults: ItemFault[] = [];
    for (const [key, one] of entries) {
      // An answer must not contain a lone surrogate (RFC 7493, section 2.1).
      const at = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`.toWellFormed();
      const fault = keyFault(key, allowedKey);
      const got = how.isNull(one) ? (how.patch ? { value: null } : ({ fault: 'null_refused' } as const)) : item(one);
      if (fault) faults.push({ at, code: fault });
      else if ('fault' in got) for (const inner of faultsAt(got, at)) faults.push(inner);
      else values.push([key, got.value]);
    }
    if (faults.length) return { fault: faults[0]!.code, items: faults };
    return { value: sortedMap(values) };
  };
}

function entriesOf(raw: unknown): Array<[string, unknown]> | null {
  if (raw instanceof Map) return [...raw];
  return isObject(raw) ? Object.entries(raw) : null;
}

function keyFault(key: string, allowed: Check) {
  return key.isWellFormed() && !key.includes('\0') ? allowed(key) : 'not_text';
}

/**
 * Applies a merge patch to a map (RFC 7396): null removes a key, maps are merged, and other values replace the old
 * ones.
 */
export function merged(map: ReadonlyMap<string, Value> | null, patch: ReadonlyMap<string, Value>): Value {
  const out = new Map(map ?? []);
  for (const [key, value] of patch) {
    const known = out.get(key);
    if (value === null) out.delete(key);
    else if (value instanceof Map) out.set(key, merged(known instanceof Map ? known : null, value));
    else out.set(key, value);
  }
  return sortedMap([...out]);
}

import { scalarKindOf, type Type } from '../expression/tree/types.ts';
import type { Row, Value } from '../expression/values/value.ts';
import { parseJson } from '../http/json.ts';
import { fieldOfColumn } from '../plan/files.ts';
import type { ResourcePlan, ValueRule, WirePlan } from '../plan/step.ts';
import type { Program } from '../store/store.ts';
import { textParameter, type Validated, validator } from '../validation/validate.ts';
import { valueWriter } from '../validation/wire.ts';
import type { Resource } from './resources/rules.ts';

/** Examples of how the operator writes values with items. */
export const JSON_FORM: Readonly<Record<string, string>> = {
  list: 'such as ["a", "b"]',
  set: 'such as ["a", "b"]',
  map: 'such as {"a": "b"}',
};

/**
 * Reads a value as the operator writes it: lists and maps as JSON, since items may contain commas; others like
 * parameters.
 */
export function writtenValue(rule: ValueRule, wire: WirePlan, text: string): Validated {
  if (!rule.items) return textParameter(rule, wire)(text);
  const parsed = parseJson(Buffer.from(text));
  return parsed.ok
    ? validator(rule, wire)(parsed.value)
    : { fault: rule.kind === 'map' ? 'not_an_object' : 'not_list' };
}

/** Whether a row may have a text as its identity. PostgreSQL refuses a statement with a text that is no number for one. */
export function mayBeIdentity({ columns, identity }: ResourcePlan, text: string): boolean {
  const isInteger = columns.some(({ name, rule }) => name === identity && rule.kind === 'integer');
  if (isInteger) return /^(?:0|-?[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text));
  return text.isWellFormed() && !text.includes('\0');
}

/** Finds a row by its identity as the operator writes it. */
export function* rowOf(resource: Resource, id: string): Program<Row | null> {
  return mayBeIdentity(resource.plan, id) ? yield* resource.byIdentity(id) : null;
}

/** Values for the operator have the precision of stored ones. */
const OPERATORS = { timestamps: 'milliseconds', durations: 'milliseconds', decimals: null } as const;

/** Returns a value for the operator, as JSON text; values other than the document's texts have no quotes. */
export function shownValue(rule: ValueRule, value: Value): string {
  if (value === null) return 'null';
  const json = valueWriter(rule, OPERATORS)(value);
  return rule.kind === 'text' || rule.items ? json : json.replace(/^"(.*)"$/, '$1');
}

/** Returns a row for the operator: every field, with readable timestamps. */
export function shownToOperator(resource: Resource, row: Row): Record<string, unknown> {
  return Object.fromEntries(
    resource.plan.columns.flatMap(({ name, rule, password }, i) => {
      if (password || fieldOfColumn(name) !== null) return [];
      const value = row[i] ?? null;
      return [[name, value === null ? null : JSON.parse(valueWriter(rule, OPERATORS)(value))]];
    }),
  );
}

/** Returns a derived value for JSON: rows become their identities. */
export function derivedJson(type: Type, value: Value): unknown {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map((one) => derivedJson(type.kind === 'list' ? type.of : type, one));
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, one]) => [key, String(one)]));
  const kind = scalarKindOf(type);
  const scale = type.kind === 'decimal' ? type.scale : null;
  return kind ? JSON.parse(valueWriter({ kind, scale, items: null }, OPERATORS)(value)) : value;
}

import type { Expression } from '../contract/types.ts';

/** The data of an export, before it is serialized as JSON or YAML. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}

/** The object without undefined members. */
export function present(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

/** Converts facts of the contract to JSON, without line numbers; an expression becomes its text. */
export function facts(value: unknown): Json {
  if (Array.isArray(value)) return value.map(facts);
  if (typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value !== 'object' || value === null) return null;
  if (isExpression(value)) return value.text;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => (name === 'lines' ? [] : [[name, facts(one)]])),
  );
}

const isExpression = (value: object): value is Expression => 'tree' in value && 'text' in value;

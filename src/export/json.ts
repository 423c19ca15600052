import type { Expression } from '../contract/types.ts';
import { isObject } from '../text/own-members.ts';
import { jsonText } from '../text/visible.ts';

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

/** The longest line of a value that is written on one line. */
const WIDTH = 120;

/**
 * The text of JSON for people: an object or array is on one line where it fits, and an object that has only an object
 * begins and ends on the lines of that object.
 */
export function documentText(value: Json, indent = ''): string {
  const line = onOneLine(value, WIDTH - indent.length);
  if (line !== null || typeof value !== 'object' || value === null) return line ?? jsonText(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) return `[\n${value.map((one) => inner + documentText(one, inner)).join(',\n')}\n${indent}]`;
  const [only, ...others] = Object.entries(value);
  if (only && others.length === 0 && isObject(only[1]))
    return `{ ${jsonText(only[0])}: ${documentText(only[1], indent)} }`;
  const members = Object.entries(value).map(([name, one]) => `${inner}${jsonText(name)}: ${documentText(one, inner)}`);
  return `{\n${members.join(',\n')}\n${indent}}`;
}

/** A value on one line; null if the line would be too long. */
function onOneLine(value: Json, width: number): string | null {
  if (typeof value !== 'object' || value === null) return within(jsonText(value), width);
  const isArray = Array.isArray(value);
  const parts: string[] = [];
  let left = width - 2;
  for (const [name, one] of Object.entries(value)) {
    const key = isArray ? '' : `${jsonText(name)}: `;
    const text = left > 0 ? onOneLine(one, left - key.length) : null;
    if (text === null) return null;
    parts.push(key + text);
    left -= key.length + text.length + 2;
  }
  if (isArray) return within(`[${parts.join(', ')}]`, width);
  return within(parts.length ? `{ ${parts.join(', ')} }` : '{}', width);
}

const within = (text: string, width: number): string | null => (text.length <= width ? text : null);

const isExpression = (value: object): value is Expression => 'tree' in value && 'text' in value;

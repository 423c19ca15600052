import { compareText, type Value } from './value.ts';

/** A value as JSON text, which is equal for equal values; the keys of maps are sorted. */
export function jsonOf(value: Value | undefined): string {
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`;
  if (!(value instanceof Map)) return JSON.stringify(value ?? null);
  return `{${[...value].map(([key, one]) => `${JSON.stringify(key)}:${jsonOf(one)}`).join(',')}}`;
}

/** The value of JSON text that `jsonOf` has written. */
export function valueOfJson(text: string): Value {
  const value = JSON.parse(text);
  // Without a brace, the JSON has no map.
  return text.includes('{') ? withMaps(value) : value;
}

/** Converts the objects in a JSON value to maps. */
export function withMaps(value: unknown): Value {
  if (Array.isArray(value)) return value.map(withMaps);
  if (typeof value !== 'object' || value === null) return value as Value;
  return sortedMap(Object.entries(value).map(([key, one]) => [key, withMaps(one)]));
}

/** A map with sorted keys. */
export function sortedMap(entries: Array<readonly [string, Value]>): ReadonlyMap<string, Value> {
  return new Map(entries.sort(([a], [b]) => compareText(a, b)));
}

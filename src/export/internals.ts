import type { Json, JsonObject } from './json.ts';

/** Members that hold schemas or operations for callers, which the standards have no members for. */
const FOR_CALLERS: ReadonlySet<string> = new Set([
  'x-ninefold-query',
  'x-ninefold-item',
  'x-ninefold-columns',
  'x-ninefold-schema',
  'x-ninefold-request-headers',
]);

/** Members that are maps, whose names belong to the service. */
const MAPS: ReadonlySet<string> = new Set(['properties', 'headers', 'schemas', '$defs']);

/** Members whose values are data of the service, not parts of the description. */
const DATA: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'enum', 'const']);

/**
 * A description without the members that begin with `x-ninefold-`, for the people who call the service. Callers find
 * the facts that concern them in words.
 */
export function forCallers<T extends Json>(value: T): T;
export function forCallers(value: Json): Json {
  if (Array.isArray(value)) return value.map((one) => forCallers(one));
  return typeof value === 'object' && value !== null ? ofObject(value as JsonObject) : value;
}

function ofObject(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]): Array<[string, Json]> => {
      if (MAPS.has(name)) return [[name, ofMap(one)]];
      if (DATA.has(name)) return [[name, one]];
      return name.startsWith('x-ninefold-') && !FOR_CALLERS.has(name) ? [] : [[name, forCallers(one)]];
    }),
  );
}

const ofMap = (value: Json): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, forCallers(one)]))
    : value;

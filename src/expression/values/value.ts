/**
 * A value in computations: timestamps are milliseconds since the epoch, durations milliseconds, dates ISO text,
 * decimals integers in units of the last digit, and UUIDs text in lower case. A set is a sorted array without
 * repetitions; a map has sorted keys. Equal lists, sets and maps have equal JSON.
 */
export type Value = Scalar | readonly Value[] | ReadonlyMap<string, Value>;

/** A value without parts. */
type Scalar = string | number | boolean | null;

/** A row: its columns in the order of the resource, then its revision, then the instants of its timers. */
export type Row = Value[];

/** Values of claims by their names. */
export type Claims = ReadonlyMap<string, Value>;

export const NO_CLAIMS: Claims = new Map();

/** The values of the names in expressions, while one request (or timer, or command) runs. */
export interface Frame {
  /** The time of the transaction, in milliseconds since the epoch. */
  now: number;
  caller: Row | null;
  /** The resource of the caller’s row. */
  callerOf: string | null;
  scopes: readonly string[];
  /** The claims of the caller's token that expressions read; one that is absent is null. */
  claims: Claims;
  path: readonly (Value | undefined)[];
  query: readonly (Value | undefined)[];
  header: readonly (Value | undefined)[];
  /** `undefined` where a field was not sent. */
  request: readonly (Value | undefined)[];
  /** The results that steps have named: rows, values, and lists of either. */
  vars: unknown[];
  /** The row of `this` and of bare field names. */
  row: Row | null;
  /** The results of aggregates, which are computed before the expression that uses them. */
  results: Value[];
  /** The variables that macros bind, outermost first. */
  bound: Value[];
  /** The API version of the request, for entity tags. */
  version: string;
  /** The source of random values, which repeats them; null where none have to be repeated. */
  drawn: Drawn | null;
}

/** Random values, by kind and in order. When a transaction is run again, it gets the same values. */
export interface Drawn {
  /** `kind`: all draws of one kind have the same form. */
  next(kind: string, make: () => string): string;
}

/** A frame with the time alone, for timers and the operator’s commands. */
export function emptyFrame(now: number, version: string, drawn: Drawn | null = null): Frame {
  return {
    now,
    caller: null,
    callerOf: null,
    scopes: [],
    claims: NO_CLAIMS,
    path: [],
    query: [],
    header: [],
    request: [],
    vars: [],
    row: null,
    results: [],
    bound: [],
    version,
    drawn,
  };
}

/** Compares strings by code point, as UTF-8 bytes compare; JavaScript compares UTF-16 units. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;

    const xHigh = (x & 0xf800) === 0xd800;
    const yHigh = (y & 0xf800) === 0xd800;
    if (xHigh !== yHigh) return xHigh ? 1 : -1;
    return x - y;
  }
  return a.length - b.length;
}

/** Whether two values are equal: lists by their items, maps by their keys and values. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one, i) => sameValue(one, b[i]));
  if (a instanceof Map && b instanceof Map)
    return a.size === b.size && [...a].every(([key, one]) => b.has(key) && sameValue(one, b.get(key)));
  return a === b;
}

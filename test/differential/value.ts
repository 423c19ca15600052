/** A point in time, in milliseconds since the epoch. */
export class Instant {
  readonly at: number;
  constructor(at: number) {
    this.at = at;
  }
}

/** A length of time, in milliseconds. */
export class Span {
  readonly length: number;
  constructor(length: number) {
    this.length = length;
  }
}

/**
 * A row, wherever it is mentioned: its resource and the number that the interpreter gave it. One that a field points at
 * is not there for a caller who may not see it; one that is at hand is.
 */
export class Ref {
  readonly resource: string;
  readonly key: number;
  readonly pointed: boolean;
  constructor(resource: string, key: number, pointed = false) {
    this.resource = resource;
    this.key = key;
    this.pointed = pointed;
  }
}

/** A day of the calendar, as RFC 3339 writes it. */
export class Day {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A decimal: so many units of the last of its digits after the point. */
export class Decimal {
  readonly units: number;
  readonly scale: number;
  constructor(units: number, scale: number) {
    this.units = units;
    this.scale = scale;
  }
}

/** What was sent of `request`, `query` or `path`: what was not sent is not in it. */
export class Bag {
  readonly sent: Map<string, Val>;
  constructor(sent: Map<string, Val>) {
    this.sent = sent;
  }
}

/** What a computation gives that goes beyond the exact integers, or beyond the years 1 to 9999. */
export class Nothing {}
export const NOTHING = new Nothing();

/** A value as the interpreter computes with it. */
export type Val =
  | Nothing
  | null
  | boolean
  | number
  | string
  | Instant
  | Span
  | Day
  | Decimal
  | Ref
  | Bag
  | readonly Val[];

/** Something went wrong that no statement of the document explains: the condition `failure`. */
export class Failure extends Error {}

/** `==` of the language: null is a value like any other, a row is its identity, and lists are their items. */
export function same(a: Val, b: Val): boolean {
  if (a instanceof Instant) return b instanceof Instant && a.at === b.at;
  if (a instanceof Span) return b instanceof Span && a.length === b.length;
  if (a instanceof Day) return b instanceof Day && a.text === b.text;
  if (a instanceof Decimal) return b instanceof Decimal && order(a, b) === 0;
  if (a instanceof Ref) return b instanceof Ref && a.resource === b.resource && a.key === b.key;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((one, i) => same(one, b[i] as Val));
  return a === b;
}

/** Which of two values of one type comes first: below 0, 0 or above 0. Text is ordered by its code points. */
export function order(a: Val, b: Val): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return orderText(a, b);
  if (a instanceof Instant && b instanceof Instant) return a.at - b.at;
  if (a instanceof Span && b instanceof Span) return a.length - b.length;
  if (a instanceof Day && b instanceof Day) return orderText(a.text, b.text);
  if (a instanceof Decimal && b instanceof Decimal)
    return Number(BigInt(a.units) * 10n ** BigInt(b.scale) - BigInt(b.units) * 10n ** BigInt(a.scale));
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (Array.isArray(a) && Array.isArray(b))
    return a.reduce<number>((by, one, i) => by || order(one as Val, b[i] as Val), 0) || a.length - b.length;
  throw new Error(`These cannot be ordered: ${String(a)} and ${String(b)}`);
}

function orderText(a: string, b: string): number {
  const left = [...a];
  const right = [...b];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const by = left[i]!.codePointAt(0)! - right[i]!.codePointAt(0)!;
    if (by !== 0) return by;
  }
  return left.length - right.length;
}

/** What differs for callers between two documents, at one place. */
export interface Difference {
  /** What it is about, such as `POST /orders` or `Order.sku`: how `places.ts` finds its line. */
  readonly at: string;
  readonly text: string;
  /** Whether a caller that kept to the old document may be refused, or not understand an answer. */
  readonly breaking: boolean;
  /** The version whose callers are answered as before; null where there is none. */
  readonly covered: string | null;
  /** Where the steps that differ stand, in the old document and in the new one, if they do. */
  readonly lines: readonly [old: number | null, next: number | null];
}

/** Compares two parts of plans, which stand at a place. Gives nothing only where they say the same. */
export type Compare<T> = (old: T, next: T, at: string) => Difference[];

/** One difference at a place. */
export function difference(at: string, text: string, breaking: boolean): Difference {
  return { at, text, breaking, covered: null, lines: [null, null] };
}

/**
 * Text that is the same for parts that say the same, wherever in their documents they stand. Which values a field may
 * have, and whether it may be absent, is said of the field, and not again of each expression that reads it.
 */
export function meaning(value: unknown): string {
  return JSON.stringify(value, (key, part: unknown) => {
    if (key === 'line') return undefined;
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(
      Object.entries(key === 'type' ? typeOnly(part) : part).sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  });
}

/** What a type means for an expression; that of a request’s body lists its fields. */
function typeOnly(type: object): object {
  const { oneOf: _values, owner: _field, nullable: _absent, of, ...rest } = type as Record<string, unknown>;
  if (rest.kind === 'object') return { kind: rest.kind };
  if (typeof of === 'object' && of !== null && !Array.isArray(of)) return { ...rest, of: typeOnly(of) };
  return of === undefined ? rest : { ...rest, of };
}

export const same = (a: unknown, b: unknown): boolean => meaning(a) === meaning(b);

/** Whether something that has changed breaks callers: always, never, or by what it was and is. */
export type Breaks<T> = boolean | ((old: T, next: T) => boolean);

/** Something that is told as a whole: what it is called, whether a change of it breaks callers, and how it reads. */
export function value<T>(what: string, breaks: Breaks<T>, show: (one: T) => string = plainly): Compare<T> {
  return (old, next, at) => {
    if (same(old, next)) return [];
    const breaking = typeof breaks === 'boolean' ? breaks : breaks(old, next);
    const [a, b] = [show(old), show(next)];
    const how = a === b || `${a}${b}`.length > 200 ? 'is another' : `is ${b}, and was ${a}`;
    return [difference(at, `${what} ${how}`, breaking)];
  };
}

/** How a value reads: text as it is, nothing as `none`, and data as JSON. */
export function plainly(one: unknown): string {
  if (one === null || one === undefined) return 'none';
  return typeof one === 'string' ? one : JSON.stringify(one);
}

/** What follows from what is compared elsewhere, or is nobody's but the document's. The reason is for whoever reads the code. */
export const follows =
  (_why: string): Compare<unknown> =>
  () => [];

/** The members of something. The type makes a forgotten one a compile error. */
export function members<T extends object>(compare: { readonly [K in keyof T]-?: Compare<T[K]> }): Compare<T> {
  const each = Object.entries(compare) as Array<[keyof T, Compare<T[keyof T]>]>;
  return (old, next, at) => each.flatMap(([key, one]) => one(old[key], next[key], at));
}

/** Something that may not be there. */
export function optional<T extends object>(
  what: string,
  one: Compare<T>,
  breaks: { readonly added: boolean; readonly removed: boolean },
): Compare<T | null> {
  return (old, next, at) => {
    if (old && next) return one(old, next, at);
    if (old) return [difference(at, `${what} is gone`, breaks.removed)];
    return next ? [difference(at, `${what} is new`, breaks.added)] : [];
  };
}

/** Things that go by a name: each is compared with the one of its name, and may come and go. */
export function named<T>(
  what: string,
  nameOf: (one: T) => string,
  one: Compare<T>,
  breaks: { readonly added: Breaks<T>; readonly removed: Breaks<T> },
  place: (at: string, name: string) => string = (at) => at,
): Compare<readonly T[]> {
  const judged = (how: Breaks<T>, of: T): boolean => (typeof how === 'boolean' ? how : how(of, of));
  return (old, next, at) => {
    const [before, after] = [byName(old, nameOf), byName(next, nameOf)];
    const out: Difference[] = [];
    for (const [name, was] of before) {
      const is = after.get(name);
      if (is === undefined)
        out.push(difference(place(at, name), `${what} ${name} is gone`, judged(breaks.removed, was)));
      else out.push(...one(was, is, place(at, name)));
    }
    for (const [name, is] of after)
      if (!before.has(name)) out.push(difference(place(at, name), `${what} ${name} is new`, judged(breaks.added, is)));
    return out;
  };
}

/** Of several of one name the second goes by another: none is lost. */
function byName<T>(list: readonly T[], nameOf: (one: T) => string): Map<string, T> {
  const out = new Map<string, T>();
  for (const one of list) {
    let name = nameOf(one);
    while (out.has(name)) name += '′';
    out.set(name, one);
  }
  return out;
}

/** A list of words, of which some may be gone and some new. */
export function words(
  what: string,
  breaks: { readonly added: boolean; readonly removed: boolean; readonly order: boolean },
): Compare<readonly string[]> {
  const each = named<string>(
    what,
    (one) => one,
    () => [],
    breaks,
  );
  return (old, next, at) => {
    const found = each(old, next, at);
    if (found.length || same(old, next)) return found;
    return [difference(at, `${what}: the order is another`, breaks.order)];
  };
}

/** Things that are told apart by what kind they are: another kind is another thing. */
export function kinds<T extends object, D extends keyof T & string>(
  what: string,
  by: D,
  compare: { readonly [K in T[D] & string]: Compare<Extract<T, Record<D, K>>> },
): Compare<T> {
  return (old, next, at) => {
    const [a, b] = [old[by], next[by]] as [T[D] & string, T[D] & string];
    if (a !== b) return [difference(at, `${what} is ${b}, and was ${a}`, true)];
    return (compare[a] as Compare<T>)(old, next, at);
  };
}

/** A record whose keys are names. */
export function record<T>(
  what: string,
  one: Compare<T>,
  breaks: { readonly added: boolean; readonly removed: boolean },
  place?: (at: string, name: string) => string,
): Compare<Readonly<Partial<Record<string, T>>>> {
  const list = named<[string, T]>(
    what,
    ([name]) => name,
    (old, next, at) => one(old[1], next[1], at),
    breaks,
    place,
  );
  return (old, next, at) => list(Object.entries(old) as [string, T][], Object.entries(next) as [string, T][], at);
}

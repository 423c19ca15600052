import type { StatementId } from '../plan/lines.ts';
import { keysOf } from '../text/own-members.ts';
import { type Difference, difference, type Here, KEEPS, stated, statedAt, type Verdict } from './difference.ts';

/**
 * Compares two parts of contracts. Returns an empty list only if they mean the same, or if another comparison reports
 * the difference.
 */
export type Compare<T> = (old: T, next: T, here: Here) => Difference[];

/**
 * Serializes a part of a contract so that equal parts give equal text, regardless of line numbers. Expressions are
 * compared by their text, ignoring trailing zeros of decimals.
 */
export const meaning = (value: unknown): string =>
  JSON.stringify(value, (key, part: unknown) => {
    if (key === 'lines' || key === 'tree') return undefined;
    if (typeof part !== 'object' || part === null || !('text' in part) || typeof part.text !== 'string') return part;
    const under = 'under' in part && Array.isArray(part.under) ? { under: part.under.map(withoutZeros) } : {};
    return 'tree' in part || 'do' in part ? { ...part, ...under, text: withoutZeros(part.text) } : part;
  }) ?? '';

/** Removes trailing zeros from the decimals of an expression, outside of string literals. */
const withoutZeros = (text: unknown): unknown =>
  typeof text === 'string'
    ? text.replace(/("(?:[^"\\]|\\.)*")|(\d\.\d*?)0+(?!\d)/g, (whole, quoted?: string, digits?: string) =>
        quoted ? whole : (digits ?? whole),
      )
    : text;

export const same = (a: unknown, b: unknown): boolean => meaning(a) === meaning(b);

/** The verdict on a change: a constant, or computed from the old and new value. */
type Judge<T> = Verdict | ((old: T, next: T) => Verdict);
/** The verdict on an added or removed thing. */
type JudgeOne<T> = Verdict | ((one: T) => Verdict);

const judged = <T>(judge: JudgeOne<T>, one: T): Verdict => (typeof judge === 'function' ? judge(one) : judge);

/**
 * Compares a value as a whole. `what` is the subject of the message, `judge` the verdict, and `show` formats the value.
 */
export function value<T>(what: string, judge: Judge<T>, show: (one: T) => string = plainly): Compare<T> {
  return (old, next, here) => {
    if (same(old, next)) return [];
    const verdict = typeof judge === 'function' ? judge(old, next) : judge;
    return [difference(here, `${what} ${changed(show(old), show(next))}`, verdict)];
  };
}

/** Compares a boolean: `so` is the message if it became true, `not` if it became false. */
export const flag =
  (so: string, not: string, judge: { readonly so: Verdict; readonly not: Verdict }): Compare<boolean> =>
  (old, next, here) =>
    old === next ? [] : [difference(here, next ? so : not, next ? judge.so : judge.not)];

/** Describes a change; values that are too long for a line are not printed. */
export function changed(old: string, next: string): string {
  return old === next || `${old}${next}`.length > 300 ? 'is another' : `is ${next}, and was ${old}`;
}

/** Formats a value: text unchanged, null as `none`, expressions in code marks, and data as JSON. */
function plainly(one: unknown): string {
  if (one === null || one === undefined) return 'none';
  if (typeof one === 'object' && 'text' in one && 'tree' in one) return `\`${String(one.text)}\``;
  return typeof one === 'string' ? one : JSON.stringify(one);
}

/**
 * Compares nothing: the fact follows from one that is compared elsewhere, or concerns no caller. The argument is the
 * reason, for readers of the code.
 */
export const follows =
  (_why: string): Compare<unknown> =>
  () => [];

/** A comparison for each member except `lines`. */
type Members<T> = { readonly [K in Exclude<keyof T, 'lines'>]-?: Compare<T[K]> };

/** Compares the members of an object. The type makes a forgotten member a compile error. */
export function members<T extends object>(compare: Members<T>): Compare<T> {
  const keys = keysOf(compare);
  return (old, next, here) => {
    const at = stated(here, old, next);
    return keys.flatMap((key) => compare[key](old[key], next[key], at));
  };
}

/** Compares a fact that has a statement of its own in the document. */
export const on =
  <T>(place: StatementId | ((here: Here) => Here), compare: Compare<T>): Compare<T> =>
  (old, next, here) =>
    compare(old, next, typeof place === 'function' ? place(here) : statedAt(here, place));

/** Compares an object that may be null. */
export function optional<T extends object>(
  what: string,
  one: Compare<T>,
  { added, removed }: { readonly added: JudgeOne<T>; readonly removed: JudgeOne<T> },
): Compare<T | null> {
  return (old, next, here) => {
    if (old && next) return one(old, next, stated(here, old, next));
    if (old) return [difference(stated(here, old, null), `${what} is gone`, judged(removed, old))];
    return next ? [difference(stated(here, null, next), `${what} is new`, judged(added, next))] : [];
  };
}

/** Options of comparing two lists: items with the same name are compared, others are added or removed. */
interface Listing<T> {
  readonly what: string;
  readonly name: (one: T) => string;
  readonly compare: Compare<T>;
  readonly added: JudgeOne<T>;
  readonly removed: JudgeOne<T>;
  /** The name of an item in messages, if it differs from `name`. */
  readonly show?: (one: T) => string;
  /** The place at which an item is compared. */
  readonly here?: (here: Here, one: T) => Here;
  /** A key by which a removed and an added item count as one changed item, which is then compared. */
  readonly alike?: (one: T) => string;
  /** The name of the whole list, in the message about its order. */
  readonly all?: string;
  /** The verdict on a changed order of the remaining items; null if another comparison reports the order. */
  readonly order?: Verdict | null;
}

/** Compares lists of named items. */
export function listed<T>(how: Listing<T>): Compare<readonly T[]> {
  const {
    what,
    compare,
    added,
    removed,
    show = how.name,
    here: placed = (here) => here,
    alike,
    all = what,
    order = KEEPS.order,
  } = how;
  const called = (one: T): string => [what, show(one)].filter(Boolean).join(' ');
  return (old, next, here) => {
    const [before, after] = [byName(old, how.name), byName(next, how.name)];
    const lost = new Map([...before].filter(([name]) => !after.has(name)));
    const gained = new Map([...after].filter(([name]) => !before.has(name)));
    const pairs = alike ? pairsOf(lost, gained, alike) : [];
    const out: Difference[] = [];
    for (const [name, was] of before) {
      const is = after.get(name);
      if (is !== undefined) out.push(...compare(was, is, at(placed(here, is), was, is)));
    }
    for (const [was, is] of pairs) out.push(...compare(was, is, at(placed(here, is), was, is)));
    for (const one of lost.values())
      out.push(difference(at(placed(here, one), one, null), `${called(one)} is gone`, judged(removed, one)));
    for (const one of gained.values())
      out.push(difference(at(placed(here, one), null, one), `${called(one)} is new`, judged(added, one)));
    if (order && !same(common(before, after), common(after, before)))
      out.push(difference(here, `${all}: the order is another`, order));
    return out;
  };
}

/** Items that are not objects have no lines, so they keep those of their list. */
const at = (here: Here, old: unknown, next: unknown): Here =>
  typeof old === 'object' && typeof next === 'object' ? stated(here, old, next) : here;

const common = <T>(of: ReadonlyMap<string, T>, other: ReadonlyMap<string, T>): string[] =>
  [...of.keys()].filter((name) => other.has(name));

/** Maps items by name. Duplicate names get a suffix, so that no item is lost. */
function byName<T>(list: readonly T[], nameOf: (one: T) => string): Map<string, T> {
  const out = new Map<string, T>();
  for (const one of list) {
    let name = nameOf(one);
    while (out.has(name)) name += '′';
    out.set(name, one);
  }
  return out;
}

/** Removes pairs of alike items from the removed and the added items, and returns the pairs. */
function pairsOf<T>(gone: Map<string, T>, come: Map<string, T>, alike: (one: T) => string): Array<[T, T]> {
  const out: Array<[T, T]> = [];
  for (const [name, was] of gone) {
    const found = [...come].find(([, is]) => alike(is) === alike(was));
    if (!found) continue;
    gone.delete(name);
    come.delete(found[0]);
    out.push([was, found[1]]);
  }
  return out;
}

/** Compares lists of words. */
export function words(
  what: string,
  judge: {
    readonly added: Verdict;
    readonly removed: Verdict;
    readonly order?: Verdict | null;
    readonly all?: string;
  },
): Compare<readonly string[]> {
  return listed<string>({ what, name: (one) => one, compare: () => [], ...judge });
}

/** Compares records by key. */
export function record<T>(
  compare: (name: string) => Compare<T>,
  what: string,
  judge: { readonly added: Verdict; readonly removed: Verdict },
): Compare<Readonly<Record<string, T>>> {
  const list = listed<[string, T]>({
    what,
    name: ([name]) => name,
    compare: ([name, old], [, next], here) => compare(name)(old, next, here),
    ...judge,
  });
  return (old, next, here) => list(Object.entries(old), Object.entries(next), here);
}

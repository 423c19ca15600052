import { keysOf } from '../text/keys.ts';
import { type Difference, difference, type Here, KEEPS, stated, statedAt, type Verdict } from './difference.ts';

/** Compares two parts of contracts. Gives nothing only where they say the same, or something else tells what differs. */
export type Compare<T> = (old: T, next: T, here: Here) => Difference[];

/**
 * Text that is the same for parts that say the same, wherever in their documents they stand: expressions by their text, in
 * which a decimal may have more zeros at its end than in another document.
 */
export const meaning = (value: unknown): string =>
  JSON.stringify(value, (key, part: unknown) => {
    if (key === 'lines' || key === 'tree') return undefined;
    if (typeof part !== 'object' || part === null || !('text' in part) || typeof part.text !== 'string') return part;
    const under = 'under' in part && Array.isArray(part.under) ? { under: part.under.map(withoutZeros) } : {};
    return 'tree' in part || 'do' in part ? { ...part, ...under, text: withoutZeros(part.text) } : part;
  }) ?? '';

/** An expression whose decimals end in no zero; what stands in quotes stays. */
const withoutZeros = (text: unknown): unknown =>
  typeof text === 'string'
    ? text.replace(/("(?:[^"\\]|\\.)*")|(\d\.\d*?)0+(?!\d)/g, (whole, quoted?: string, digits?: string) =>
        quoted ? whole : (digits ?? whole),
      )
    : text;

export const same = (a: unknown, b: unknown): boolean => meaning(a) === meaning(b);

/** Whether a change breaks callers: the same for each, or by what it was and is. */
type Judge<T> = Verdict | ((old: T, next: T) => Verdict);
/** Likewise for what has come or gone. */
type JudgeOne<T> = Verdict | ((one: T) => Verdict);

const judged = <T>(judge: JudgeOne<T>, one: T): Verdict => (typeof judge === 'function' ? judge(one) : judge);

/** Something that is told as a whole: what it is called, whether a change of it breaks callers, and how it reads. */
export function value<T>(what: string, judge: Judge<T>, show: (one: T) => string = plainly): Compare<T> {
  return (old, next, here) => {
    if (same(old, next)) return [];
    const verdict = typeof judge === 'function' ? judge(old, next) : judge;
    return [difference(here, `${what} ${changed(show(old), show(next))}`, verdict)];
  };
}

/** Something that is so or not: how it is told where it has come to be so, and where it is so no more. */
export const flag =
  (so: string, not: string, judge: { readonly so: Verdict; readonly not: Verdict }): Compare<boolean> =>
  (old, next, here) =>
    old === next ? [] : [difference(here, next ? so : not, next ? judge.so : judge.not)];

/** How a change reads; what is too long for a line is only said to be another. */
export function changed(old: string, next: string): string {
  return old === next || `${old}${next}`.length > 300 ? 'is another' : `is ${next}, and was ${old}`;
}

/** How a value reads: text as it is, nothing as `none`, and data as JSON. */
function plainly(one: unknown): string {
  if (one === null || one === undefined) return 'none';
  if (typeof one === 'object' && 'text' in one && 'tree' in one) return `\`${String(one.text)}\``;
  return typeof one === 'string' ? one : JSON.stringify(one);
}

/** What follows from what is compared elsewhere, or is nobody's but the document's. The reason is for whoever reads the code. */
export const follows =
  (_why: string): Compare<unknown> =>
  () => [];

/** A comparison of each member; the lines say where they are stated. */
type Members<T> = { readonly [K in Exclude<keyof T, 'lines'>]-?: Compare<T[K]> };

/** The members of something. The type makes a forgotten one a compile error. */
export function members<T extends object>(compare: Members<T>): Compare<T> {
  const keys = keysOf(compare);
  return (old, next, here) => {
    const at = stated(here, old, next);
    return keys.flatMap((key) => compare[key](old[key], next[key], at));
  };
}

/** The comparison of a fact that the document states at a line of its own: by its key in the lines of the plan. */
export const on =
  <T>(place: string | ((here: Here) => Here), compare: Compare<T>): Compare<T> =>
  (old, next, here) =>
    compare(old, next, typeof place === 'string' ? statedAt(here, place) : place(here));

/** Something that may not be there. */
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

/** How the items of a list are compared: each with the one of its name, and they come and go. */
interface Listing<T> {
  readonly what: string;
  readonly name: (one: T) => string;
  readonly compare: Compare<T>;
  readonly added: JudgeOne<T>;
  readonly removed: JudgeOne<T>;
  /** What they are called in text, where that isn't the name. */
  readonly show?: (one: T) => string;
  /** Where each is compared. */
  readonly here?: (here: Here, one: T) => Here;
  /** What one that is gone and one that is new have in common where a statement has changed: they are then compared. */
  readonly alike?: (one: T) => string;
  /** What all of them are called where their order is another. */
  readonly all?: string;
  /** Another order of those that stayed; null where something else tells it. */
  readonly order?: Verdict | null;
}

/** A list of things that go by a name. */
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

/** Things that are no objects stand where their list does. */
const at = (here: Here, old: unknown, next: unknown): Here =>
  typeof old === 'object' && typeof next === 'object' ? stated(here, old, next) : here;

const common = <T>(of: ReadonlyMap<string, T>, other: ReadonlyMap<string, T>): string[] =>
  [...of.keys()].filter((name) => other.has(name));

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

/** Takes what is gone and what is new and is alike out of both, in pairs. */
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

/** A list of words, of which some may be gone and some new. */
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

/** A record whose keys are names. */
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

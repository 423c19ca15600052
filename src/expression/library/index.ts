import type { Expr, Fn } from '../tree/expression.ts';
import { LIBRARY_GLOBALS, LIBRARY_HIDDEN, LIBRARY_METHODS, type LibraryFn } from '../tree/library-names.ts';
import { describe, type Type } from '../tree/types.ts';
import { daysAfter, daysBetween, FIRST, LAST } from '../values/days.ts';
import { exact } from '../values/overflow.ts';
import { uuidText } from '../values/uuid.ts';
import { sameValue, type Value } from '../values/value.ts';
import { CONVERSIONS } from './conversions.ts';
import { LISTS, total } from './lists.ts';
import { NUMBERS } from './numbers.ts';
import type { Overload } from './overload.ts';
import { TEXTS } from './texts.ts';
import { TIMES } from './times.ts';

/** Every function of the library, with its overloads. */
export const LIBRARY: ReadonlyMap<string, readonly Overload[]> = new Map(
  [...LIBRARY_METHODS, ...LIBRARY_GLOBALS, ...LIBRARY_HIDDEN].map((name) => [
    name,
    [TIMES, CONVERSIONS, NUMBERS, TEXTS, LISTS].flatMap((table) => table[name] ?? []),
  ]),
);

/** A computation that stores offer to SQL under its name. */
interface Computed {
  readonly id: string;
  readonly does: (...args: never[]) => Value;
  /** Which arguments are JSON. */
  readonly nested: readonly boolean[];
  /** True where null is an argument like any other. */
  readonly nulls?: true;
}

/** The operators that SQL lacks, and functions that correct JSON which SQL has made. */
const OPERATORS: readonly Computed[] = [
  { id: 'date_plus', does: daysAfter, nested: [] },
  { id: 'date_minus', does: (day: string, days: number) => daysAfter(day, -days), nested: [] },
  { id: 'days_between', does: daysBetween, nested: [] },
  { id: 'list_plus', does: (a: readonly Value[], b: readonly Value[]) => [...a, ...b], nested: [true, true] },
  { id: 'map_size', does: (map: ReadonlyMap<string, Value>) => map.size, nested: [true] },
  { id: 'map_has', does: (map: ReadonlyMap<string, Value>, key: string) => map.has(key), nested: [true] },
  { id: 'same', does: (a: Value, b: Value) => sameValue(a, b), nested: [true, true], nulls: true },
  {
    id: 'list_has',
    does: (list: readonly Value[], item: Value) => list.some((one) => sameValue(one, item)),
    nested: [true, true],
  },
  {
    id: 'alike',
    does: (a: Value, b: Value) => sameValue(a, b),
    nested: [true, true],
  },
  { id: 'known', does: (all: Value) => (holdsNull(all) ? null : all), nested: [true] },
  { id: 'list_sum', does: total, nested: [true] },
  { id: 'exact', does: exact, nested: [] },
  { id: 'in_years', does: (instant: number) => (instant >= FIRST && instant <= LAST ? instant : null), nested: [] },
  { id: 'whole_uuids', does: (list: Value) => deep(list, (digits) => uuidText(String(digits))), nested: [true] },
  { id: 'whole_booleans', does: (list: Value) => deep(list, Boolean), nested: [true] },
];

export const COMPUTED: readonly Computed[] = [
  ...[...LIBRARY.values()]
    .flat()
    .map(({ id, does, takes }) => ({ id, does, nested: takes.map((one) => one.nests === true) })),
  ...OPERATORS,
];

const holdsNull = (all: Value): boolean =>
  all instanceof Map ? [...all.values()].includes(null) : (all as readonly Value[]).includes(null);

/** Copies a list or map, with each value inside, at any depth, replaced by the result of `change`. */
function deep(value: Value, change: (one: Value) => Value): Value {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map((one) => deep(one, change));
  return value instanceof Map ? new Map([...value].map(([key, one]) => [key, deep(one, change)])) : change(value);
}

export function inLibrary(fn: Fn): fn is LibraryFn {
  return LIBRARY.has(fn);
}

/** The first argument that does not fit a function, and the expected form. */
interface Misfit {
  readonly argument: number;
  readonly expected: string;
  /** True where the argument fits, but can be absent. */
  readonly absent: boolean;
  /** True where the argument’s type fits, and the literal does not. */
  readonly judged?: true;
  /** The literals that are allowed. */
  readonly known?: Iterable<string>;
}

/** The overload of a function that accepts these arguments; or the misfit of the overload that comes nearest. */
export function overloadOf(fn: LibraryFn, args: readonly Expr[]): Overload | Misfit {
  const overloads = LIBRARY.get(fn)!;
  let nearest: Misfit | null = null;
  for (const overload of overloads) {
    const misfit = misfitOf(overload, args);
    if (!misfit) return overload;
    if (!nearest || misfit.argument > nearest.argument || (misfit.judged && misfit.argument === nearest.argument))
      nearest = misfit;
  }
  if (nearest!.argument > 0 || nearest!.absent || nearest!.judged) return nearest!;
  const says = [...new Set(overloads.map((one) => one.takes[0]?.says ?? 'nothing'))];
  return { ...nearest!, expected: says.join(' or ') };
}

export function isOverload(found: Overload | Misfit): found is Overload {
  return 'id' in found;
}

/** Whether a function’s first argument may be of a type. */
export function takesFirst(fn: LibraryFn, type: Type): boolean {
  return LIBRARY.get(fn)!.some((one) => one.takes[0]?.fits(type));
}

/** The overload of a call that has been checked. */
export function meaningOf(fn: LibraryFn, args: readonly Expr[]): Overload {
  const found = LIBRARY.get(fn)!.find((one) => args.every((arg, i) => one.takes[i]?.fits(arg.type)));
  if (!found) throw new Error(`${fn}() does not take ${args.map((arg) => describe(arg.type)).join(', ')}`);
  return found;
}

function misfitOf({ takes, optional = 0 }: Overload, args: readonly Expr[]): Misfit | null {
  for (let i = 0; i < Math.max(args.length, takes.length); i++) {
    const [arg, pattern] = [args[i], takes[i]];
    if (!pattern) return { argument: i, expected: 'nothing more', absent: false };
    if (!arg && i >= takes.length - optional) return null;
    if (!arg || !pattern.fits(arg.type)) return { argument: i, expected: pattern.says, absent: false };
    if (arg.type.nullable) return { argument: i, expected: pattern.says, absent: true };
    if (pattern.allows && !pattern.allows(arg))
      return {
        argument: i,
        expected: pattern.says,
        absent: false,
        judged: true,
        ...(pattern.known && { known: pattern.known }),
      };
  }
  return null;
}

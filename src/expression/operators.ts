import { total } from './library/lists.ts';
import { placeOf } from './library/search.ts';
import type { Expr, Fn } from './tree/expression.ts';
import { foldCase } from './tree/fold.ts';
import { rescaledBy } from './tree/scales.ts';
import { searchOf } from './tree/search.ts';
import { scalarKindOf, type Type } from './tree/types.ts';
import type { QuerySyntax } from './tree/word-form.ts';
import { matchesTerms, occurrences, queryText, storedWords, termsOf } from './tree/words.ts';
import { daysAfter, daysBetween, FIRST, LAST } from './values/days.ts';
import { factsOf } from './values/kinds.ts';
import { exact } from './values/overflow.ts';
import { codePoints } from './values/text.ts';
import { compareText, type Frame, type Value } from './values/value.ts';

type Evaluate = (frame: Frame) => unknown;
type Gives = (frame: Frame) => Value;

/**
 * Compiles operators, and functions that SQL has too, by the types of their arguments. As in SQL, a null operand, or
 * one without a result, makes the result null.
 */
export function operatorOf(fn: Fn, args: readonly Expr[], a: Evaluate, b: Evaluate): Gives {
  switch (fn) {
    case '<':
    case '<=':
    case '>':
    case '>=':
      return orderOf(fn, args[0]!.type, a, b);
    case '+':
    case '-':
      return sumOf(fn, args, a, b);
    case '*':
      return strict<number>(a, b, (x, y) => exact(x * y));
    case '/':
      return strict<number>(a, b, (x, y) => (y === 0 ? null : exact(Math.trunc(x / y) + 0)));
    case '%':
      return strict<number>(a, b, (x, y) => (y === 0 ? null : (x % y) + 0));
    case 'negate':
      return present<number>(a, (value) => 0 - value);
    case 'rescale': {
      const factor = 10 ** rescaledBy(args[0]!, args[1]!);
      return present<number>(a, (value) => exact(value * factor));
    }
    case 'or lowest': {
      const lowest = lowestOf(args[0]!.type);
      return (f) => (a(f) ?? lowest) as Value;
    }
    case 'folded':
      return present<string>(a, foldCase);
    case 'size':
      return sizeOf(args[0]!.type, a);
    case 'sum':
      return present<readonly Value[]>(a, total);
    case 'contains':
      return strict<string>(a, b, (x, y) => placeOf(x, y) >= 0);
    case 'startsWith':
      return strict<string>(a, b, (x, y) => x.startsWith(y));
    case 'endsWith':
      return strict<string>(a, b, (x, y) => x.endsWith(y));
    default:
      throw new Error(`“${fn}” is not compiled`);
  }
}

/**
 * Compiles a function of searches, given the evaluation of its arguments: the words of fields are compared as the stores
 * do, and the rest follows from the query alone.
 */
export function searchingOf(fn: SearchFn, args: readonly Expr[], values: readonly Evaluate[]): Gives {
  const search = searchOf(args);
  const { words, emptyMatches, fields } = search;
  const every = words === 'every';
  const termsIn = (f: Frame) => termsOf((values[0]!(f) ?? null) as string | null, search);
  if (fn === 'query text') {
    const [syntax] = args.slice(-1);
    const name = (syntax?.op === 'const' ? syntax.value : null) as QuerySyntax;
    return (f) => queryText(termsIn(f), every, name);
  }
  const texts = fields.map(({ field }) => values[args.indexOf(field)]!);
  const stored = (f: Frame): string[] => texts.map((text) => storedWords((text(f) ?? '') as string, search));
  if (fn === 'points')
    return (f) => {
      const terms = queryText(termsIn(f), every, 'terms');
      return stored(f).reduce((sum, one, i) => sum + fields[i]!.weight * occurrences(one, terms), 0);
    };
  return (f) => {
    const terms = termsIn(f);
    return terms.length === 0 ? emptyMatches : matchesTerms(stored(f), terms, every);
  };
}

type SearchFn = 'matching' | 'points' | 'query text';

/** Whether a function is one of searches. */
export const isSearch = (fn: Fn): fn is SearchFn => fn === 'matching' || fn === 'points' || fn === 'query text';

/** Applies a function to one value; null where the value is absent. */
function present<A>(a: Evaluate, does: (x: A) => Value): Gives {
  return (f) => {
    const x = a(f) ?? null;
    return x === null ? null : does(x as A);
  };
}

/** Applies a function to two values; null where one of them is absent. */
export function strict<A, B = A>(a: Evaluate, b: Evaluate, does: (x: A, y: B) => Value): Gives {
  return (f) => {
    const x = a(f) ?? null;
    const y = b(f) ?? null;
    return x === null || y === null ? null : does(x as A, y as B);
  };
}

/** The value that represents an absent one in an order: it comes before all other values of its type. */
export function lowestOf(type: Type): string | number | boolean {
  const kind = scalarKindOf(type);
  const held = kind && factsOf(kind).held;
  if (held === 'boolean') return false;
  return held === 'text' || held === 'uuid' ? '' : Number.MIN_SAFE_INTEGER;
}

function orderOf(fn: '<' | '<=' | '>' | '>=', type: Type, a: Evaluate, b: Evaluate): Gives {
  if (type.kind === 'string') {
    if (fn === '<') return strict<string>(a, b, (x, y) => compareText(x, y) < 0);
    if (fn === '<=') return strict<string>(a, b, (x, y) => compareText(x, y) <= 0);
    return fn === '>'
      ? strict<string>(a, b, (x, y) => compareText(x, y) > 0)
      : strict<string>(a, b, (x, y) => compareText(x, y) >= 0);
  }
  if (fn === '<') return strict<number>(a, b, (x, y) => x < y);
  if (fn === '<=') return strict<number>(a, b, (x, y) => x <= y);
  return fn === '>' ? strict<number>(a, b, (x, y) => x > y) : strict<number>(a, b, (x, y) => x >= y);
}

function sumOf(fn: '+' | '-', args: readonly Expr[], a: Evaluate, b: Evaluate): Gives {
  const [kind, other] = args.map((arg) => arg.type.kind);
  if (kind === 'string') return strict<string>(a, b, (x, y) => x + y);
  if (kind === 'list') return strict<readonly Value[]>(a, b, (x, y) => [...x, ...y]);
  if (kind === 'date' && other === 'date') return strict<string>(a, b, daysBetween);
  if (kind === 'date')
    return strict<string, number>(a, b, fn === '+' ? daysAfter : (day, days) => daysAfter(day, -days));
  const instant = [kind, other].filter((one) => one === 'timestamp').length === 1;
  const bounded = instant ? instantIn : exact;
  return fn === '+' ? strict<number>(a, b, (x, y) => bounded(x + y)) : strict<number>(a, b, (x, y) => bounded(x - y));
}

/** An instant within the years 1 to 9999; null beyond them. */
function instantIn(instant: number): number | null {
  return instant >= FIRST && instant <= LAST ? instant : null;
}

function sizeOf(type: Type, a: Evaluate): Gives {
  if (type.kind === 'list') return present<readonly Value[]>(a, (list) => list.length);
  if (type.kind === 'map') return present<ReadonlyMap<string, Value>>(a, (map) => map.size);
  return present<string>(a, codePoints);
}

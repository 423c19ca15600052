import { inLibrary, isOverload, overloadOf } from '../../expression/library/index.ts';
import { isSearch } from '../../expression/operators.ts';
import type { Expr, Fn, Macro } from '../../expression/tree/expression.ts';
import { LIBRARY_GLOBALS, LIBRARY_METHODS } from '../../expression/tree/library-names.ts';
import { MOST_DIGITS, scaleOf } from '../../expression/tree/scales.ts';
import * as t from '../../expression/tree/types.ts';
import { either, type Type } from '../../expression/tree/types.ts';
import { isScalarType, SCALAR_TYPES } from '../../expression/values/kinds.ts';
import { alphabetOf, LONGEST_RANDOM_TEXT } from '../../expression/values/random.ts';

/** Functions that have no result if the divisor is 0. */
export const DIVIDING: readonly Fn[] = ['/', '%', 'math.divide'];

/** The functions that are written `name(…)`. */
export const FUNCTIONS: readonly Fn[] = ['uuid', 'secret', 'now', 'etag', 'size', ...LIBRARY_GLOBALS, 'random'];
/** Names to which the language gives a value. A field of the row with the same name takes precedence. */
export const CONTEXT_NAMES: readonly string[] = ['request', 'query', 'path', 'header', 'caller', 'scopes', 'service'];
/** Names of the language that have a value in some places only. */
export const LATER: readonly string[] = ['moved'];
/** The functions that are written `x.name(…)`. */
export const METHODS: readonly Fn[] = ['size', 'sum', 'contains', 'startsWith', 'endsWith', ...LIBRARY_METHODS];

/** Macros, which evaluate an expression for each item of a list. */
export const MACROS: readonly Macro[] = ['all', 'exists', 'exists_one', 'filter', 'map', 'sortBy'];

/** The type of a macro's result. `present`: the items that `filter` keeps are not null. */
export function macroType(macro: Macro, list: t.Type, body: Expr, present: boolean): t.Type {
  if (macro === 'map') return { kind: 'list', of: body.type, nullable: false };
  if (macro === 'sortBy') return list;
  if (macro !== 'filter' || list.kind !== 'list') return t.BOOLEAN;
  return present ? { ...list, of: t.nullable(list.of, false) } : list;
}

/** The type of a call's result; or the argument that doesn't fit, and the type that is expected there. */
type Called =
  | { readonly ok: true; readonly type: t.Type }
  | {
      readonly ok: false;
      readonly argument: number;
      readonly expected: string;
      readonly absent: boolean;
      readonly known?: Iterable<string>;
    };

/** Finds the overload of a function that takes these arguments (cel-spec, “Standard Definitions”). */
export function call(fn: Fn, args: readonly Expr[]): Called {
  // A missing argument gets a type that no function takes.
  const [first = t.UNKNOWN, second = t.UNKNOWN] = args.map((arg) => arg.type);
  if (inLibrary(fn)) {
    const found = overloadOf(fn, args);
    return isOverload(found) ? { ok: true, type: found.gives(args) } : { ok: false, ...found };
  }
  if (isSearch(fn)) return { ok: true, type: fn === 'matching' ? t.BOOLEAN : fn === 'points' ? t.INTEGER : t.STRING };
  switch (fn) {
    case 'and':
    case 'or':
      return fixed(args, [t.BOOLEAN, t.BOOLEAN], t.BOOLEAN);
    case 'not':
    case 'fails':
      return fixed(args, [t.BOOLEAN], t.BOOLEAN);
    case 'negate':
      return first.kind === 'decimal' ? fixed(args, [first], first) : fixed(args, [t.INTEGER], t.INTEGER);
    case 'rescale':
    case 'or lowest':
    case 'folded':
      return { ok: true, type: first };
    case '==':
    case '!=':
      if (t.comparable(first, second)) return { ok: true, type: t.BOOLEAN };
      return { ok: false, argument: 1, expected: t.describe(first), absent: false };
    case '<':
    case '<=':
    case '>':
    case '>=':
      return comparison(args, first);
    case '+':
    case '-':
      return sum(fn, args, first, second);
    case '*':
      return product(args);
    case '/':
    case '%':
      return quotient(args);
    case 'in':
      return membership(args, first, second);
    case 'size':
      if (first.kind !== 'list' && first.kind !== 'map') return fixed(args, [t.STRING], t.INTEGER);
      if (first.nullable) return { ok: false, argument: 0, expected: t.describe(first), absent: true };
      return fixed(args.slice(1), [], t.INTEGER);
    case 'sum':
      return total(args, first);
    case 'contains':
      if (first.kind === 'list') {
        const expected = 'a string (whether a list holds x is written “x in list”)';
        return { ok: false, argument: 0, expected, absent: false };
      }
      return fixed(args, [t.STRING, t.STRING], t.BOOLEAN);
    case 'startsWith':
    case 'endsWith':
      return fixed(args, [t.STRING, t.STRING], t.BOOLEAN);
    case 'now':
      return fixed(args, [], t.TIMESTAMP);
    case 'uuid':
      return fixed(args, [], { ...t.STRING, format: 'uuid' });
    case 'secret':
      return fixed(args, [], t.STRING);
    case 'random':
      return randomTextOf(args);
    case 'etag':
      if (args.length === 1 && first.kind === 'row' && !first.nullable) return { ok: true, type: t.STRING };
      return { ok: false, argument: 0, expected: 'one row', absent: first.nullable };
  }
}

const ALPHABET = `an alphabet that is written out, such as "0-9a-z": 2 or more visible ASCII characters, each once`;
const LENGTH = `a length that is written out: 1 to ${LONGEST_RANDOM_TEXT}`;

/** `random("0-9a-z", 24)`: both arguments are constants, so that the form of the text is known. */
function randomTextOf(args: readonly Expr[]): Called {
  const [alphabet, length] = args.map((arg) => (arg.op === 'const' ? arg.value : null));
  if (typeof alphabet !== 'string' || alphabetOf(alphabet) === null)
    return { ok: false, argument: 0, expected: ALPHABET, absent: false };
  if (typeof length !== 'number' || args[1]?.type.kind !== 'integer' || length < 1 || length > LONGEST_RANDOM_TEXT)
    return { ok: false, argument: 1, expected: LENGTH, absent: false };
  return args.length > 2
    ? { ok: false, argument: 2, expected: 'nothing more', absent: false }
    : { ok: true, type: t.STRING };
}

function fixed(args: readonly Expr[], wanted: readonly t.Type[], type: t.Type): Called {
  for (let i = 0; i < Math.max(args.length, wanted.length); i++) {
    const arg = args[i];
    const want = wanted[i];
    if (!arg || !want || arg.type.kind === 'null' || !t.comparable(arg.type, want))
      return { ok: false, argument: i, expected: want ? t.describe(want) : 'nothing more', absent: false };
    if (arg.type.nullable) return { ok: false, argument: i, expected: t.describe(want), absent: true };
  }
  return { ok: true, type };
}

/** `<` and the like take two arguments of one kind, which must have an order. */
function comparison(args: readonly Expr[], first: t.Type): Called {
  if (!isScalarType(first.kind)) return { ok: false, argument: 0, expected: SCALAR_TYPES.join(', '), absent: false };
  const wanted = t.nullable(first, false);
  return fixed(args, [wanted, wanted], t.BOOLEAN);
}

function sum(fn: '+' | '-', args: readonly Expr[], a: t.Type, b: t.Type): Called {
  const of = (left: t.Type, right: t.Type, type: t.Type): Called => fixed(args, [left, right], type);
  if (a.kind === 'decimal') return of(a, a, t.nullable(a, false));
  if (a.kind === 'timestamp' && b.kind === 'timestamp' && fn === '-') return of(t.TIMESTAMP, t.TIMESTAMP, t.DURATION);
  if (a.kind === 'timestamp') return of(t.TIMESTAMP, t.DURATION, t.TIMESTAMP);
  if (a.kind === 'duration' && b.kind === 'timestamp' && fn === '+') return of(t.DURATION, t.TIMESTAMP, t.TIMESTAMP);
  if (a.kind === 'duration') return of(t.DURATION, t.DURATION, t.DURATION);
  if (a.kind === 'date' && b.kind === 'date' && fn === '-') return of(t.DATE, t.DATE, t.INTEGER);
  if (a.kind === 'date') return of(t.DATE, t.INTEGER, t.DATE);
  if (a.kind === 'string' && fn === '+') return of(t.STRING, t.STRING, t.STRING);
  if (a.kind === 'list' && fn === '+') return of(a, a, t.nullable(eitherOf(args), false));
  return of(t.INTEGER, t.INTEGER, t.INTEGER);
}

/** The number of digits after the point of a product is the sum of those of the factors. */
function product(args: readonly Expr[]): Called {
  if (!args.some((arg) => arg.type.kind === 'decimal')) return fixed(args, [t.INTEGER, t.INTEGER], t.INTEGER);
  const wrong = args.findIndex((arg) => scaleOf(arg.type) === null);
  if (wrong >= 0) return { ok: false, argument: wrong, expected: 'numbers', absent: false };
  const scale = args.flatMap((arg) => scaleOf(arg.type) ?? []).reduce((sum, one) => sum + one, 0);
  const expected = `decimals of at most ${MOST_DIGITS} digits after the point together`;
  if (scale > MOST_DIGITS) return { ok: false, argument: 1, expected, absent: false };
  return fixed(
    args,
    args.map((arg) => t.nullable(arg.type, false)),
    { kind: 'decimal', scale, nullable: false },
  );
}

/** The result is nullable unless the divisor is a constant: it is null if the divisor is 0. */
function quotient(args: readonly Expr[]): Called {
  const by = args[1];
  const sure = by?.op === 'const' && by.value !== 0;
  if (by?.op === 'const' && by.value === 0)
    return { ok: false, argument: 1, expected: 'a number other than 0', absent: false };
  return fixed(args, [t.INTEGER, t.INTEGER], t.nullable(t.INTEGER, !sure));
}

function total(args: readonly Expr[], type: t.Type): Called {
  const of = type.kind === 'list' ? type.of : null;
  const expected = 'a list of integers, decimals or durations';
  if (!of || !['integer', 'decimal', 'duration'].includes(of.kind))
    return { ok: false, argument: 0, expected, absent: false };
  if (of.nullable) return { ok: false, argument: 0, expected, absent: true };
  return fixed(args, [{ kind: 'list', of, nullable: false }], of);
}

function membership(args: readonly Expr[], item: t.Type, list: t.Type): Called {
  if (list.nullable) return { ok: false, argument: 1, expected: 'a list', absent: true };
  if (list.kind === 'map') return fixed(args, [t.STRING, list], t.BOOLEAN);
  if (list.kind !== 'list') return { ok: false, argument: 1, expected: 'a list', absent: false };
  if (t.comparable(item, list.of)) return { ok: true, type: t.BOOLEAN };
  return { ok: false, argument: 0, expected: t.describe(list.of), absent: false };
}

/** The common type of several comparable expressions. An empty list or map has items of any type. */
export function eitherOf(exprs: readonly Expr[]): Type {
  const filled = exprs.filter((expr) => !isEmpty(expr));
  const telling = filled.some(({ type }) => type.kind !== 'null') ? filled : exprs;
  return telling.map(({ type }) => type).reduce(either);
}

function isEmpty(expr: Expr): boolean {
  if (expr.op === 'if') return isEmpty(expr.then) && isEmpty(expr.else);
  return (expr.op === 'list' && expr.items.length === 0) || (expr.op === 'map' && expr.keys.length === 0);
}

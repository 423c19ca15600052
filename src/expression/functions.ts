import type { Expr, Fn } from './expr.ts';
import { inLibrary, isOverload, overloadOf } from './library/index.ts';
import { LIBRARY_GLOBALS, LIBRARY_METHODS } from './library/names.ts';
import * as t from './types.ts';

/** The functions that are written `name(…)`. */
export const FUNCTIONS: readonly Fn[] = ['uuid', 'now', 'etag', 'size', ...LIBRARY_GLOBALS];
/** Names that the language gives a value: a row's field of the same name stands before them. */
export const GIVEN: readonly string[] = ['request', 'query', 'path', 'header', 'caller', 'scopes', 'service'];
/** Names that the language has and that nothing gives a value, or not everywhere. */
export const LATER: readonly string[] = ['service', 'moved'];
/** The functions that are written `x.name(…)`. */
export const METHODS: readonly Fn[] = ['size', 'sum', 'contains', 'startsWith', 'endsWith', ...LIBRARY_METHODS];

/** What a call gives, or which argument doesn't fit and what it takes. */
export type Called =
  | { readonly ok: true; readonly type: t.Type }
  | { readonly ok: false; readonly argument: number; readonly expected: string; readonly absent: boolean };

/** Finds the overload of a function that takes these arguments (cel-spec, “Standard Definitions”). */
export function call(fn: Fn, args: readonly Expr[]): Called {
  const types = args.map((arg) => arg.type);
  if (inLibrary(fn)) {
    const found = overloadOf(fn, args);
    return isOverload(found) ? { ok: true, type: found.gives(args) } : { ok: false, ...found };
  }
  switch (fn) {
    case 'and':
    case 'or':
      return fixed(args, [t.BOOLEAN, t.BOOLEAN], t.BOOLEAN);
    case 'not':
      return fixed(args, [t.BOOLEAN], t.BOOLEAN);
    case 'negate':
      return fixed(args, [t.INTEGER], t.INTEGER);
    case '==':
    case '!=':
      if (t.comparable(types[0]!, types[1]!)) return { ok: true, type: t.BOOLEAN };
      return { ok: false, argument: 1, expected: t.describe(types[0]!), absent: false };
    case '<':
    case '<=':
    case '>':
    case '>=':
      return overloads(args, t.BOOLEAN, ['integer', 'decimal', 'string', 'timestamp', 'date', 'duration']);
    case '+':
    case '-':
      return sum(fn, args);
    case '*':
    case '/':
    case '%':
      return fixed(args, [t.INTEGER, t.INTEGER], t.INTEGER);
    case 'in':
      return membership(args);
    case 'size':
      return types[0]?.kind === 'list' ? { ok: true, type: t.INTEGER } : fixed(args, [t.STRING], t.INTEGER);
    case 'sum':
      if (types[0]?.kind === 'list' && types[0].of.nullable)
        return { ok: false, argument: 0, expected: 'integers', absent: true };
      return fixed(args, [{ kind: 'list', of: t.INTEGER, nullable: false }], t.INTEGER);
    case 'contains':
    case 'startsWith':
    case 'endsWith':
      return fixed(args, [t.STRING, t.STRING], t.BOOLEAN);
    case 'now':
      return fixed(args, [], t.TIMESTAMP);
    case 'uuid':
      return fixed(args, [], { ...t.STRING, format: 'uuid' });
    case 'etag':
      if (args.length === 1 && types[0]!.kind === 'row' && !types[0]!.nullable) return { ok: true, type: t.STRING };
      return { ok: false, argument: 0, expected: 'one row', absent: types[0]?.nullable ?? false };
  }
}

function fixed(args: readonly Expr[], wanted: readonly t.Type[], type: t.Type): Called {
  for (let i = 0; i < Math.max(args.length, wanted.length); i++) {
    const given = args[i];
    const want = wanted[i];
    if (!given || !want || given.type.kind === 'null' || !t.comparable(given.type, want))
      return { ok: false, argument: i, expected: want ? t.describe(want) : 'nothing more', absent: false };
    if (given.type.nullable) return { ok: false, argument: i, expected: t.describe(want), absent: true };
  }
  return { ok: true, type };
}

/** Both arguments of the same kind, which has to be one of `kinds`. */
function overloads(args: readonly Expr[], type: t.Type, kinds: readonly string[]): Called {
  const first = args[0]!.type;
  if (!kinds.includes(first.kind)) return { ok: false, argument: 0, expected: kinds.join(', '), absent: false };
  const wanted = t.nullable(first, false);
  return fixed(args, [wanted, wanted], type);
}

function sum(fn: '+' | '-', args: readonly Expr[]): Called {
  const [a, b] = args.map((arg) => arg.type.kind);
  if (a === 'timestamp' && b === 'duration') return fixed(args, [t.TIMESTAMP, t.DURATION], t.TIMESTAMP);
  if (a === 'timestamp' && b === 'timestamp' && fn === '-') return fixed(args, [t.TIMESTAMP, t.TIMESTAMP], t.DURATION);
  if (a === 'duration') return fixed(args, [t.DURATION, t.DURATION], t.DURATION);
  if (a === 'string' && fn === '+') return fixed(args, [t.STRING, t.STRING], t.STRING);
  return fixed(args, [t.INTEGER, t.INTEGER], t.INTEGER);
}

function membership(args: readonly Expr[]): Called {
  const list = args[1]?.type;
  if (list?.kind !== 'list') return { ok: false, argument: 1, expected: 'a list', absent: false };
  if (t.comparable(args[0]!.type, list.of)) return { ok: true, type: t.BOOLEAN };
  return { ok: false, argument: 0, expected: t.describe(list.of), absent: false };
}

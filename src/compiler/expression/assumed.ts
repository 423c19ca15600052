import { conjuncts, type Expr, mapParts, show } from '../../expression/tree/expression.ts';
import { BOOLEAN, NULL } from '../../expression/tree/types.ts';

/** Facts about the values that a condition reads, beyond the allowed values of the document. */
export interface Assumption {
  /**
   * Whether a value is null. The value is given as its text in the document, such as `caller.Member` or
   * `query.category`.
   */
  readonly isNull: (text: string) => boolean;
  /** Whether a value is not null although its type is nullable, given as its text. */
  readonly isThere?: (text: string) => boolean;
  /** Whether the caller has a scope; null where that is not known. */
  readonly hasScope?: (scope: string) => boolean | null;
  /** Whether a comparison of a value that may be null with one that is null counts as false. */
  readonly nullEqualsNone?: boolean;
}

const NOTHING: Expr = { op: 'const', value: null, type: NULL };
const constant = (value: boolean): Expr => ({ op: 'const', value, type: BOOLEAN });

/** A condition simplified under an assumption: parts that the assumption decides become constants. */
export function assumed(expr: Expr, by: Assumption): Expr {
  if (isReading(expr)) {
    const text = show(expr);
    if (by.isNull(text)) return NOTHING;
    if (expr.op === 'get' && isNothing(assumed(expr.of, by))) return NOTHING;
    return expr;
  }
  const made = mapParts(expr, (part) => assumed(part, by));
  switch (made.op) {
    case 'sent':
      return by.isNull(`${show(made.of)}.${made.member}`) ? constant(false) : made;
    case 'if':
      return made.test.op === 'const' ? (made.test.value === true ? made.then : made.else) : made;
    case 'each':
      return made.macro === 'exists' && isFalse(made.body) ? constant(false) : made;
    case 'call':
      return calledUnder(made, by);
    default:
      return made;
  }
}

/** Whether an expression is a name, or a member of a name: two such expressions with equal text read the same value. */
function isReading(expr: Expr): boolean {
  return expr.op === 'name' || (expr.op === 'get' && isReading(expr.of));
}

const isNothing = (expr: Expr): boolean => expr.op === 'const' && expr.value === null;
const isFalse = (expr: Expr): boolean => expr.op === 'const' && expr.value === false;
const isTrue = (expr: Expr): boolean => expr.op === 'const' && expr.value === true;

function calledUnder(made: Extract<Expr, { op: 'call' }>, by: Assumption): Expr {
  const { fn, args } = made;
  const [a, b] = args;
  if (!a) return made;
  if (fn === 'not') return a.op === 'const' && typeof a.value === 'boolean' ? constant(!a.value) : made;
  if (fn === 'and') return contradicts(args) ? constant(false) : joined(made, isFalse, isTrue);
  if (fn === 'or') return joined(made, isTrue, isFalse);
  if (!b) return made;
  if (fn === '==' || fn === '!=') {
    const same = equalUnder(a, b, by);
    return same === null ? made : constant(fn === '==' ? same : !same);
  }
  if (fn === 'in') return memberUnder(made, a, b, by);
  return made;
}

/** `settles`: the constant that decides the result alone; `idle`: the constant that has no effect on the result. */
function joined(
  made: Extract<Expr, { op: 'call' }>,
  settles: (one: Expr) => boolean,
  idle: (one: Expr) => boolean,
): Expr {
  const settled = made.args.find(settles);
  if (settled) return settled;
  const left = made.args.filter((one) => !idle(one));
  if (left.length === 0) return made.args[0]!;
  return left.length === 1 ? left[0]! : { ...made, args: left };
}

/** Whether two values are the same; null where that is not known. */
function equalUnder(a: Expr, b: Expr, by: Assumption): boolean | null {
  if (isNothing(a) && isNothing(b)) return true;
  const other = isNothing(a) ? b : isNothing(b) ? a : null;
  if (other === null) return null;
  if (!other.type.nullable || by.isThere?.(show(other))) return false;
  // This compares a nullable value with a value that the request does not have. It is no test for null.
  return by.nullEqualsNone ? false : null;
}

/** True where one part of a conjunction says that two values are the same, and another that they are not. */
function contradicts(args: readonly Expr[]): boolean {
  const all = args.flatMap(conjuncts);
  const pairs = (fn: '==' | '!='): string[] =>
    all.flatMap((one) => (one.op === 'call' && one.fn === fn ? [one.args.map(show).sort().join(' == ')] : []));
  const same = new Set(pairs('=='));
  return same.size > 0 && pairs('!=').some((pair) => same.has(pair));
}

function memberUnder(made: Expr, item: Expr, list: Expr, by: Assumption): Expr {
  if (list.op === 'name' && list.name === 'scopes' && item.op === 'const') {
    const has = by.hasScope?.(String(item.value)) ?? null;
    return has === null ? made : constant(has);
  }
  if (!isNothing(item)) return made;
  if (list.op === 'list') return list.items.some((one) => one.type.nullable) ? made : constant(false);
  return list.type.kind === 'list' && !list.type.of.nullable ? constant(false) : made;
}

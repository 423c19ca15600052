import { FIRST, LAST } from '../values/days.ts';
import { type Expr, type Fn, isClaims, type Query, some } from './expression.ts';
import { rescaledBy, scaleOf } from './scales.ts';
import type { Type } from './types.ts';

/** The range of a number, or of the length of a string in UTF-16 units. */
type Range = readonly [least: number, most: number];

/**
 * The bounds of a stored field. For a list, `range` is the range of each item, and `items` is the largest number of
 * items.
 */
export interface Bounds {
  readonly range: Range | null;
  readonly items: number;
}

/** The known facts about stored and derived fields. */
interface KnownFields {
  bounds(resource: string, field: string): Bounds | null;
  /** The bounds of a claim of tokens; absent where claims count as unbounded. */
  claim?(name: string): Bounds | null;
  /**
   * The expression of a derived field; or, where that is unknown, whether the field may have no result. Lowered
   * expressions read no derived field.
   */
  derived(resource: string, field: string): Expr | boolean;
}

const MOST = Number.MAX_SAFE_INTEGER;
const EXACT: Range = [-MOST, MOST];
const IN_YEARS: Range = [FIRST, LAST];
/** The days between the first and the last date. */
const DAYS = 3_652_058;
/**
 * An upper bound on the number of rows in a sum: if a sum of this many rows stays exact, it is computed without a
 * check.
 */
const MOST_ROWS = 1e9;
/** The longest string that functions produce (see `library/texts.ts`). */
const LONGEST = 1_048_576;

/** Functions of times whose results are small numbers. */
const PARTS: ReadonlySet<Fn> = new Set<Fn>([
  'getFullYear',
  'getMonth',
  'getDate',
  'getDayOfMonth',
  'getDayOfWeek',
  'getDayOfYear',
  'getHours',
  'getMinutes',
  'getSeconds',
  'getMilliseconds',
]);
/** Functions whose results are no longer than their string, except that a letter may become up to three. */
const KEEPING: ReadonlySet<Fn> = new Set<Fn>(['lowerAscii', 'upperAscii', 'trim', 'substring', 'charAt', 'reverse']);
const WIDENING: ReadonlySet<Fn> = new Set<Fn>(['lower', 'upper', 'slug']);
const ROUNDING: ReadonlySet<Fn> = new Set<Fn>([
  'math.round',
  'math.roundEven',
  'math.trunc',
  'math.floor',
  'math.ceil',
]);

/**
 * Finds the computations that may have no result although their type is not nullable: a number beyond 2^53 − 1, a time
 * beyond the years 1 to 9999, or a string that is too long. The bounds of fields exclude this for most computations.
 */
export class Results {
  private readonly fields: KnownFields;
  private readonly ranges = new WeakMap<Expr, Range>();
  private readonly known = new WeakMap<Expr, boolean>();
  /**
   * The expressions of derived fields that are being examined. A field that is derived from itself is refused
   * elsewhere.
   */
  private readonly underWay = new Set<Expr>();

  constructor(fields: KnownFields) {
    this.fields = fields;
  }

  private derivedLacks(resource: string, field: string): boolean {
    const value = this.fields.derived(resource, field);
    if (typeof value === 'boolean') return value;
    if (this.underWay.has(value)) return false;
    this.underWay.add(value);
    const lacks = this.lacks(value);
    this.underWay.delete(value);
    return lacks;
  }

  /** Whether an expression, or any part of it, may have no result. */
  lacks(expr: Expr): boolean {
    const known = this.known.get(expr);
    if (known !== undefined) return known;
    const found = this.find(expr);
    this.known.set(expr, found);
    return found;
  }

  /** Whether an operation may have no result although its operands have one. */
  goesBeyond(expr: Extract<Expr, { op: 'call' }>): boolean {
    const { fn, args, type } = expr;
    switch (fn) {
      case '+':
      case '-':
        if (type.kind === 'date') return true;
        return type.kind !== 'string' && type.kind !== 'list' && !within(this.computed(expr), rangeOfType(type));
      case '*':
      case 'rescale':
        return !within(this.computed(expr), EXACT);
      case 'sum':
        return !this.sums(args[0]!);
      case 'replace':
        return this.computed(expr)[1] > LONGEST;
      case 'join':
        return true;
      case 'math.divide':
        return !within(this.computed(expr), EXACT);
      case 'addMonths':
      case 'addYears':
      case 'addDays':
        return true;
      case 'date':
      case 'timestamp':
        // In another zone, the last day may belong to the year 10000.
        return args.length === 2 && constant(args[1]) !== 'UTC';
      default:
        return ROUNDING.has(fn) && !within(this.computed(expr), EXACT);
    }
  }

  /** The range of a number: of its expression where it is derived, and of both branches of a conditional. */
  rangeOfNumber(expr: Expr): Range {
    if (expr.op === 'if') return around(this.rangeOfNumber(expr.then), this.rangeOfNumber(expr.else));
    if (expr.op !== 'get' || !expr.derived || expr.of.type.kind !== 'row') return this.rangeOf(expr);
    const value = this.fields.derived(expr.of.type.resource, expr.member);
    if (typeof value === 'boolean' || this.underWay.has(value)) return this.rangeOf(expr);
    this.underWay.add(value);
    const range = this.rangeOfNumber(value);
    this.underWay.delete(value);
    return range;
  }

  /** Whether the sum of a list is always exact. */
  sums(list: Expr): boolean {
    const { range, items } = this.itemsOf(list);
    return range !== null && Math.max(Math.abs(range[0]), Math.abs(range[1])) * items <= MOST;
  }

  /** The largest number of a list’s items; 1 where it is unknown, as for rows. */
  countOf(list: Expr): number {
    const { items } = this.itemsOf(list);
    return items === MOST_ROWS ? 1 : items;
  }

  /** The greatest length of a string in UTF-16 units; 1 where it is unknown. */
  lengthOf(text: Expr): number {
    const [, most] = this.rangeOf(text);
    return Number.isFinite(most) ? most : 1;
  }

  private find(expr: Expr): boolean {
    switch (expr.op) {
      case 'get':
        if (expr.derived && expr.of.type.kind === 'row') return this.derivedLacks(expr.of.type.resource, expr.member);
        return false;
      case 'call':
        if (expr.fn === 'or lowest') return false;
        return expr.args.some((arg) => this.lacks(arg)) || this.goesBeyond(expr);
      case 'if':
        return this.lacks(expr.then) || this.lacks(expr.else);
      case 'list':
        return expr.items.some((item) => this.lacks(item));
      case 'map':
        return expr.values.some((value) => this.lacks(value));
      case 'each':
        return this.lacks(expr.list) || (expr.macro === 'map' && this.lacks(expr.body));
      case 'query':
        return this.queryLacks(expr);
      default:
        return false;
    }
  }

  private queryLacks(query: Query): boolean {
    if (query.fn === 'count' || query.fn === 'exists' || query.value === null) return false;
    return this.lacks(query.value) || (query.fn === 'sum' && !this.sums({ ...query, fn: 'list' }));
  }

  /** The range of a number, or of the length of a string in UTF-16 units, if it has a result. */
  rangeOf(expr: Expr): Range {
    const known = this.ranges.get(expr);
    if (known) return known;
    const all = rangeOfType(expr.type);
    const [least, most] = this.computed(expr);
    const range: Range = [Math.max(least, all[0]), Math.min(most, all[1])];
    this.ranges.set(expr, range);
    return range;
  }

  /** The range of an operation’s exact result, which may be beyond the exact numbers. */
  private computed(expr: Expr): Range {
    switch (expr.op) {
      case 'const':
        if (typeof expr.value === 'string') return [expr.value.length, expr.value.length];
        return typeof expr.value === 'number' ? [expr.value, expr.value] : rangeOfType(expr.type);
      case 'get':
        return this.boundsOf(expr)?.range ?? rangeOfType(expr.type);
      case 'if':
        return around(this.rangeOf(expr.then), this.rangeOf(expr.else));
      case 'call':
        return this.called(expr.fn, expr.args, expr.type);
      default:
        return rangeOfType(expr.type);
    }
  }

  private called(fn: Fn, args: readonly Expr[], type: Type): Range {
    const of = (place: number): Range => (args[place] ? this.rangeOf(args[place]) : [0, 0]);
    const text = type.kind === 'string';
    switch (fn) {
      case '+':
        return [of(0)[0] + of(1)[0], of(0)[1] + of(1)[1]];
      case '-':
        if (args[1]?.type.kind === 'date') return symmetric([0, DAYS]);
        return [of(0)[0] - of(1)[1], of(0)[1] - of(1)[0]];
      case '*':
        return product(of(0), of(1));
      case '/':
      case '%':
        return divided(fn, of(0), constant(args[1]));
      case 'negate':
        return [-of(0)[1], -of(0)[0]];
      case 'size':
        return [0, Math.min(args[0]!.type.kind === 'list' ? this.itemsOf(args[0]!).items : of(0)[1], MOST)];
      case 'math.greatest':
      case 'math.least': {
        const all = args.map((arg) => (arg.type.kind === 'list' ? rangeOfType(type) : this.rangeOf(arg)));
        const pick = fn === 'math.least' ? Math.min : Math.max;
        return [pick(...all.map(([least]) => least)), pick(...all.map(([, most]) => most))];
      }
      case 'rescale':
        return times(of(0), 10 ** rescaledBy(args[0]!, args[1]!));
      case 'replace': {
        const put = of(2)[1];
        return [0, (of(0)[1] + 1) * put + of(0)[1]];
      }
      case 'math.divide': {
        const digits = Number(constant(args[2]) ?? 0) + (scaleOf(args[1]!.type) ?? 0) - (scaleOf(args[0]!.type) ?? 0);
        return symmetric(times(of(0), 10 ** digits / Math.abs(Number(constant(args[1]) || 1))));
      }
      default:
        if (text && KEEPING.has(fn)) return [0, of(0)[1]];
        if (text && WIDENING.has(fn)) return [0, of(0)[1] * 3];
        if (text && fn === 'string') return args[0]!.type.kind === 'string' ? of(0) : [0, 64];
        if (PARTS.has(fn) && args[0]!.type.kind !== 'duration') return [-1, 10_000];
        if (ROUNDING.has(fn)) return this.rounded(args);
        return rangeOfType(type);
    }
  }

  /** The range of a rounded number, which may be one more than that of its argument. */
  private rounded(args: readonly Expr[]): Range {
    const [least, most] = this.rangeOf(args[0]!);
    const shift = 10 ** (Number(constant(args[1]) ?? 0) - (scaleOf(args[0]!.type) ?? 0));
    return shift >= 1 ? [least * shift, most * shift] : [Math.floor(least * shift) - 1, Math.ceil(most * shift) + 1];
  }

  private boundsOf(expr: Extract<Expr, { op: 'get' }>): Bounds | null {
    const { of, member } = expr;
    if (expr.derived) return null;
    if (of.type.kind === 'row') return this.fields.bounds(of.type.resource, member);
    if (isClaims(of)) return this.fields.claim?.(member) ?? null;
    // A value in a request is within the bounds of its field.
    const payload = of.type.kind === 'object' ? of.type.payload : undefined;
    return payload?.fields.includes(member) ? this.fields.bounds(payload.resource, member) : null;
  }

  private itemsOf(list: Expr): Bounds {
    const stated = list.type.kind === 'list' ? list.type.most : undefined;
    const any = { range: null, items: stated ?? MOST_ROWS };
    switch (list.op) {
      case 'get':
        return this.boundsOf(list) ?? any;
      case 'list':
        return { range: list.items.map((item) => this.rangeOf(item)).reduce(around, [0, 0]), items: list.items.length };
      case 'query':
        return { range: list.value && this.rangeOf(list.value), items: MOST_ROWS };
      case 'each': {
        const { items, range } = this.itemsOf(list.list);
        return { range: list.macro === 'map' ? this.rangeOf(list.body) : range, items };
      }
      case 'if': {
        const [yes, no] = [this.itemsOf(list.then), this.itemsOf(list.else)];
        const range = yes.range && no.range && around(yes.range, no.range);
        return { range, items: Math.max(yes.items, no.items) };
      }
      case 'call':
        return this.itemsOfCall(list.fn, list.args) ?? any;
      default:
        return any;
    }
  }

  private itemsOfCall(fn: Fn, args: readonly Expr[]): Bounds | null {
    if (fn === 'split') return { range: null, items: this.lengthOf(args[0]!) + 1 };
    if (args[0]?.type.kind !== 'list') return null;
    const first = this.itemsOf(args[0]);
    if (fn !== '+') return fn === 'flatten' ? null : first;
    const second = this.itemsOf(args[1]!);
    const range = first.range && second.range && around(first.range, second.range);
    return { range, items: Math.min(first.items + second.items, MOST_ROWS) };
  }
}

/** The range of all values of a type. */
export function rangeOfType(type: Type): Range {
  if (type.kind === 'timestamp') return IN_YEARS;
  return type.kind === 'string' ? [0, Number.POSITIVE_INFINITY] : EXACT;
}

const within = ([least, most]: Range, all: Range): boolean => least >= all[0] && most <= all[1];
const around = (a: Range, b: Range): Range => [Math.min(a[0], b[0]), Math.max(a[1], b[1])];
const sorted = (a: number, b: number): Range => (a < b ? [a, b] : [b, a]);
const times = ([least, most]: Range, factor: number): Range => [least * factor, most * factor];

function product(a: Range, b: Range): Range {
  const corners = a.flatMap((x) => b.map((y) => x * y));
  return [Math.min(...corners), Math.max(...corners)];
}

function symmetric([least, most]: Range): Range {
  const far = Math.max(Math.abs(least), Math.abs(most));
  return [-far, far];
}

/** The range of a quotient that is truncated towards zero, or of what remains, by a divisor that may be constant. */
function divided(fn: '/' | '%', [least, most]: Range, by: unknown): Range {
  if (typeof by !== 'number' || by === 0) return symmetric([least, most]);
  if (fn === '/') return sorted(Math.trunc(least / by), Math.trunc(most / by));
  const rest = Math.abs(by) - 1;
  return [Math.max(Math.min(least, 0), -rest), Math.min(Math.max(most, 0), rest)];
}

const constant = (expr: Expr | undefined): unknown => (expr?.op === 'const' ? expr.value : undefined);

/** Whether an expression is short and cheap, so that a statement may contain it twice. */
export function isSimple(expr: Expr): boolean {
  return (
    expr.op === 'const' || expr.op === 'name' || (expr.op === 'get' && !some(expr.of, (part) => part.op === 'query'))
  );
}

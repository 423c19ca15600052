import { constantOf } from '../../expression/library/compile.ts';
import { type Expr, type Fn, parts, show } from '../../expression/tree/expression.ts';
import { rescaledBy } from '../../expression/tree/scales.ts';

/** The allowed values: numbers within bounds, listed values, or all texts that `takes` accepts. */
export type Domain =
  | { readonly kind: 'numbers'; readonly least: number; readonly most: number }
  | { readonly kind: 'values'; readonly values: ReadonlyArray<string | boolean> }
  | { readonly kind: 'texts'; readonly takes: (text: string) => boolean };

/** A part of a domain whose values all give a condition's comparisons the same results. */
type Region =
  | { readonly kind: 'null' }
  | { readonly kind: 'numbers'; readonly least: number; readonly most: number }
  | { readonly kind: 'value'; readonly value: string | boolean }
  /** Any text that the condition does not write out. */
  | { readonly kind: 'other' };

/** The region of each value that a condition reads, by the text of the expression that reads it. */
type Regions = ReadonlyMap<string, Region>;

type Result = 'always' | 'never';

/** A condition, or a part of one, that has the same result for all allowed values. */
export interface Decided {
  readonly test: Expr;
  readonly result: Result;
}

/** The possible outcomes of a condition, as a bit set: it holds, it fails, or it has no result. */
const HOLDS = 1;
const FAILS = 2;
const LACKS = 4;
const EITHER = HOLDS | FAILS;
const ANY = EITHER | LACKS;

/** The most combinations of regions that are tried for one condition. */
const MOST_TRIED = 128;

const ORDERED: readonly Fn[] = ['<', '<=', '>', '>='];
const COMPARING: readonly Fn[] = [...ORDERED, '==', '!=', 'in'];

/** Whether an expression reads a member, or the size of one: equal texts in a condition then have equal values. */
function isRead(expr: Expr): boolean {
  if (expr.op === 'get') return !expr.derived && isPath(expr.of);
  const [of] = expr.op === 'call' && expr.fn === 'size' ? expr.args : [];
  return of?.op === 'get' && isRead(of);
}

const isPath = (expr: Expr): boolean => expr.op === 'name' || (expr.op === 'get' && !expr.derived && isPath(expr.of));

/**
 * Finds conditions that always or never hold, for all allowed values that they read. A computed value may be anything,
 * except the size of a text or of a list, which has bounds.
 */
export class Outcomes {
  private readonly domainOf: (read: Expr) => Domain | null;
  private readonly texts = new Map<Expr, string>();

  /** `domainOf`: the possible values of an expression that reads a value; null where they are unknown. */
  constructor(domainOf: (read: Expr) => Domain | null) {
    this.domainOf = domainOf;
  }

  /** The smallest parts of an expression that are decided. */
  within(expr: Expr, around: Fn | null = null): readonly Decided[] {
    const own = expr.op === 'call' ? expr.fn : null;
    const inner = parts(expr).flatMap((part) => this.within(part, own));
    if (inner.length > 0 || own === null) return inner;
    const joins = own === 'and' || own === 'or';
    // A chain of one operator, such as `a && b && c`, is judged as a whole.
    if (joins ? own === around : !COMPARING.includes(own)) return inner;
    const result = this.decided(expr);
    return result ? [{ test: expr, result }] : [];
  }

  /** The result of a condition for all values; null where it depends on the values, or where no value is read. */
  decided(test: Expr): Result | null {
    const read = this.readBy(test);
    if (read.size === 0) return null;
    let outcomes = 0;
    for (const regions of this.combinations(test, read)) {
      outcomes |= this.outcomesOf(test, regions);
      if (outcomes & HOLDS && outcomes !== HOLDS) return null;
    }
    return outcomes === HOLDS ? 'always' : 'never';
  }

  /** The reads of values in a condition, by their texts, without those inside macros. */
  readBy(expr: Expr, out = new Map<string, Expr[]>()): ReadonlyMap<string, readonly Expr[]> {
    if (isRead(expr)) {
      const text = this.text(expr);
      const known = out.get(text);
      if (known) known.push(expr);
      else out.set(text, [expr]);
    } else if (expr.op === 'call' || expr.op === 'if') for (const part of parts(expr)) this.readBy(part, out);
    return out;
  }

  private text(expr: Expr): string {
    const known = this.texts.get(expr);
    if (known !== undefined) return known;
    const text = show(expr);
    this.texts.set(expr, text);
    return text;
  }

  /** All combinations of regions of the values. A value with too many regions is left out, and may be anything. */
  private combinations(test: Expr, read: ReadonlyMap<string, readonly Expr[]>): readonly Regions[] {
    let all: Regions[] = [new Map()];
    for (const [text, reads] of read) {
      const [first] = reads;
      const domain = first && this.domainOf(first);
      if (!domain) continue;
      const absent: Region[] = reads.some(({ type }) => type.nullable) ? [{ kind: 'null' }] : [];
      const regions = [...absent, ...regionsOf(domain, this.writtenBeside(test, text))];
      if (all.length * regions.length > MOST_TRIED) continue;
      all = all.flatMap((one) => regions.map((region) => new Map([...one, [text, region]])));
    }
    return all;
  }

  /** The constants that a condition compares with a value, in the units of that value. */
  private writtenBeside(expr: Expr, text: string): ReadonlyArray<number | string | boolean> {
    if (expr.op !== 'call' && expr.op !== 'if') return [];
    const inner = parts(expr).flatMap((part) => this.writtenBeside(part, text));
    const [a, b] = expr.op === 'call' && COMPARING.includes(expr.fn) ? expr.args : [];
    if (!a || !b) return inner;
    return [...inner, ...this.writtenIn(b, a, text), ...this.writtenIn(a, b, text)];
  }

  private writtenIn(written: Expr, beside: Expr, text: string): ReadonlyArray<number | string | boolean> {
    const factor = factorOf(beside);
    if (factor === null || this.text(beside) !== text) return [];
    return (written.op === 'list' ? written.items : [written]).flatMap((item) => {
      const value = constant(item);
      return typeof value === 'number' ? value / factor : (value ?? []);
    });
  }

  private outcomesOf(expr: Expr, regions: Regions): number {
    if (isRead(expr)) {
      const region = regions.get(this.text(expr));
      return region?.kind === 'value' ? (region.value === true ? HOLDS : FAILS) : ANY;
    }
    if (expr.op === 'if') {
      const test = this.outcomesOf(expr.test, regions);
      const yes = test & HOLDS ? this.outcomesOf(expr.then, regions) : 0;
      const no = test & FAILS ? this.outcomesOf(expr.else, regions) : 0;
      return yes | no | (test & LACKS);
    }
    const [a, b] = expr.op === 'call' ? expr.args : [];
    if (expr.op !== 'call' || !a) return ANY;
    if (expr.fn === 'not') return negated(this.outcomesOf(a, regions));
    if (!b) return ANY;
    if (expr.fn === 'and') return joined(this.outcomesOf(a, regions), this.outcomesOf(b, regions), FAILS);
    if (expr.fn === 'or') return joined(this.outcomesOf(a, regions), this.outcomesOf(b, regions), HOLDS);
    return this.compared(expr.fn, a, b, regions);
  }

  private compared(fn: Fn, a: Expr, b: Expr, regions: Regions): number {
    if (fn === '==') return this.equal(a, b, regions);
    if (fn === '!=') return negated(this.equal(a, b, regions));
    if (fn === 'in' && b.op === 'list')
      return b.items.reduce((all, one) => joined(all, this.equal(a, one, regions), HOLDS), FAILS);
    return ORDERED.includes(fn) ? this.ordered(fn, a, b, regions) : ANY;
  }

  /** The region of a value; a constant is a region of its own. Null where the region is unknown. */
  private regionOf(expr: Expr, regions: Regions): Region | null {
    const value = constant(expr);
    if (value === null) return { kind: 'null' };
    if (typeof value === 'number') return { kind: 'numbers', least: value, most: value };
    if (value !== undefined) return { kind: 'value', value };
    const factor = factorOf(expr);
    const region = factor === null ? null : regions.get(this.text(expr));
    if (!region || factor === null || region.kind !== 'numbers') return region ?? null;
    const [least, most] = [region.least * factor, region.most * factor];
    return Number.isSafeInteger(least) && Number.isSafeInteger(most) ? { kind: 'numbers', least, most } : null;
  }

  private same(a: Expr, b: Expr): boolean {
    return factorOf(a) === 1 && factorOf(b) === 1 && this.text(a) === this.text(b);
  }

  private equal(a: Expr, b: Expr, regions: Regions): number {
    if (this.same(a, b)) return HOLDS;
    const [left, right] = [this.regionOf(a, regions), this.regionOf(b, regions)];
    if (!left || !right) return ANY;
    if (left.kind === 'null' || right.kind === 'null') return left.kind === right.kind ? HOLDS : FAILS;
    if (left.kind === 'numbers' && right.kind === 'numbers') {
      if (left.most < right.least || right.most < left.least) return FAILS;
      return left.least === left.most && right.least === right.most ? HOLDS : EITHER;
    }
    if (left.kind === 'value' && right.kind === 'value') return left.value === right.value ? HOLDS : FAILS;
    // A text constant is a region of its own, outside of `other`.
    const written = left.kind === 'other' ? b : a;
    return left.kind !== right.kind && written.op === 'const' ? FAILS : EITHER;
  }

  private ordered(fn: Fn, a: Expr, b: Expr, regions: Regions): number {
    if (this.same(a, b)) return fn.endsWith('=') ? HOLDS : FAILS;
    const [left, right] = [this.regionOf(a, regions), this.regionOf(b, regions)];
    if (left?.kind !== 'numbers' || right?.kind !== 'numbers') return ANY;
    const [low, high] = fn.startsWith('<') ? [left, right] : [right, left];
    if (fn.endsWith('=')) {
      if (low.most <= high.least) return HOLDS;
      return low.least > high.most ? FAILS : EITHER;
    }
    if (low.most < high.least) return HOLDS;
    return low.least >= high.most ? FAILS : EITHER;
  }
}

function regionsOf(domain: Domain, written: ReadonlyArray<number | string | boolean>): readonly Region[] {
  if (domain.kind === 'values') return domain.values.map((value) => ({ kind: 'value', value }));
  if (domain.kind === 'texts') {
    const texts = new Set(written.filter((one) => typeof one === 'string' && domain.takes(one)));
    return [{ kind: 'other' }, ...[...texts].map((value): Region => ({ kind: 'value', value: String(value) }))];
  }
  const { least, most } = domain;
  const cuts = written.flatMap((one) => (typeof one === 'number' ? [Math.ceil(one), Math.floor(one) + 1] : []));
  const starts = [...new Set([least, ...cuts.filter((cut) => cut > least && cut <= most)])].sort((a, b) => a - b);
  return starts.map((start, i) => ({ kind: 'numbers', least: start, most: (starts[i + 1] ?? most + 1) - 1 }));
}

/** The factor that `rescale` applies to a value that is read; 1 without `rescale`, null for other expressions. */
function factorOf(expr: Expr): number | null {
  if (isRead(expr)) return 1;
  const [value, scale] = expr.op === 'call' && expr.fn === 'rescale' ? expr.args : [];
  return value && scale && isRead(value) ? 10 ** rescaledBy(value, scale) : null;
}

/** The value of a constant expression, if it is a scalar or null; else undefined. */
function constant(expr: Expr): string | number | boolean | null | undefined {
  const value = constantOf(expr);
  return value === null || typeof value !== 'object' ? value : undefined;
}

const negated = (of: number): number => (of & LACKS) | (of & HOLDS ? FAILS : 0) | (of & FAILS ? HOLDS : 0);

/** The outcomes of `&&` or `||`. `settles`: the outcome of one side that decides: `FAILS` for `&&`, else `HOLDS`. */
function joined(a: number, b: number, settles: number): number {
  const other = EITHER - settles;
  const lacks = (a & LACKS && b & ~settles) || (b & LACKS && a & ~settles);
  return ((a | b) & settles) | (a & b & other) | (lacks ? LACKS : 0);
}

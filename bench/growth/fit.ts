/**
 * What a cost may be at most: a + b·log(n) of what there is; a + b·n of what is sent, of which no piece costs more than
 * one before it; or the same at every size.
 */
export type Bound = 'logarithm' | 'line' | 'level';

/** A cost at a size. */
export interface Point {
  readonly size: number;
  readonly cost: number;
}

export interface Verdict {
  readonly holds: boolean;
  /** The cost at the largest size, as a multiple of that at the smallest. */
  readonly ratio: number;
  /** The greatest ratio at which the bound holds; null where it is not about the ratio. */
  readonly most: number | null;
  /** The exponent of the power of the size that fits best. */
  readonly exponent: number;
  /** The best fit of a + b·log10(size), or of a + b·size for a line. */
  readonly a: number;
  readonly b: number;
  /** Of a line: what one more costs among the larger sizes, as a multiple of the same among the smaller. */
  readonly bend: number | null;
}

/** What noise may add before a bound counts as broken. */
const NOISE = 1.15;
/** What is the same at every size may differ by more: a larger program and its rows are in the processor's caches less often. */
const LEVEL = 1.25;
const BEND = 1.3;
/** None of something, and few of it, are alike: below this a logarithm starts from its end. */
const FEW = 1000;

/** Holds costs, in the order of their sizes, against their bound. */
export function judge(points: readonly Point[], bound: Bound): Verdict {
  const first = points[0]!;
  const last = points.at(-1)!;
  const ratio = last.cost / first.cost;
  const logs = points.map(
    ({ size, cost }) => [Math.log(Math.max(size, bound === 'logarithm' ? FEW : 1)), cost] as const,
  );
  const exponent = fit(logs.map(([x, cost]) => [x, Math.log(cost)])).b;
  if (bound === 'line') {
    const line = fit(points.map(({ size, cost }) => [size, cost]));
    const bend = bendOf(points);
    return { holds: bend <= BEND, ratio, most: null, exponent, ...line, bend };
  }
  const line = fit(logs.map(([x, cost]) => [x / Math.LN10, cost]));
  const most = bound === 'level' ? LEVEL : (NOISE * logs.at(-1)![0]) / logs[0]![0];
  return { holds: ratio <= most, ratio, most, exponent, ...line, bend: null };
}

/** What one more costs between the middle and the largest size, by what it costs between the smallest and the middle. */
function bendOf(points: readonly Point[]): number {
  const first = points[0]!;
  const last = points.at(-1)!;
  // The size that is next to half of the largest: the halves are then of like length, and noise weighs alike in both.
  const half = points.slice(1, -1).toSorted((a, b) => off(a, last) - off(b, last))[0] ?? last;
  const slope = (from: Point, to: Point): number => (to.cost - from.cost) / (to.size - from.size);
  return half === last ? 1 : slope(half, last) / slope(first, half);
}

const off = ({ size }: Point, last: Point): number => Math.abs(size - last.size / 2);

/** The line of least squares. */
function fit(points: ReadonlyArray<readonly [number, number]>): { readonly a: number; readonly b: number } {
  const mean = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;
  const x = mean(points.map(([one]) => one));
  const y = mean(points.map(([, one]) => one));
  const over = mean(points.map(([px, py]) => (px - x) * (py - y)));
  const under = mean(points.map(([px]) => (px - x) ** 2));
  const b = under === 0 ? 0 : over / under;
  return { a: y - b * x, b };
}

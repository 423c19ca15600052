/** Numbers as they come, kept exactly. */
export class Samples {
  private values = new Float64Array(1 << 16);
  private count = 0;

  add(value: number): void {
    if (this.count === this.values.length) {
      const more = new Float64Array(this.values.length * 2);
      more.set(this.values);
      this.values = more;
    }
    this.values[this.count++] = value;
  }

  /** The numbers in order. */
  sorted(): Float64Array {
    return this.values.slice(0, this.count).sort();
  }
}

/** The least of the sorted numbers that so large a share of them does not exceed (nearest rank); 0 of none. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) return 0;
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
}

/** The middle of some numbers, and their least and greatest. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** Of an even number of numbers the middle is between two. Null where there is none. */
export function spread(values: readonly number[]): Spread | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  const median = sorted.length % 2 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
  return { median, least: sorted[0]!, most: sorted.at(-1)! };
}

/** A small seeded generator (mulberry32): the same seed gives the same choices on every machine. */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed | 0;
  }

  /** The generator of one part of a run: independent of the parts before it, so that it can be run again alone. */
  static of(seed: number, index: number): Random {
    const random = new Random(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35));
    random.next();
    return random;
  }

  /** A copy of the generator, which returns the same numbers from here on. */
  copy(): Random {
    return new Random(this.state);
  }

  /** A number from 0 to 1, without 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A random item of a list; undefined for an empty list. */
  among<T>(list: readonly T[]): T | undefined {
    return list.length === 0 ? undefined : list[this.int(0, list.length - 1)];
  }

  /** A random item of a list that is not empty. */
  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error('Nothing to pick from');
    return list[this.int(0, list.length - 1)] as T;
  }

  /** Yields the items in a random order, and computes only the items that are read. */
  *inAnyOrder<T>(list: readonly T[]): Generator<T> {
    // The item that was moved to the index of a yielded item (Fisher and Yates).
    const moved = new Map<number, T>();
    const at = (i: number): T | undefined => (moved.has(i) ? moved.get(i) : list[i]);
    for (let left = list.length; left > 0; left--) {
      const i = this.int(0, left - 1);
      const [one, last] = [at(i), at(left - 1)];
      if (last !== undefined) moved.set(i, last);
      if (one !== undefined) yield one;
    }
  }

  shuffled<T>(list: readonly T[]): T[] {
    return [...this.inAnyOrder(list)];
  }

  /** Some of a list, in a random order. */
  some<T>(list: readonly T[], most: number): T[] {
    const out: T[] = [];
    if (most <= 0) return out;
    for (const one of this.inAnyOrder(list)) if (out.push(one) >= most) break;
    return out;
  }

  text(alphabet: string, length: number): string {
    return Array.from({ length }, () => alphabet.charAt(this.int(0, alphabet.length - 1))).join('');
  }

  uuid(): string {
    const hex = this.text('0123456789abcdef', 32);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
  }
}

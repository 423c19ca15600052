/** The largest number of layers: a deeper map is copied as a whole. */
const MOST_LAYERS = 12;

/** A map whose copies cost nothing until something is added to them. */
export class Layered<K, V> {
  private readonly below: Layered<K, V> | null;
  private readonly own: Map<K, V>;
  private readonly depth: number;
  private count: number;

  constructor(below: Layered<K, V> | null = null) {
    const deep = below !== null && below.depth >= MOST_LAYERS;
    this.below = deep ? null : below;
    this.own = deep ? new Map<K, V>([...below].map(([key, value]) => [key, value])) : new Map();
    this.depth = this.below ? this.below.depth + 1 : 0;
    this.count = below?.count ?? 0;
  }

  get size(): number {
    return this.count;
  }

  get(key: K): V | undefined {
    const found = this.own.get(key);
    return found !== undefined || !this.below ? found : this.below.get(key);
  }

  set(key: K, value: V): void {
    if (this.get(key) === undefined) this.count += 1;
    this.own.set(key, value);
  }

  /**
   * Entries in the order of their addition. A key that was set again in another layer comes twice, its latest value
   * last.
   */
  *[Symbol.iterator](): Generator<readonly [K, V]> {
    if (this.below) yield* this.below;
    yield* this.own;
  }
}

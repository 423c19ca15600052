import { setImmediate as turn } from 'node:timers/promises';
import type { Engine } from '../runtime/engine/engine.ts';
import { OperatorRows } from '../runtime/operator-rows.ts';

/** Resource → state → number of rows. Resources without states have theirs under the empty name. */
type Counted = Readonly<Record<string, Readonly<Record<string, number>>>>;

/**
 * The least time for which a count is cached, in milliseconds, and the largest share of time that counting may take.
 */
const LEAST_MS = 2000;
const SHARE = 1 / 200;

/** Counts the rows in each state: once for all concurrent readers, and rarely if counting takes long. */
export class RowCounts {
  private counting: Promise<Counted> | null = null;
  private engine: Engine | null = null;
  private counted: Counted = {};
  /** When the cached count expires, on the monotonic clock. */
  private until = Number.NEGATIVE_INFINITY;

  /** Returns the cached counts, or counts again. Rejects with StoreError if the rows cannot be read. */
  async of(engine: Engine): Promise<Counted> {
    if (engine === this.engine && performance.now() < this.until) return this.counted;
    this.counting ??= this.count(engine).finally(() => {
      this.counting = null;
    });
    return this.counting;
  }

  private async count(engine: Engine): Promise<Counted> {
    const rows = new OperatorRows(engine);
    const counted: Array<[string, Record<string, number>]> = [];
    let elapsed = 0;
    for (const { name, states } of engine.plan.resources) {
      const began = performance.now();
      const found = await rows.counts(name, states?.field ?? null);
      elapsed += performance.now() - began;
      counted.push([name, Object.fromEntries(found)]);
      // Lets requests run between resources.
      await turn();
    }
    this.counted = Object.fromEntries(counted);
    this.engine = engine;
    this.until = performance.now() + Math.max(LEAST_MS, elapsed / SHARE);
    return this.counted;
  }
}

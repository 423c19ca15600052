import { setImmediate as turn } from 'node:timers/promises';
import type { Engine } from '../runtime/engine/engine.ts';
import { OperatorRows } from '../runtime/operator-rows.ts';

/** Resource → state → number of rows. Resources without states have theirs under the empty name. */
type Counted = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** How long a count stands at least, in milliseconds, and what share of the time counting may take. */
const LEAST_MS = 2000;
const SHARE = 1 / 200;

/** How many rows there are in each state: counted for all who ask at once, and rarely where counting takes long. */
export class RowCounts {
  private counting: Promise<Counted> | null = null;
  private engine: Engine | null = null;
  private counted: Counted = {};
  /** Until when the last count stands, on the monotonic clock. */
  private until = Number.NEGATIVE_INFINITY;

  /** What was counted last, or what is counted now. Rejects with StoreError where the rows can’t be asked. */
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
      // Requests come in between.
      await turn();
    }
    this.counted = Object.fromEntries(counted);
    this.engine = engine;
    this.until = performance.now() + Math.max(LEAST_MS, elapsed / SHARE);
    return this.counted;
  }
}

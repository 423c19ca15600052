import { setImmediate as turn } from 'node:timers/promises';
import type { Engine } from '../runtime/engine/engine.ts';
import { OperatorRows } from '../runtime/operator-rows.ts';
import { type ConsoleService, engineOf } from './console-service.ts';
import type { Activity, EndpointActivity } from './protocol.ts';

/** Reads the current activity of the service, once for all viewers. */
export class ActivityReader {
  private readonly served: ConsoleService;
  private readonly counts: RowCounts;
  private readonly since = new Date(Date.now() - performance.now()).toISOString();
  private processor = process.cpuUsage();
  private at = performance.now();
  private share = 0;

  constructor(served: ConsoleService, counts: RowCounts) {
    this.served = served;
    this.counts = counts;
  }

  /** Rejects if no document is being served. */
  async read(): Promise<Activity> {
    const { served } = this;
    const { metrics } = served.service;
    const { tallies, deliveries, moves } = metrics.counted;
    const notReady = await served.service.notReady();
    // If the rows cannot be counted, the other figures are still shown.
    const rows = await this.counts.of(engineOf(served)).catch(() => ({}));
    return {
      at: new Date().toISOString(),
      since: this.since,
      requests: [...tallies].map(([endpoint, { statuses, took, seconds }]): EndpointActivity => {
        return { endpoint, statuses: Object.fromEntries(statuses), took: [...took], seconds };
      }),
      deliveries: Object.fromEntries(deliveries),
      timedMoves: moves,
      rows,
      notReady,
      changedOnDisk: served.disk() === 'changed',
      served: served.edition(),
      memory: process.memoryUsage.rss(),
      processor: this.processorShare(),
    };
  }

  /** The share of one processor that was used since the last call, measured over a second or more. */
  private processorShare(): number {
    const now = performance.now();
    const milliseconds = now - this.at;
    if (milliseconds < 900) return this.share;
    const { user, system } = process.cpuUsage(this.processor);
    this.processor = process.cpuUsage();
    this.at = now;
    this.share = (user + system) / 1000 / milliseconds;
    return this.share;
  }
}

/** The counts of `Activity.rows`. */
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
    for (const { name, machines } of engine.plan.resources) {
      const began = performance.now();
      for (const [i, field] of (machines.length ? machines.map((one) => one.field) : [null]).entries()) {
        const found = await rows.counts(name, field);
        counted.push([i === 0 ? name : `${name}.${field}`, Object.fromEntries(found)]);
      }
      elapsed += performance.now() - began;
      // Lets requests run between resources.
      await turn();
    }
    this.counted = Object.fromEntries(counted);
    this.engine = engine;
    this.until = performance.now() + Math.max(LEAST_MS, elapsed / SHARE);
    return this.counted;
  }
}

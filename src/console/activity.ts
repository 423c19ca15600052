import { type ConsoleService, engineOf } from './console-service.ts';
import type { RowCounts } from './counts.ts';
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

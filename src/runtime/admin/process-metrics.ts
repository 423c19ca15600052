import { readdir } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Metric, metricOf } from './metric.ts';

/** The resolution of the event loop delay, in milliseconds. */
const LAG_PRECISION_MS = 10;

/** Metrics of the process, under the names that Prometheus' own clients use. */
export class ProcessMetrics {
  private readonly lag: ReturnType<typeof monitorEventLoopDelay>;
  private readonly started = Date.now() / 1000 - process.uptime();

  constructor() {
    this.lag = monitorEventLoopDelay({ resolution: LAG_PRECISION_MS });
    this.lag.enable();
  }

  /** Never rejects. */
  async read(): Promise<Metric[]> {
    const { user, system } = process.cpuUsage();
    const memory = process.memoryUsage();
    const gauge = (name: string, help: string, value: number): Metric => metricOf('gauge', name, help, value);
    const counter = (name: string, help: string, value: number): Metric => metricOf('counter', name, help, value);
    return [
      counter('process_cpu_user_seconds_total', 'Processor time spent in user mode.', user / 1e6),
      counter('process_cpu_system_seconds_total', 'Processor time spent in the kernel.', system / 1e6),
      counter('process_cpu_seconds_total', 'Processor time spent.', (user + system) / 1e6),
      gauge('process_start_time_seconds', 'When the process began, in seconds since 1970.', this.started),
      gauge('process_resident_memory_bytes', 'Resident memory.', memory.rss),
      ...(await descriptors()),
      gauge('nodejs_heap_size_total_bytes', 'Heap of JavaScript, as allocated.', memory.heapTotal),
      gauge('nodejs_heap_size_used_bytes', 'Heap of JavaScript, as used.', memory.heapUsed),
      gauge('nodejs_external_memory_bytes', 'Memory outside the heap that objects hold.', memory.external),
      ...this.lags(),
      metricOf('gauge', 'nodejs_version_info', 'The version of Node.js.', [[{ version: process.version }, 1]]),
    ];
  }

  close(): void {
    this.lag.disable();
  }

  /** Returns the event loop delay since the last call. Measurements include the resolution, which is subtracted. */
  private lags(): Metric[] {
    const { lag } = this;
    const seconds = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - LAG_PRECISION_MS / 1000);
    const none = lag.count === 0;
    const told = ([name, at]: readonly [string, number]): Metric =>
      metricOf(
        'gauge',
        `nodejs_eventloop_lag_${name}_seconds`,
        `How late the event loop was (${name}).`,
        none ? 0 : seconds(at),
      );
    const all = [
      ['p50', lag.percentile(50)],
      ['p99', lag.percentile(99)],
      ['max', lag.max],
    ] as const;
    const metrics = all.map(told);
    lag.reset();
    return metrics;
  }
}

/** Counts the open files and sockets, on Linux alone. */
async function descriptors(): Promise<Metric[]> {
  const open = await readdir('/proc/self/fd').catch(() => null);
  return open ? [metricOf('gauge', 'process_open_fds', 'Open files and sockets.', open.length)] : [];
}

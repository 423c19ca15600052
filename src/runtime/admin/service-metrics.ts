import { readdir } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Plan } from '../../plan/step.ts';
import { STORE_BUCKETS, type StoreFigures } from '../../store/figures.ts';
import { call, type Program, type Statement, type Store } from '../../store/store.ts';
import { histogramOf, type Metric, metricOf } from './metric.ts';

/** The longest time for the store to answer a scrape, in milliseconds: the other metrics don't wait for it. */
const TIMEOUT_MS = 1000;
/** The most rows that are counted, where there may be any number. */
const MOST = 10_000;
/**
 * The least time between two measurements of the store's size, in milliseconds: measuring reads a large database
 * through.
 */
const SIZES_EVERY_MS = 15_000;

/** The members of the timers that metrics read. */
interface Timed {
  readonly next: number;
  overdue(now: number, most: number): Program<number>;
}

/** The running service: its plan, its store and its timers. */
export interface InForce {
  readonly plan: Pick<Plan, 'schedules'>;
  readonly store: Store;
  readonly timers: Timed;
}

/** Counts that the store gave at one instant. */
interface StoreSample {
  readonly pending: number;
  /**
   * When the event of the oldest pending delivery happened, in milliseconds since the epoch; null where none is
   * pending.
   */
  readonly oldest: number | null;
  readonly overdue: number;
  /** The stored state of the schedules of the document. */
  readonly schedules: ReadonlyArray<{ readonly name: string; readonly due: number; readonly lastAt: number | null }>;
}

/**
 * Metrics that are read from the store at each scrape: pending deliveries, overdue timers, and the store's own counts.
 */
export class ServiceMetrics {
  private readonly inForce: () => InForce | null;
  private reading: Promise<Metric[]> | null = null;
  private pending: {
    readonly store: Store;
    readonly statement: Statement;
    readonly schedules: Statement | null;
  } | null = null;
  private sizes: { readonly store: Store; readonly at: number; readonly bytes: ReadonlyMap<string, number> } | null =
    null;

  /** `inForce` returns the running service; null before the start. */
  constructor(inForce: () => InForce | null) {
    this.inForce = inForce;
  }

  /**
   * Reads the metrics, once for all concurrent scrapes. Never rejects: metrics that the store doesn't return in time
   * are left out.
   */
  read(): Promise<Metric[]> {
    this.reading ??= this.readNow().finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  private async readNow(): Promise<Metric[]> {
    const inForce = this.inForce();
    if (!inForce) return [];
    const { store, timers } = inForce;
    const [sample, sizes] = await Promise.all([inTime(this.sample(inForce)), inTime(this.sizesOf(store))]);
    const now = store.now();
    return [
      ...(sample ? sampleMetrics(sample, now) : []),
      metricOf(
        'gauge',
        'ninefold_timer_late_seconds',
        'How long ago the first thing was due that is yet to happen by itself.',
        Math.max(0, now - timers.next) / 1000,
      ),
      ...storeMetrics(store.figures),
      ...(sizes
        ? [metricOf('gauge', 'ninefold_store_bytes', 'Size of the store, by part.', byLabel('part', sizes))]
        : []),
      ...poolMetrics(store),
    ];
  }

  private async sample({ plan, store, timers }: InForce): Promise<StoreSample> {
    if (this.pending?.store !== store)
      this.pending = {
        store,
        statement: store.prepare({ kind: 'system', name: 'pending deliveries' }),
        schedules: plan.schedules ? store.prepare({ kind: 'system', name: 'list schedules' }) : null,
      };
    const { statement, schedules: listing } = this.pending;
    const names = new Set(plan.schedules?.map(({ name }) => name));
    const now = store.now();
    return store.read(function* (): Program<StoreSample> {
      const [row] = yield* call(statement, [MOST]);
      const [pending, oldest] = row as [number, number | null];
      const rows = listing ? yield* call(listing, []) : [];
      const schedules = rows.flatMap(([name, , due, , , lastAt]) =>
        names.has(name as string)
          ? [{ name: name as string, due: due as number, lastAt: lastAt as number | null }]
          : [],
      );
      return { pending, oldest, overdue: yield* timers.overdue(now, MOST), schedules };
    });
  }

  private async sizesOf(store: Store): Promise<ReadonlyMap<string, number> | null> {
    const { sizes } = this;
    const at = performance.now();
    if (sizes?.store === store && at - sizes.at < SIZES_EVERY_MS) return sizes.bytes;
    const bytes = (await store.sizes?.()) ?? null;
    if (bytes) this.sizes = { store, at, bytes };
    return bytes;
  }
}

/** Resolves to the result of a promise, or to null where it rejects or takes too long. */
async function inTime<T>(work: Promise<T>): Promise<T | null> {
  const late = new AbortController();
  const timeOut = sleep(TIMEOUT_MS, null, { signal: late.signal, ref: false }).catch(() => null);
  const done = await Promise.race([work.catch(() => null), timeOut]);
  late.abort();
  return done;
}

function sampleMetrics({ pending, oldest, overdue, schedules }: StoreSample, now: number): Metric[] {
  return [
    ...scheduleMetrics(schedules),
    metricOf(
      'gauge',
      'ninefold_deliveries_pending',
      `Webhook deliveries that are to be made, ${MOST} at most.`,
      pending,
    ),
    metricOf(
      'gauge',
      'ninefold_delivery_oldest_pending_seconds',
      'How long ago the event of the oldest pending delivery happened.',
      oldest === null ? 0 : Math.max(0, now - oldest) / 1000,
    ),
    metricOf(
      'gauge',
      'ninefold_timers_due',
      `Transitions and events whose time has come and that have not happened yet, ${MOST} of each at most.`,
      overdue,
    ),
  ];
}

/** None where the document states no schedule. */
function scheduleMetrics(schedules: StoreSample['schedules']): Metric[] {
  if (schedules.length === 0) return [];
  const instants = (of: (one: StoreSample['schedules'][number]) => number | null) =>
    schedules.flatMap((one): Array<[Record<string, string>, number]> => {
      const at = of(one);
      return at === null ? [] : [[{ schedule: one.name }, at / 1000]];
    });
  return [
    metricOf(
      'gauge',
      'ninefold_schedule_next_due_timestamp_seconds',
      'When each schedule is due next, in seconds since 1970.',
      instants(({ due }) => due),
    ),
    metricOf(
      'gauge',
      'ninefold_schedule_last_run_timestamp_seconds',
      'When the last run of each schedule began, in seconds since 1970.',
      instants(({ lastAt }) => lastAt),
    ),
  ];
}

function storeMetrics({ reads, changes, conflicts, commits, syncs }: StoreFigures): Metric[] {
  const histogram = (name: string, help: string, { counts, seconds }: typeof commits): Metric => ({
    name,
    type: 'histogram',
    help,
    values: () => [...histogramOf(STORE_BUCKETS, counts, seconds)],
  });
  return [
    metricOf('counter', 'ninefold_transactions_total', 'Transactions, by what they do.', [
      [{ kind: 'read' }, reads],
      [{ kind: 'change' }, changes],
    ]),
    metricOf(
      'counter',
      'ninefold_transaction_conflicts_total',
      'Transactions that were run again, since they had met another (PostgreSQL).',
      conflicts,
    ),
    histogram(
      'ninefold_commit_seconds',
      'Time from the beginning of a transaction that changes rows to its durable commit.',
      commits,
    ),
    histogram('ninefold_sync_seconds', 'Time that the disk takes to sync the log (SQLite).', syncs),
  ];
}

function poolMetrics(store: Store): Metric[] {
  const pool = store.pool?.();
  if (!pool) return [];
  const { idle, used, most, waiting } = pool;
  return [
    metricOf('gauge', 'ninefold_pool_connections', 'Connections to the database, by their state.', [
      [{ state: 'idle' }, idle],
      [{ state: 'used' }, used],
    ]),
    metricOf('gauge', 'ninefold_pool_connections_max', 'How many connections to the database there may be.', most),
    metricOf('gauge', 'ninefold_pool_waiting', 'Transactions that wait for a connection.', waiting),
  ];
}

const byLabel = (label: string, values: ReadonlyMap<string, number>): Array<[Record<string, string>, number]> =>
  [...values].map(([name, value]) => [{ [label]: name }, value]);

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

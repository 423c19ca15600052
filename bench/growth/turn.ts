import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '../load/connection.ts';
import { forgetPeak, peakMemory, processorTime } from '../load/measure.ts';
import { quantile, Samples } from '../statistics.ts';
import { type Ask, type Asks, type Kind, type Made, replay } from './asks.ts';

/** What is to be measured of a server that runs. */
export interface Job {
  readonly port: number;
  readonly pid: number;
  readonly kinds: readonly Kind[];
  readonly connections: number;
  readonly warmup: number;
  /** How long each kind is measured. */
  readonly seconds: number;
}

/** What was measured of a kind of requests; times in milliseconds, the processor's in microseconds for each request. */
export interface KindMeasured {
  readonly requests: number;
  readonly rate: number;
  readonly cpu: number | null;
  readonly p50: number;
  readonly p99: number;
}

export interface TurnMeasured {
  readonly kinds: Readonly<Partial<Record<Kind, KindMeasured>>>;
  /** The most memory that was resident, in bytes. */
  readonly memory: number | null;
}

/** How long reads and lists are asked for at a time, in milliseconds, and how many rows are made at a time. */
const SLICE = 250;
const BATCH = 400;

/** What has been measured of a kind so far. */
class Sum {
  readonly samples = new Samples();
  milliseconds = 0;
  cpu = 0;

  get measured(): KindMeasured {
    const latencies = this.samples.sorted();
    const requests = latencies.length;
    return {
      requests,
      rate: (requests * 1000) / this.milliseconds,
      cpu: Number.isNaN(this.cpu) ? null : (this.cpu * 1e6) / requests,
      p50: quantile(latencies, 0.5),
      p99: quantile(latencies, 0.99),
    };
  }
}

/**
 * Measures a server in slices, a kind of requests at a time, again and again. Rows that are made are moved, and then
 * removed without being measured: there are as many at the end as at the start, give or take one batch.
 */
export async function measureTurn(job: Job, asks: Asks): Promise<TurnMeasured> {
  const failed = Promise.withResolvers<never>();
  const opened = Array.from({ length: job.connections }, () => Connection.open(job.port, failed.reject));
  const connections = await Promise.all(opened);
  const turn = new Turn(job, asks, connections, failed.reject);
  try {
    return await Promise.race([turn.go(), failed.promise]);
  } finally {
    for (const connection of connections) connection.close();
  }
}

class Turn {
  private readonly job: Job;
  private readonly asks: Asks;
  private readonly connections: readonly Connection[];
  private readonly fail: (error: unknown) => void;
  private sums = new Map<Kind, Sum>();

  constructor(job: Job, asks: Asks, connections: readonly Connection[], fail: (error: unknown) => void) {
    this.job = job;
    this.asks = asks;
    this.connections = connections;
    this.fail = fail;
  }

  async go(): Promise<TurnMeasured> {
    const { warmup, seconds, pid } = this.job;
    const warm = performance.now() + warmup * 1000;
    do await this.slices(SLICE / 3);
    while (performance.now() < warm);
    this.sums = new Map();
    forgetPeak(pid);
    do await this.slices(SLICE);
    while ([...this.sums.values()].some((sum) => sum.milliseconds < seconds * 1000));
    const kinds = Object.fromEntries([...this.sums].map(([kind, sum]) => [kind, sum.measured]));
    return { kinds, memory: peakMemory(pid) };
  }

  private async slices(milliseconds: number): Promise<void> {
    const { kinds } = this.job;
    const { asks } = this;
    for (const kind of ['read', 'list', 'filter'] as const) {
      if (!kinds.includes(kind)) continue;
      const until = performance.now() + milliseconds;
      await this.slice(kind, () => (performance.now() < until ? asks[kind]() : null));
    }
    if (!kinds.some((kind) => kind === 'create' || kind === 'replay' || kind === 'transition')) return;
    const made: Made[] = [];
    let left = BATCH;
    await this.slice('create', () => (left-- > 0 ? asks.create(made) : null));
    if (kinds.includes('replay')) await this.slice('replay', eachOf(made, replay));
    if (kinds.includes('transition'))
      await this.slice(
        'transition',
        eachOf(made, (one) => asks.transition(one)),
      );
    for (const step of asks.undo) await this.slice(null, eachOf(made, step));
  }

  /** Asks on every connection until there is nothing left to ask. What is of no kind is not measured. */
  private async slice(kind: Kind | null, next: () => Ask | null): Promise<void> {
    const sum = kind === null ? new Sum() : (this.sums.get(kind) ?? new Sum());
    if (kind !== null) this.sums.set(kind, sum);
    const cpu = processorTime(this.job.pid);
    const start = performance.now();
    await Promise.all(this.connections.map((connection) => this.drive(connection, next, sum)));
    sum.milliseconds += performance.now() - start;
    sum.cpu += (processorTime(this.job.pid) ?? Number.NaN) - (cpu ?? 0);
    // What the kernel still owes to the server's count is not the next slice's.
    await sleep(5);
  }

  private drive(connection: Connection, next: () => Ask | null, sum: Sum): Promise<void> {
    return new Promise((resolve) => {
      const one = (): void => {
        const ask = next();
        if (ask === null) {
          resolve();
          return;
        }
        const sent = performance.now();
        connection.onAnswer = (answer) => {
          sum.samples.add(performance.now() - sent);
          if (answer.status === ask.expected) {
            ask.heard?.(answer);
            one();
          } else this.fail(new Error(`${answer.status} to ${ask.text.slice(0, 200)}\n${answer.body}`));
        };
        connection.send(ask.text);
      };
      one();
    });
  }
}

function eachOf(made: readonly Made[], ask: (one: Made) => Ask): () => Ask | null {
  let next = 0;
  return () => {
    const one = made[next++];
    return one ? ask(one) : null;
  };
}

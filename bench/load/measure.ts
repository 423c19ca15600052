import { readFileSync, writeFileSync } from 'node:fs';
import { quantile, Samples } from '../statistics.ts';
import { readSyncs } from '../syncs.ts';
import { Connection } from './connection.ts';

/** What is to be measured of a server that runs. */
export interface Load {
  /** The processes of the server, which share its rows and the connections. */
  readonly nodes: readonly LoadedNode[];
  /** The process whose children are the database; null where there is none. */
  readonly databasePid: number | null;
  /** The file in which its syncs are counted; null where they are not. */
  readonly syncs: string | null;
  readonly connections: number;
  readonly warmup: number;
  readonly seconds: number;
}

/** Writes the requests of a measurement. */
export interface Asking {
  /** The status that the last request is to be answered with. */
  readonly expected: number;
  /** The share of the rows that is left, where each may be asked for once. */
  readonly left: number;
  /** The text of the next request; null where there is no row left to ask it of. */
  next(): string | null;
}

/** A process of a server. */
export interface LoadedNode {
  readonly port: number;
  readonly pid: number;
  /** Where it counts the transactions that it runs again; null where it runs none again. */
  readonly adminPort: number | null;
}

/** What was measured. Times in milliseconds but for those that are called otherwise; null where it can't be known here. */
export interface Measured {
  readonly requests: number;
  readonly seconds: number;
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Microseconds of the server's processor for each request. */
  readonly cpu: number | null;
  /** Microseconds of the database's processes for each request. */
  readonly databaseCpu: number | null;
  /** The share of the time in which the load generator was busy: near 1, it is what was measured. */
  readonly loadBusy: number;
  readonly syncs: number | null;
  /** How many transactions met another and were run again, for each request. */
  readonly conflicts: number | null;
  /** The most memory that was resident, in bytes. */
  readonly memory: number | null;
  /** How many answers had another status than expected, by the status. */
  readonly unexpected: Readonly<Record<string, number>>;
  /** True where the drafts were used up before the time was. */
  readonly usedUp: boolean;
  /** The share of the drafts that is left to be placed. */
  readonly draftsLeft: number;
}

/** Where the counts stood at an instant. */
interface Reading {
  readonly at: number;
  readonly cpu: number | null;
  readonly databaseCpu: number | null;
  readonly syncs: number | null;
  readonly own: NodeJS.CpuUsage;
}

/** Keeps every connection busy with one request after the other, for a warm-up and then for the time that counts. */
export async function measure(job: Load, requests: Asking): Promise<Measured> {
  const failed = Promise.withResolvers<never>();
  const connections = await Promise.all(
    Array.from({ length: job.connections }, (_, i) =>
      Connection.open(job.nodes[i % job.nodes.length]!.port, failed.reject),
    ),
  );
  const run = new ClosedLoop(job, requests, connections);
  try {
    return await Promise.race([run.go(), failed.promise]);
  } finally {
    for (const connection of connections) connection.close();
  }
}

class ClosedLoop {
  private readonly job: Load;
  private readonly requests: Asking;
  private readonly connections: readonly Connection[];
  private readonly samples = new Samples();
  private readonly unexpected: Record<string, number> = {};
  private measuring = false;
  private stopping = false;
  private usedUp = false;
  private open = 0;
  private finished: () => void = () => {};

  constructor(job: Load, requests: Asking, connections: readonly Connection[]) {
    this.job = job;
    this.requests = requests;
    this.connections = connections;
  }

  async go(): Promise<Measured> {
    const ended = new Promise<void>((resolve) => {
      this.finished = resolve;
    });
    for (const connection of this.connections) this.drive(connection);
    await Promise.race([sleep(this.job.warmup), ended]);
    for (const { pid } of this.job.nodes) forgetPeak(pid);
    const conflicts = await conflictsOf(this.job.nodes);
    const before = this.reading();
    this.measuring = true;
    await Promise.race([sleep(this.job.seconds), ended]);
    this.measuring = false;
    const after = this.reading();
    const memory = sum(this.job.nodes, ({ pid }) => peakMemory(pid));
    const conflictsAfter = await conflictsOf(this.job.nodes);
    this.stopping = true;
    await ended;
    return this.result(before, after, memory, { before: conflicts, after: conflictsAfter });
  }

  private drive(connection: Connection): void {
    let expected = 0;
    let sent = 0;
    const next = (): void => {
      const text = this.stopping ? null : this.requests.next();
      if (text === null) {
        if (!this.stopping) this.usedUp = true;
        this.stopping = true;
        if (--this.open === 0) this.finished();
        return;
      }
      expected = this.requests.expected;
      sent = performance.now();
      connection.send(text);
    };
    connection.onAnswer = ({ status }) => {
      if (this.measuring) this.samples.add(performance.now() - sent);
      if (status !== expected) this.unexpected[status] = (this.unexpected[status] ?? 0) + 1;
      next();
    };
    this.open++;
    next();
  }

  private reading(): Reading {
    const { nodes, syncs, databasePid } = this.job;
    return {
      at: performance.now(),
      cpu: sum(nodes, ({ pid }) => processorTime(pid)),
      databaseCpu: databasePid === null ? null : timeOfChildren(databasePid),
      syncs: syncs === null ? null : readSyncs(syncs),
      own: process.cpuUsage(),
    };
  }

  private result(
    before: Reading,
    after: Reading,
    memory: number | null,
    conflicts: { readonly before: number | null; readonly after: number | null },
  ): Measured {
    const latencies = this.samples.sorted();
    const requests = latencies.length;
    const seconds = (after.at - before.at) / 1000;
    const busy = after.own.user + after.own.system - before.own.user - before.own.system;
    return {
      requests,
      seconds,
      rate: requests / seconds,
      p50: quantile(latencies, 0.5),
      p99: quantile(latencies, 0.99),
      max: latencies.at(-1) ?? 0,
      cpu: growth(before.cpu, after.cpu, requests / 1e6),
      databaseCpu: growth(before.databaseCpu, after.databaseCpu, requests / 1e6),
      loadBusy: busy / 1e6 / seconds,
      syncs: growth(before.syncs, after.syncs, requests),
      conflicts: growth(conflicts.before, conflicts.after, requests),
      memory,
      unexpected: this.unexpected,
      usedUp: this.usedUp,
      draftsLeft: this.requests.left,
    };
  }
}

/** By how much a number grew for each request; null where it can't be known. */
const growth = (before: number | null, after: number | null, requests: number): number | null =>
  before === null || after === null ? null : (after - before) / requests;

/** A sum over processes; null where one of the numbers can't be known. */
function sum<T>(all: readonly T[], pick: (one: T) => number | null): number | null {
  return all.map(pick).reduce((a, b) => (a === null || b === null ? null : a + b), 0);
}

/** How many transactions the processes of a server have run again, as each counts them in a metric. */
async function conflictsOf(nodes: readonly LoadedNode[]): Promise<number | null> {
  const counts = nodes.map(async ({ adminPort }) => {
    if (adminPort === null) return null;
    const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
    const match = /^\w+_transaction_conflicts_total (\d+)$/m.exec(text);
    if (!match) throw new Error('A server does not count the transactions that it runs again');
    return Number(match[1]);
  });
  return sum(await Promise.all(counts), (one) => one);
}

const sleep = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** How often the kernel counts in a second, in what it tells of processes: 100 on every Linux that Node runs on. */
const TICKS = 100;

/** The seconds of processor that a process has had; null where there is no /proc. */
export const processorTime = (pid: number): number | null => timesOf(pid)?.own ?? null;

/** The seconds of processor that the children of a process have had, those that have ended too; null without /proc. */
export function timeOfChildren(pid: number): number | null {
  try {
    const running = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').match(/\d+/g) ?? [];
    // One that ends from here on is counted with those that have ended.
    const times = running.map((child) => processorTime(Number(child)) ?? 0);
    const { ofEnded } = timesOf(pid)!;
    return times.reduce((a, b) => a + b, ofEnded);
  } catch {
    return null;
  }
}

/** The seconds of processor of a process, and of its children that have ended. */
function timesOf(pid: number): { readonly own: number; readonly ofEnded: number } | null {
  try {
    // The name of the command may hold spaces and parentheses; what follows the last one doesn't.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return { own: (fields[11]! + fields[12]!) / TICKS, ofEnded: (fields[13]! + fields[14]!) / TICKS };
  } catch {
    return null;
  }
}

/** Lets the kernel measure the peak of resident memory anew, where it can. */
export function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // Then it is the peak since the start.
  }
}

/** The most memory that has been resident, in bytes. */
export const peakMemory = (pid: number): number | null => memoryOf(pid, /^VmHWM:\s+(\d+) kB/m);

/** The memory that is resident now, in bytes. */
export const memoryNow = (pid: number): number | null => memoryOf(pid, /^VmRSS:\s+(\d+) kB/m);

function memoryOf(pid: number, line: RegExp): number | null {
  try {
    const match = line.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
    return match ? Number(match[1]) * 1024 : null;
  } catch {
    return null;
  }
}

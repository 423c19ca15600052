import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { quantile } from './statistics.ts';

/** What has to be known of a machine to read its figures; nothing that tells whose it is. */
export interface Machine {
  readonly platform: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly node: string;
  readonly sqlite: string;
  /** The version of PostgreSQL, where the rows are there. */
  readonly postgres?: string;
  /** The middle and the 99th percentile of writing and syncing a page of 4 KiB where the rows are, in milliseconds. */
  readonly sync: { readonly p50: number; readonly p99: number };
  /** Whether server and load were kept to a processor each. */
  readonly pinned: boolean;
  /** Whether syncs were counted. */
  readonly syncsCounted: boolean;
}

/** Looks at the machine. */
export function describeMachine(data: string, sqlite: string, pinned: boolean, syncsCounted: boolean): Machine {
  const all = cpus();
  return {
    platform: `${process.platform} ${process.arch}`,
    processor: all[0]?.model ?? 'unknown',
    cores: all.length,
    memoryBytes: totalmem(),
    node: process.version,
    sqlite,
    sync: syncLatency(data),
    pinned,
    syncsCounted,
  };
}

const PAGES = 200;

function syncLatency(data: string): Machine['sync'] {
  const path = join(data, 'sync-latency');
  const file = openSync(path, 'w');
  const page = Buffer.alloc(4096, 1);
  const times = new Float64Array(PAGES);
  for (let i = 0; i < PAGES; i++) {
    const start = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    times[i] = performance.now() - start;
  }
  closeSync(file);
  rmSync(path);
  times.sort();
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

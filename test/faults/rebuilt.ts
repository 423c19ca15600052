import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Plan } from '../../src/plan/step.ts';
import { SqliteStore } from '../../src/store/sqlite/store.ts';
import { mustBeWhole, type Select, storedOrders } from '../ledger.ts';
import { messageOf } from './gate.ts';
import { asking } from './start.ts';

/** Where files are rebuilt: in memory where that can be had, since thousands of them are opened, and synced by that. */
const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Orders only go up. */
const RANK: Readonly<Record<string, number>> = { draft: 1, placed: 2, cancelled: 3 };

/** Numbers from 0 to 1 that are the same in each run (mulberry32). */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Told {
  readonly id?: string;
  readonly status?: string;
  readonly items?: ReadonlyArray<{ readonly id: string; readonly status: string }>;
}

/** Notes what an answer has told of orders; gives how many answers to writes there were. */
export function promise(text: string, promised: Map<string, number>): number {
  let count = 0;
  for (const answer of text.split(/(?=HTTP\/1\.1 \d{3} )/)) {
    if (!/^HTTP\/1\.1 2/.test(answer)) continue;
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4) || '{}') as Told;
    if (body.id !== undefined) count++;
    for (const { id, status } of body.items ?? [body])
      if (id !== undefined && status !== undefined)
        promised.set(id, Math.max(promised.get(id) ?? 0, RANK[status] ?? 0));
  }
  return count;
}

/** Starts a store on the rebuilt files; what is wrong with the orders that it finds, or null. */
export const complaintOf = (
  files: ReadonlyMap<string, Buffer>,
  promised: ReadonlyMap<string, number>,
  plan: Plan,
): Promise<string | null> => openedOn(files, plan, (select) => mustHold(select, promised));

/** Starts a store on the rebuilt files; what `must` or the store throws, or null. */
export async function openedOn(
  files: ReadonlyMap<string, Buffer>,
  plan: Plan,
  must: (select: Select) => void,
): Promise<string | null> {
  const data = mkdtempSync(join(MEMORY, 'ninefold-power-'));
  try {
    for (const [path, bytes] of files)
      if (/\.sqlite(?:-wal|-journal)?$/.test(path)) writeFileSync(join(data, basename(path)), bytes);
    const store = new SqliteStore(join(data, 'ninefold.sqlite'), plan);
    try {
      asking(data, must);
    } finally {
      await store.close();
    }
    return null;
  } catch (error) {
    return messageOf(error);
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

function mustHold(select: Select, promised: ReadonlyMap<string, number>): void {
  mustBeWhole(select);
  const rows = new Map(storedOrders(select).map(({ id, status }) => [id, RANK[status] ?? 0]));
  for (const [id, rank] of promised) {
    assert.ok(rows.has(id), 'an order that was told of is gone');
    assert.ok(rows.get(id)! >= rank, 'an order has gone back behind what was told of it');
  }
}

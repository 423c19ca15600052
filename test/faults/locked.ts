import { join } from 'node:path';
import Database from 'better-sqlite3';
import { BUSY } from '../../src/store/sqlite/open.ts';
import type { Service } from '../harness.ts';
import { complaints, type Figure, type Gate } from './gate.ts';
import { recovered, Start } from './start.ts';

const ROUNDS = 3;
const WRITES = 20;
/** How soon a write is taken once the other process lets go, in milliseconds. */
const AT_ONCE = 1000;

/** Another process holds a write transaction for longer than the busy time-out. */
export const locked: Gate = {
  name: 'locked',
  about: 'another process holds a write transaction for longer than a write waits',
  lacks: () => null,
  async *run() {
    using start = await Start.fresh(null);
    yield await held(start, 'longer than a write waits', BUSY * 2, 503);
    yield await held(start, 'shorter than that', BUSY / 2, 201);
  },
};

/** Holds the database from outside; meanwhile reads have to be answered, and writes with `expected`. */
async function held(start: Start, name: string, milliseconds: number, expected: number): Promise<Figure> {
  await using space = start.space();
  const service = await space.serve();
  const wrong: string[] = [];
  const counts = { reads: 0, writes: 0, slowest: 0, longest: 0 };
  const other = new Database(join(space.data, 'ninefold.sqlite'));
  try {
    for (let round = 0; round < ROUNDS; round++) {
      other.exec('BEGIN IMMEDIATE');
      const began = performance.now();
      const writes = Array.from({ length: WRITES }, async (_, n) => {
        const answer = await service.open(start.key, { sku: `LO${'ABC'[round]}-${1000 + n}`, quantity: 1 });
        counts.writes++;
        counts.longest = Math.max(counts.longest, performance.now() - began);
        if (answer.status !== expected) wrong.push(`a write was answered ${answer.text.slice(0, 120)}`);
      });
      while (performance.now() - began < milliseconds) await look(service, start.key, counts, wrong);
      other.exec('ROLLBACK');
      const again = await recovered(service, start.key, `LOZ-${1000 + round}`);
      counts.slowest = Math.max(counts.slowest, again);
      await Promise.all(writes);
    }
  } finally {
    other.close();
  }
  const { reads, writes, slowest, longest } = counts;
  return {
    what: `${name} (${milliseconds} ms)`,
    figure: `${reads} reads answered meanwhile, ${writes} writes answered ${expected} after ${longest.toFixed(0)} ms at most; a write is taken ${slowest.toFixed(0)} ms after it lets go${wrong.length ? `; ${complaints(wrong)}` : ''}`,
    held: wrong.length === 0 && slowest < AT_ONCE && reads > 0,
  };
}

async function look(service: Service, key: string, counts: { reads: number }, wrong: string[]): Promise<void> {
  const { status } = await service.request('GET', '/orders', { key });
  counts.reads++;
  if (status !== 200) wrong.push(`a read was answered ${status}`);
}

import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Service, Workspace } from '../harness.ts';
import { mustBeWhole, storedOrders } from '../ledger.ts';
import { Receiver } from '../receiver.ts';
import { STRACE, skip } from '../strace.ts';
import { complaints, type Figure, type Gate, messageOf } from './gate.ts';
import { fillDisk, lacksMount, wayToMount } from './smalldisk.ts';
import { asking, recovered, Start } from './start.ts';

const DISK = '12m';
/** How much room is left when the filling begins, in bytes. */
const ROOM = 1_500_000;
const ROUNDS = 3;
/** How long the service may take to write again once there is room, in milliseconds. */
const SOON = 5000;

/** Mounts a small disk of its own on the data directory, where nobody else sees it, and goes on as the service. */
const MOUNT = `mount -t tmpfs -o size=${DISK} none "$1" && cp -a "$2/." "$1" && shift 2 && exec "$@"`;

/** The disk is full for a while. */
export const full: Gate = {
  name: 'full',
  about: 'a full disk: reads go on, writes are refused as stated, and recover within 5 seconds',
  lacks: lacksMount,
  async *run() {
    await using receiver = await new Receiver().up();
    using start = await Start.fresh(receiver.url);
    yield await filled('a fast disk', start, []);
    if (skip === false) {
      const slow = [...STRACE, '-o', '/dev/null', '-e', 'trace=fdatasync', '-e', 'inject=fdatasync:delay_enter=15000'];
      yield await filled('a slow disk', start, slow);
    }
  },
};

/** What was asked for while the disk was full, and what came of it. */
interface Seen {
  readonly opened: string[];
  /** The products of orders that were refused. */
  readonly refused: string[];
  readonly wrong: string[];
  reads: number;
  slowest: number;
}

async function filled(name: string, start: Start, beside: readonly string[]): Promise<Figure> {
  await using space = start.space();
  const prefix = [...wayToMount()!.unshare, 'sh', '-c', MOUNT, 'sh', space.data, start.dir, ...beside];
  const service = await space.serve({ prefix });
  const disk = join('/proc', String(service.child.pid), 'root', space.data);
  const seen: Seen = { opened: [], refused: [], wrong: [], reads: 0, slowest: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const ballast = join(disk, 'ballast');
    fillDisk(ballast, ROOM);
    await writeUntilFull(service, start.key, round, seen);
    await readAndWrite(service, start.key, round, seen);
    rmSync(ballast);
    const took = await recovered(service, start.key, `FUL-${9000 + round}`).catch(() => Number.POSITIVE_INFINITY);
    seen.slowest = Math.max(seen.slowest, took);
  }
  await mustHave(service, start.key, disk, seen);
  const { opened, refused, reads, slowest, wrong } = seen;
  const figure = `${opened.length} orders taken, ${refused.length} refused with 507, ${reads} reads meanwhile; writes again after ${slowest.toFixed(0)} ms at most`;
  return {
    what: name,
    figure: wrong.length ? `${figure}; ${complaints(wrong)}` : figure,
    held: wrong.length === 0 && slowest < SOON && refused.length > 0,
  };
}

/** Opens an order; whether it was taken. */
async function opens(service: Service, key: string, sku: string, seen: Seen): Promise<boolean> {
  const answer = await service.open(key, { sku, quantity: 1, note: 'n'.repeat(500) });
  if (answer.status === 201) seen.opened.push((answer.body as { id: string }).id);
  else {
    seen.refused.push(sku);
    if (answer.status !== 507 || (answer.body as { code: string }).code !== 'storage_full')
      seen.wrong.push(`a write was answered ${answer.status} ${(answer.body as { code?: string }).code}`);
  }
  return answer.status === 201;
}

const sku = (round: number, n: number): string => `FU${'ABC'[round]}-${String(n).padStart(4, '0')}`;

async function writeUntilFull(service: Service, key: string, round: number, seen: Seen): Promise<void> {
  for (let n = 0; n < 5000; n++) if (!(await opens(service, key, sku(round, n), seen))) return;
  seen.wrong.push('the disk never filled');
}

/** Reads and writes beside each other, while there is no room. */
async function readAndWrite(service: Service, key: string, round: number, seen: Seen): Promise<void> {
  const looks = Array.from({ length: 40 }, async (_, n) => {
    const path = n % 2 ? '/orders?limit=100' : `/orders/${seen.opened[n % seen.opened.length]}`;
    const { status } = await service.request('GET', path, { key });
    if (status === 200) seen.reads++;
    else seen.wrong.push(`a read was answered ${status}`);
  });
  const writes = Array.from({ length: 20 }, (_, n) => opens(service, key, sku(round, 9000 + n), seen));
  await Promise.all([...looks, ...writes]);
}

/** All that was taken is there, nothing that was refused, and a service starts again on it. */
async function mustHave(service: Service, key: string, disk: string, seen: Seen): Promise<void> {
  await using copy = new Workspace('');
  cpSync(disk, copy.data, { recursive: true });
  try {
    for (const id of seen.opened) {
      const { status } = await service.request('GET', `/orders/${id}`, { key });
      assert.equal(status, 200, 'an order that was taken can’t be read');
    }
    asking(copy.data, (select) => {
      mustBeWhole(select);
      const there = new Set(storedOrders(select).map(({ id }) => id));
      assert.ok(
        seen.opened.every((id) => there.has(id)),
        'an order that was taken is gone',
      );
      const skus = new Set(select<{ sku: string }>('SELECT sku FROM "order"').map((row) => row.sku));
      assert.ok(!seen.refused.some((one) => skus.has(one)), 'an order that was refused is there');
    });
  } catch (error) {
    seen.wrong.push(messageOf(error));
  }
}

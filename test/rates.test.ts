import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PostgresStore } from '../src/store/postgres/store.ts';
import { Random } from '../src/verify/requests/random.ts';
import { PostgresServer } from './postgres.ts';
import { SEED, times } from './share.ts';
import { documentText, planOf } from './subject.ts';

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

const MILLISECONDS = 86_400_000;

/** Two nodes on one database. */
async function nodes(): Promise<readonly [PostgresStore, PostgresStore]> {
  const plan = planOf(documentText('src/compiler/limits/cases/documents/tenants.md'));
  const url = await server.database();
  return [await PostgresStore.open(url, plan), await PostgresStore.open(url, plan)];
}

test('over two nodes, the number of each request decides against one count, one request after the other', async () => {
  const both = await nodes();
  try {
    const random = new Random(SEED);
    const used = [0, 0];
    const othersUsed = [0, 0];
    for (let n = 0; n < times(60, 400); n++) {
      const count = random.int(1, times(40, 200));
      const node = random.int(0, 1);
      const other = 1 - node;
      const before = used[0]! + used[1]!;
      const decision = both[node]!.take(0, 'Organisation/1', { count, milliseconds: MILLISECONDS });
      // A node learns what the other has used when it asks the database, which a request from its share does not do.
      if (decision instanceof Promise) othersUsed[node] = used[other]!;
      const { allowed, remaining } = await decision;
      assert.equal(allowed, before < count, `request ${n}: ${before} of ${count} were used`);
      if (allowed) used[node]!++;
      const most = allowed ? count - used[node]! - othersUsed[node]! : 0;
      assert.ok(remaining <= most, `request ${n}: ${remaining} of ${count} remain, ${most} at most`);
    }
  } finally {
    for (const one of both) await one.close();
  }
});

test('over two nodes, a smaller number counts what the other node has let through, at once', async () => {
  const both = await nodes();
  try {
    const take = (node: number, count: number) =>
      both[node]!.take(0, 'Organisation/1', { count, milliseconds: MILLISECONDS });
    const first = await Promise.all(Array.from({ length: 60 }, (_, n) => take(n % 2, 400)));
    assert.ok(first.every(({ allowed }) => allowed));
    const fewer = await Promise.all(Array.from({ length: 60 }, (_, n) => take(n % 2, 80)));
    assert.equal(fewer.filter(({ allowed }) => allowed).length, 20);
    const more = await Promise.all(Array.from({ length: 200 }, (_, n) => take(n % 2, n % 3 ? 100 : 70)));
    assert.equal(more.filter(({ allowed }) => allowed).length, 20);
  } finally {
    for (const one of both) await one.close();
  }
});

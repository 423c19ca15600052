import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import type { Plan } from '../src/plan/step.ts';
import { PostgresStore } from '../src/store/postgres/store.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import { call, type Store, StoreError } from '../src/store/store.ts';
import { ORDERS } from './harness.ts';
import { PostgresServer } from './postgres.ts';
import { CONTRACT } from './store.clauses.ts';

const PLAN = compile('orders.md', ORDERS).plan as Plan;
let server: PostgresServer;

before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

const STORES: Readonly<Record<string, () => Promise<Store>>> = {
  SQLite: async () => new SqliteStore(':memory:', PLAN),
  PostgreSQL: async () => PostgresStore.open(await server.database(), PLAN),
};

for (const [name, open] of Object.entries(STORES)) {
  for (const { says, holds } of CONTRACT)
    test(`${name}: ${says}`, async () => {
      const store = await open();
      try {
        await holds(store);
      } finally {
        await store.close();
      }
    });

  test(`${name}: a store that has been closed says so`, async () => {
    const store = await open();
    const count = store.prepare({ kind: 'count', resource: 'Order', where: null });
    await store.close();
    const isBusy = (error: unknown): boolean => error instanceof StoreError && error.kind === 'busy';
    await assert.rejects(async () => store.read(() => call(count, [])), isBusy);
    await assert.rejects(
      store.write(() => call(count, [])),
      isBusy,
    );
  });
}

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { PostgresServer } from '../test/postgres.ts';
import { Clock } from './peers/orders/clock.ts';
import type { Caller } from './peers/orders/gate.ts';
import { TABLES } from './peers/orders/postgres/schema.ts';
import { PostgresOrderService } from './peers/orders/postgres/service.ts';
import { Transactions } from './peers/orders/postgres/transactions.ts';
import { DRAFT_LASTS } from './peers/orders/terms.ts';

const idIn = (body: string): string => (JSON.parse(body) as { id: string }).id;

for (const isSerializable of [false, true])
  test(`two processes of the peer on PostgreSQL hold what one holds, ${isSerializable ? 'SERIALIZABLE' : 'with row locks'}`, async () => {
    await using server = await PostgresServer.shared();
    const url = await server.database();
    const customer = randomUUID();
    await server.query(url, TABLES);
    await server.query(url, 'INSERT INTO customer VALUES ($1, $2, $2)', [customer, 'Somebody']);
    const caller: Caller = { customer, seesAll: false, older: false, sentBody: false };
    const clock = new Clock();
    const nodes = [0, 1].map(() => {
      const transactions = new Transactions(url, isSerializable);
      return { transactions, service: new PostgresOrderService(transactions, 'secret', clock) };
    });
    const count = async (what: string): Promise<number> =>
      Number((await server.query<{ count: string }>(url, `SELECT count(*) FROM ${what}`))[0]!.count);
    try {
      for (let i = 0; i < 20; i++) {
        const draft = { sku: `ABC-${1000 + i}`, quantity: 1 };
        const made = await Promise.all(nodes.map(({ service }) => service.create(caller, draft, `key-${i}`)));
        assert.equal(made[0]!.status, 201);
        assert.equal(made[0]!.body, made[1]!.body, 'a key has one effect and one answer');
        const id = idIn(made[0]!.body);
        const placed = await Promise.allSettled(nodes.map(({ service }) => service.place(caller, id)));
        assert.deepEqual(placed.map((one) => one.status).sort(), ['fulfilled', 'rejected'], 'one of the two places it');
      }
      assert.equal(await count('orders'), 20);
      assert.equal(await count("event WHERE type = 'order.placed'"), 20);
      const draft = { sku: 'XYZ-1000', quantity: 1 };
      const open = await Promise.all(nodes.map(({ service }, i) => service.create(caller, draft, `open-${i}`)));
      assert.deepEqual(open.map(({ status }) => status).sort(), [201, 409], 'a product is on one open draft');
      if (isSerializable) assert.ok(nodes.some(({ transactions }) => transactions.conflicts > 0));
      clock.pass(DRAFT_LASTS);
      const id = idIn(open.find(({ status }) => status === 201)!.body);
      const seen = await Promise.all(nodes.map(({ service }) => service.read(caller, id)));
      assert.deepEqual(
        seen.map(({ order }) => order.status),
        ['cancelled', 'cancelled'],
      );
      assert.equal(await count("event WHERE type = 'order.cancelled'"), 1);
    } finally {
      for (const { transactions } of nodes) await transactions.close();
    }
  });

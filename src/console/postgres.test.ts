import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PostgresServer } from '../../test/postgres.ts';
import { ADA, ORDERS, Shown } from './harness.test.ts';
import type { DeliveriesAnswer, KeysAnswer, RowAnswer, RowsAnswer, StatesAnswer } from './protocol.ts';

// Tests of the queries that only the console sends to PostgreSQL.

let server: PostgresServer;
let page: Shown;
before(async () => {
  server = await PostgresServer.shared();
  page = await Shown.open(ORDERS, { store: await server.database() });
  await page.customer();
});
after(async () => {
  await page.stop();
  await server[Symbol.asyncDispose]();
});

test('rows, counts, moves, events, keys and deliveries are found in PostgreSQL too', async () => {
  const receiver = { url: 'http://127.0.0.1:9/', events: ['order.opened'], version: null, allowPrivate: true };
  assert.equal((await page.post('/receivers', receiver)).http, 200);
  const first = await page.order('ABC-0001', 5);
  await page.order('ABC-0002', 1);
  const filter = encodeURIComponent(
    JSON.stringify([
      { field: 'sku', is: 'contains', value: 'abc' },
      { field: 'quantity', is: 'from', value: '2' },
      { field: 'customer', is: 'equal', value: ADA },
      { field: 'note', is: 'absent', value: null },
    ]),
  );
  const found = await page.get<RowsAnswer>(`/rows/Order?sort=-quantity&filter=${filter}`);
  assert.equal(found.http, 200, JSON.stringify(found));
  assert.deepEqual(
    found.rows.map((row) => row.id),
    [first],
  );
  assert.equal((await page.get<RowsAnswer>('/rows/Order?sort=created&offset=1&limit=1')).rows.length, 1);
  const { machines } = await page.get<StatesAnswer>('/states');
  assert.deepEqual(machines[0]?.counts, { draft: 2 });
  const row = await page.get<RowAnswer>(`/rows/Order/${first}`);
  assert.deepEqual(
    row.history.map((one) => one.type),
    ['order.opened'],
  );
  const customer = await page.get<RowAnswer>(`/rows/Customer/${ADA}`);
  assert.deepEqual(customer.referredBy, [{ resource: 'Order', field: 'customer', rows: 2 }]);
  assert.equal((await page.get('/rows/Order/x')).http, 404);
  assert.equal((await page.get<KeysAnswer>('/keys')).total, 2);
  assert.equal((await page.get<KeysAnswer>('/keys?valid=1')).total, 0);
  const { total } = await page.get<DeliveriesAnswer>(`/deliveries?type=order.opened&resource=Order&row=${first}`);
  assert.equal(total, 1);
});

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PostgresServer } from '../../test/postgres.ts';
import { documentText } from '../../test/subject.ts';
import { runHere } from '../cli/harness.test.ts';
import { ADA, ORDERS, Shown, until } from './harness.test.ts';
import type {
  AttemptsAnswer,
  DeliveriesAnswer,
  HealthAnswer,
  KeysAnswer,
  Problem,
  RowAnswer,
  RowsAnswer,
  StatesAnswer,
} from './protocol.ts';

// Tests of the queries that only the console sends to PostgreSQL.

let server: PostgresServer;
let store: string;
let page: Shown;
before(async () => {
  server = await PostgresServer.shared();
  store = await server.database();
  page = await Shown.open(ORDERS, { store });
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
  const attempted = await until(async () => {
    const { deliveries } = await page.get<DeliveriesAnswer>(`/deliveries?row=${first}&resource=Order`);
    const { attempts } = await page.get<AttemptsAnswer>(`/deliveries/${deliveries[0]?.delivery}`);
    return attempts[0] ?? null;
  }, 'the delivery is attempted');
  assert.equal(attempted.result, 'connection refused');
  const { receivers, gone } = await page.get<HealthAnswer>('/receivers/health');
  assert.deepEqual(
    receivers.map(({ url, delivered, pending }) => ({ url, delivered, pending })),
    [{ url: receiver.url, delivered: 0, pending: 2 }],
  );
  assert.deepEqual(gone, []);
});

test('a link opens one session, at one of the nodes, and a command ends the sessions at each', async () => {
  const other = await Shown.open(ORDERS, { store });
  try {
    const command = (...words: string[]) =>
      runHere('console', page.file, ...words, '--store', store, '--admin', `127.0.0.1:${page.port}`);
    const { out } = await command();
    const path = /(\/console\?key=\S+)/.exec(out)?.[1] ?? '';
    const came = await Promise.all([page, other, page, other].map((node) => node.ask(path)));
    assert.deepEqual(came.map(({ status }) => status).toSorted(), [303, 401, 401, 401]);
    assert.equal((await command('end')).code ?? 0, 0);
    for (const node of [page, other])
      await until(async () => (await node.get('/service')).http === 401, 'the session ends');
    await page.enter();
    assert.equal((await page.get('/service')).http, 401, 'the first link was used');
    const again = await page.ask(/(\/console\?key=\S+)/.exec((await command()).out)?.[1] ?? '');
    page.cookie = String(again.headers['set-cookie'] ?? '').split(';')[0] ?? '';
    assert.equal((await page.get('/service')).http, 200, 'a later session is not ended');
    assert.equal((await page.get<Problem>('/rows/Order?search=%00')).kind, 'wrong use');
    assert.equal((await page.get<Problem>('/events/%00')).kind, 'wrong use');
  } finally {
    await other.stop();
  }
});

test('numbers that no field has are searched for, and found nowhere', async () => {
  const apiary = await Shown.open(documentText('examples/apiary.md'), {
    store: await server.database(),
    url: 'https://x.example',
  });
  try {
    for (const number of ['9007199254740993', '-9223372036854775809', '9'.repeat(100)]) {
      assert.equal((await apiary.get<RowsAnswer>(`/rows/Inspection?search=${number}`)).http, 200);
      const filter = encodeURIComponent(JSON.stringify([{ field: 'weight', is: 'from', value: number }]));
      assert.equal((await apiary.get<Problem>(`/rows/Inspection?filter=${filter}`)).kind, 'wrong use');
    }
  } finally {
    await apiary.stop();
  }
});

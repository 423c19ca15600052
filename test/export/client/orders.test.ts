import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Service, Workspace } from '../../harness.ts';
import { type Client, createClient, type Exchange, RefusedError, unwrap } from './goldens/orders.ts';

// What a program does with the client of the orders, and what it is told.

const ORDERS = new Workspace((await import('../../harness.ts')).PATIENT);
let service: Service;
let key: string;
let client: Client;

before(async () => {
  service = await ORDERS.serve();
  key = await ORDERS.key(await ORDERS.customer());
  client = createClient({ baseUrl: service.url, apiKey: key });
});
after(async () => {
  await ORDERS[Symbol.asyncDispose]();
});

test('an order is opened, changed, placed, shipped and delivered', async () => {
  const opened = await client.orders.create({ sku: 'ABC-1234', quantity: 2 });
  assert.ok(opened.ok);
  assert.equal(opened.status, 201);
  assert.equal(opened.headers.get('Location'), `/orders/${opened.data.id}`);
  const { id } = opened.data;
  const order = unwrap(await client.orders.get(id));
  assert.deepEqual(order, opened.data);
  // The entity tag that came with it is sent.
  const changed = await client.orders.update(id, { quantity: 3 });
  assert.ok(changed.ok);
  assert.equal(changed.data.quantity, 3);
  assert.equal(unwrap(await client.orders.place(id)).status, 'placed');
  assert.equal(unwrap(await client.orders.ship(id)).status, 'shipped');
  assert.equal(unwrap(await client.orders.deliver(id)).status, 'delivered');
  const late = await client.orders.cancel(id);
  assert.ok(!late.ok);
  assert.equal(late.error.code, 'order_not_open');
  assert.equal(late.error.status, 409);
  assert.equal(late.error.problem.title, 'This order is no longer open');
});

test('a request for a row that has changed meanwhile is refused, unless the caller names its entity tag', async () => {
  const { id } = unwrap(await client.orders.create({ sku: 'MAT-0001', quantity: 1 }));
  const unseen = await client.orders.update(id, { quantity: 2 });
  assert.ok(!unseen.ok && unseen.error.code === 'match_required');
  const seen = await client.orders.get(id);
  const other = createClient({ baseUrl: `${service.url}/`, apiKey: () => Promise.resolve(key) });
  unwrap(await other.orders.get(id));
  unwrap(await other.orders.update(id, { note: 'first' }));
  const second = await client.orders.update(id, { note: 'second' });
  assert.ok(!second.ok && second.error.code === 'changed_meanwhile');
  const old = await other.orders.update(id, { note: 'third' }, { ifMatch: seen.etag });
  assert.ok(!old.ok && old.error.code === 'changed_meanwhile');
  assert.equal(unwrap(await other.orders.update(id, { note: null })).note, undefined);
});

test('what is wrong is told with the fields, and thrown where that is asked for', async () => {
  const refused = await client.orders.create({ sku: 'nothing', quantity: 0 });
  assert.ok(!refused.ok && refused.error.code === 'invalid_request');
  assert.deepEqual(
    refused.error.problem.errors?.map((one) => [one.pointer, one.code]),
    [
      ['/sku', 'not_matching'],
      ['/quantity', 'too_small'],
    ],
  );
  assert.throws(
    () => unwrap(refused),
    (error) => error instanceof RefusedError && error.refusal.code === 'invalid_request',
  );
});

test('a key of the caller’s own is kept, and the same request with it is answered as before', async () => {
  const own = { idempotencyKey: 'mine' };
  const first = unwrap(await client.orders.create({ sku: 'KEY-0001', quantity: 1 }, own));
  assert.deepEqual(unwrap(await client.orders.create({ sku: 'KEY-0001', quantity: 1 }, own)), first);
  const other = await client.orders.create({ sku: 'KEY-0002', quantity: 1 }, own);
  assert.ok(!other.ok && other.error.code === 'idempotency_key_reused');
});

test('pages follow each other, with the caller’s own query on each', async () => {
  const made: string[] = [];
  for (let i = 0; i < 7; i++) {
    const sku = `PAG-000${i}`;
    made.unshift(unwrap(await client.orders.create({ sku, quantity: 1 })).id);
    if (i < 5) unwrap(await client.orders.place(made[0] ?? ''));
  }
  const sizes: number[] = [];
  for await (const { items } of client.orders.listPages({ limit: 2, status: 'placed' })) sizes.push(items.length);
  assert.deepEqual(sizes, [2, 2, 1]);
  const placed: string[] = [];
  for await (const order of client.orders.listAll({ limit: 2, status: 'placed' })) placed.push(order.id);
  assert.deepEqual(placed, made.slice(2));
  await assert.rejects(
    async () => {
      for await (const _ of client.orders.listAll({ limit: 1000 }));
    },
    (error) => error instanceof RefusedError && error.refusal.code === 'page_refused',
  );
});

test('whoever looks on sees requests and answers, and no credentials', async () => {
  const seen: Exchange[] = [];
  const observed = createClient({
    baseUrl: service.url,
    apiKey: key,
    observe: (exchange) => {
      seen.push(exchange);
      throw new Error('is ignored');
    },
  });
  unwrap(await observed.orders.list({ sku: 'ABC-1234' }));
  assert.deepEqual(
    seen.map((one) => [one.kind, one.method, one.url, one.attempt]),
    ['request', 'answer'].map((kind) => [kind, 'GET', `${service.url}/orders?sku=ABC-1234`, 1]),
  );
  assert.deepEqual(seen[0]?.headers, { Accept: 'application/json', 'Orders-Version': '2026-11-01' });
  const told = JSON.stringify(seen, (_name, value) => (value instanceof Headers ? [...value] : value));
  assert.ok(!told.includes(key));
});

test('a path can’t be made another by its parameters', async () => {
  for (const id of ['', '.', '..']) assert.throws(() => client.orders.get(id), TypeError);
  for (const id of ['../summary', 'a/b', '%2e%2e', '?', '#']) {
    const refused = await client.orders.get(id);
    assert.ok(!refused.ok && refused.error.code === 'order_not_found', id);
  }
});

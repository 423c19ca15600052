import './whole-alone.ts';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { ORDERS, type Service, until, Workspace } from './harness.ts';
import { Receiver } from './receiver.ts';

interface Order {
  readonly id: string;
  readonly status: string;
  readonly [name: string]: unknown;
}
interface Problem {
  readonly status: number;
  readonly code: string;
  readonly title: string;
}

const MERGE = { 'content-type': 'application/merge-patch+json' };

const codeOf = (answer: { body: unknown }): string => (answer.body as Problem).code;

let space: Workspace;
let service: Service;
let ada: string;
let key: string;
let other: string;
let receiver: Receiver;
let secret: string;

before(async () => {
  space = new Workspace(ORDERS);
  ada = await space.customer('Ada');
  [key, other] = await Promise.all([space.key(ada), space.key(await space.customer('Ben'))]);
  receiver = await new Receiver().up();
  secret = await space.receiver(receiver.url);
  service = await space.serve();
});
after(async () => {
  await receiver[Symbol.asyncDispose]();
  await space[Symbol.asyncDispose]();
});

const move = (id: string, name: string, by = key) => service.request('POST', `/orders/${id}/${name}`, { key: by });
const refused = (answer: { status: number; body: unknown; headers: Headers }, status: number, code: string): void => {
  assert.deepEqual([answer.status, codeOf(answer)], [status, code]);
  assert.equal((answer.body as Problem).status, status);
  assert.equal(answer.headers.get('content-type'), 'application/problem+json');
};

test('goes from draft to delivered, and says so at every step', async () => {
  const created = await service.open(key, { sku: 'LIF-0001', quantity: 3, note: '  as is  ' });
  const order = created.body as Order;
  assert.equal(created.status, 201);
  assert.equal(created.headers.get('location'), `/orders/${order.id}`);
  assert.deepEqual(Object.keys(order), ['id', 'customer', 'sku', 'quantity', 'note', 'status', 'created']);
  assert.deepEqual(
    { ...order, id: '', created: '' },
    {
      id: '',
      customer: ada,
      sku: 'LIF-0001',
      quantity: 3,
      note: 'as is',
      status: 'draft',
      created: '',
    },
  );
  assert.match(order.created as string, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

  refused(await move(order.id, 'ship'), 409, 'order_not_shippable');
  refused(await move(order.id, 'deliver'), 409, 'order_not_shipped');
  for (const [name, status] of [
    ['place', 'placed'],
    ['ship', 'shipped'],
    ['deliver', 'delivered'],
  ] as const) {
    const moved = await move(order.id, name);
    assert.deepEqual([moved.status, moved.body], [200, { ...order, status }]);
  }
  for (const [name, code] of [
    ['place', 'order_not_placeable'],
    ['ship', 'order_not_shippable'],
    ['deliver', 'order_not_shipped'],
    ['cancel', 'order_not_open'],
  ] as const)
    refused(await move(order.id, name), 409, code);
  refused(await service.request('DELETE', `/orders/${order.id}`, { key }), 409, 'order_still_open');
  const read = await service.request('GET', `/orders/${order.id}`, { key });
  assert.deepEqual([read.status, read.body], [200, { ...order, status: 'delivered' }]);
});

test('is cancelled from draft and from placed, and removed only then', async () => {
  for (const first of [[], ['place']]) {
    const id = await service.opened(key, 'LIF-0002');
    for (const name of first) await move(id, name);
    refused(await service.request('DELETE', `/orders/${id}`, { key }), 409, 'order_still_open');
    assert.equal(((await move(id, 'cancel')).body as Order).status, 'cancelled');
    refused(await move(id, 'cancel'), 409, 'order_not_open');
    const removed = await service.request('DELETE', `/orders/${id}`, { key });
    assert.deepEqual([removed.status, removed.text, removed.headers.get('content-length')], [204, '', null]);
    refused(await service.request('GET', `/orders/${id}`, { key }), 404, 'order_not_found');
    refused(await service.request('DELETE', `/orders/${id}`, { key }), 404, 'order_not_found');
  }
});

test('needs a note to be placed beyond 100', async () => {
  const id = await service.opened(key, 'LIF-0003', { quantity: 101 });
  refused(await move(id, 'place'), 409, 'order_not_placeable');
  const { headers } = await service.request('GET', `/orders/${id}`, { key });
  const match = { 'if-match': headers.get('etag')! };
  await service.request('PATCH', `/orders/${id}`, { key, headers: { ...MERGE, ...match }, body: { note: 'Yes' } });
  assert.equal((await move(id, 'place')).status, 200);
});

test('has one draft for each customer and product', async () => {
  const id = await service.opened(key, 'LIF-0004');
  refused(await service.open(key, { sku: 'LIF-0004', quantity: 1 }), 409, 'order_already_open');
  assert.equal((await service.open(other, { sku: 'LIF-0004', quantity: 1 })).status, 201);
  await move(id, 'place');
  assert.equal((await service.open(key, { sku: 'LIF-0004', quantity: 1 })).status, 201);
});

test('is changed by merge patch under If-Match', async () => {
  const id = await service.opened(key, 'LIF-0005', { quantity: 5, note: 'first' });
  const path = `/orders/${id}`;
  const tag = async () => (await service.request('GET', path, { key })).headers.get('etag')!;
  const patch = (match: string | null, body: unknown) =>
    service.request('PATCH', path, { key, body, headers: match === null ? MERGE : { ...MERGE, 'if-match': match } });
  refused(await patch(null, { quantity: 6 }), 428, 'match_required');
  for (const wrong of ['"nonsense"', `W/${await tag()}`])
    refused(await patch(wrong, { quantity: 6 }), 412, 'changed_meanwhile');
  const old = await tag();
  const first = await patch(old, { quantity: 6 });
  assert.deepEqual([first.status, (first.body as Order).quantity, (first.body as Order).note], [200, 6, 'first']);
  assert.equal(first.headers.get('etag'), await tag());
  refused(await patch(old, { quantity: 7 }), 412, 'changed_meanwhile');
  const cleared = await patch(`"x", ${await tag()}`, { note: null });
  assert.deepEqual(
    [cleared.status, 'note' in (cleared.body as Order), (cleared.body as Order).quantity],
    [200, false, 6],
  );
  const same = await patch('*', { note: '' });
  assert.deepEqual([same.status, (same.body as Order).note], [200, '']);
  refused(await patch('*', { quantity: null }), 422, 'invalid_request');
  refused(await patch('*', { sku: 'LIF-0006' }), 422, 'unknown_field');
  await move(id, 'place');
  refused(await patch('*', { quantity: 8 }), 409, 'order_not_open');
});

test('is refused where its fields are not allowed, with every fault', async () => {
  const faults = async (body: unknown) => {
    const answer = await service.open(key, body as Record<string, unknown>);
    return [
      answer.status,
      codeOf(answer),
      (answer.body as { errors: Array<Record<string, string>> }).errors.map((e) => [e.pointer, e.code]),
    ];
  };
  assert.deepEqual(await faults({}), [
    422,
    'invalid_request',
    [
      ['/sku', 'missing'],
      ['/quantity', 'missing'],
    ],
  ]);
  assert.deepEqual(await faults({ sku: 'abc', quantity: 1001, note: 'n'.repeat(501) }), [
    422,
    'invalid_request',
    [
      ['/sku', 'not_matching'],
      ['/quantity', 'too_large'],
      ['/note', 'too_long'],
    ],
  ]);
  assert.deepEqual(await faults({ sku: 'ABC-0001', quantity: '1' }), [
    422,
    'invalid_request',
    [['/quantity', 'not_integer']],
  ]);
  assert.deepEqual(await faults({ sku: 'ABC-0001', quantity: 1, status: 'placed' }), [
    422,
    'unknown_field',
    [['/status', 'unknown_field']],
  ]);
  assert.deepEqual(await faults([]), [422, 'invalid_request', [['', 'not_an_object']]]);
});

test('does not exist for another customer, unless its key may fulfil', async () => {
  const plain = await space.key(await space.customer('Eve'), 'orders:read,orders:write');
  const id = await service.opened(key, 'LIF-0007');
  for (const [method, path, headers] of [
    ['GET', '', {}],
    ['PATCH', '', { ...MERGE, 'if-match': '*' }],
    ['DELETE', '', {}],
    ['POST', '/place', {}],
    ['POST', '/cancel', {}],
  ] as const)
    refused(
      await service.request(method, `/orders/${id}${path}`, {
        key: plain,
        headers,
        ...(method === 'PATCH' && { body: {} }),
      }),
      404,
      'order_not_found',
    );
  assert.deepEqual((await service.request('GET', '/orders', { key: plain })).body, { items: [] });
  assert.deepEqual((await service.request('GET', '/summary', { key: plain })).body, { open: 0, units: 0 });
  await move(id, 'place');
  assert.equal((await move(id, 'ship', other)).status, 200, 'a key that may fulfil sees it');
  const listed = (await service.request('GET', '/orders?limit=100', { key: other })).body as { items: Order[] };
  assert.ok(
    listed.items.every((order) => order.id !== id),
    'a list holds the caller’s own alone',
  );
});

test('asks for credentials and their scopes', async () => {
  const [reader, none] = await Promise.all([space.key(ada, 'orders:read'), space.key(ada, 'none')]);
  const id = await service.opened(key, 'LIF-0008');
  refused(await service.request('GET', '/orders'), 401, 'key_missing');
  refused(
    await service.request('GET', '/orders', { key: `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}` }),
    401,
    'key_unknown',
  );
  for (const path of ['/place', '/cancel', '/ship', '/deliver'])
    refused(await service.request('POST', `/orders/${id}${path}`, { key: reader }), 403, 'scope_missing');
  refused(await service.open(reader, { sku: 'LIF-0009', quantity: 1 }), 403, 'scope_missing');
  assert.equal((await service.request('GET', `/orders/${id}`, { key: reader })).status, 200);
  for (const path of ['/orders', `/orders/${id}`, '/summary'])
    refused(await service.request('GET', path, { key: none }), 403, 'scope_missing');
});

test('an identity that is none, or a path that is none, is not found', async () => {
  refused(await service.request('GET', '/orders/not-a-uuid', { key }), 404, 'order_not_found');
  refused(await service.request('GET', `/orders/${randomUUID()}`, { key }), 404, 'order_not_found');
  for (const path of ['/', '/orders/', '/customers', '/health', '/metrics', '/summary/'])
    refused(await service.request('GET', path, { key }), 404, 'no_such_endpoint');
});

test('counts in the summary', async () => {
  const fresh = await space.key(await space.customer('Sum'));
  const ids = [];
  for (const quantity of [2, 3, 5]) ids.push(await service.opened(fresh, `SUM-000${quantity}`, { quantity }));
  await move(ids[0]!, 'place', fresh);
  await move(ids[1]!, 'cancel', fresh);
  assert.deepEqual((await service.request('GET', '/summary', { key: fresh })).body, { open: 1, units: 10 });
});

test('tells the receiver of each event, signed', async (t) => {
  const id = await service.opened(key, 'LIF-0010');
  await move(id, 'place');
  const last = await move(id, 'cancel');
  const mine = () => receiver.got.filter(({ data }) => data.id === id);
  await until(() => mine().length === 3, 'three events');
  assert.deepEqual(
    mine().map(({ type, data }) => [type, data.status]),
    [
      ['order.opened', 'draft'],
      ['order.placed', 'placed'],
      ['order.cancelled', 'cancelled'],
    ],
  );
  assert.deepEqual(mine()[2]!.data, last.body);
  await until(async () => {
    const ran = await space.cli('events', 'list', '--json');
    return (JSON.parse(ran.out) as Array<{ state: string }>).every(({ state }) => state === 'delivered');
  }, 'every event delivered');
  const verified = receiver.verified(secret) as Array<{ type: string; timestamp: string; data: unknown }>;
  for (const one of verified) assert.deepEqual(Object.keys(one), ['type', 'timestamp', 'data']);
  const rows = space.select<{ type: string; n: number }>(
    'SELECT type, count(*) AS n FROM ninefold_event GROUP BY type ORDER BY type',
  );
  const came = Map.groupBy(receiver.got, ({ type }) => type);
  for (const { type, n } of rows) assert.equal(came.get(type)?.length, n, type);
  t.diagnostic(`${verified.length} webhooks verified: ${rows.map(({ type, n }) => `${n} ${type}`).join(', ')}`);
});

test('a restart in good order keeps rows, keys, kept answers and entity tags', async () => {
  const idempotency = randomUUID();
  const created = await service.open(key, { sku: 'LIF-0011', quantity: 4 }, idempotency);
  const { id } = created.body as Order;
  const before = await service.request('GET', `/orders/${id}`, { key });
  assert.equal(await service.stop(), 0);
  service = await space.serve();
  const now = await service.request('GET', `/orders/${id}`, { key });
  assert.deepEqual([now.status, now.text, now.headers.get('etag')], [200, before.text, before.headers.get('etag')]);
  const replayed = await service.open(key, { sku: 'LIF-0011', quantity: 4 }, idempotency);
  assert.deepEqual([replayed.status, replayed.text], [201, created.text]);
  assert.equal(replayed.headers.get('location'), `/orders/${id}`);
  assert.equal(space.select(`SELECT 1 FROM "order" WHERE sku = 'LIF-0011'`).length, 1);
});

// Changes on PostgreSQL assume their caller as it was last read, and confirm it in their transaction.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { edited, PATIENT, type Service } from './harness.ts';
import { codeOf, Nodes } from './nodes.ts';
import { PostgresServer } from './postgres.ts';

/** The caller’s name decides whether it may open orders, and a rate counts what it sends. */
const NAMED = edited(
  PATIENT,
  ['9000000 requests per minute', '100 requests per minute'],
  [
    '1. Create `order`: Order from `request`.',
    '1. Require `caller.name != "closed"`, else order_not_open.\n2. Create `order`: Order from `request`.',
  ],
  ['2. Answer 201 with `order` and', '3. Answer 201 with `order` and'],
);

let server: PostgresServer;
let nodes: Nodes;
let number = 0;

before(async () => {
  server = await PostgresServer.shared();
  nodes = await Nodes.on(server, NAMED);
  await nodes.serve(1);
});
after(async () => {
  await nodes[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const body = (): object => ({ sku: `ASM-${String(++number).padStart(4, '0')}`, quantity: 1 });
const create = (key: string, sent: unknown = body(), idempotencyKey = randomUUID()) =>
  (nodes.nodes[0] as Service).request('POST', '/orders', {
    key,
    body: sent,
    headers: { 'idempotency-key': idempotencyKey },
  });
const count = async (): Promise<number> =>
  Number((await server.query<{ n: string }>(nodes.url, 'SELECT count(*) AS n FROM "order"'))[0]!.n);
const remaining = ({ headers }: Awaited<ReturnType<typeof create>>): number =>
  Number(/"caller";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);

test('a key that is revoked is refused by the next change, whatever the change would be answered otherwise', async () => {
  const customer = await nodes.space.customer();
  const key = await nodes.space.key(customer);
  const revoked = (at: number | null) =>
    server.query(nodes.url, `UPDATE ninefold_key SET revoked = ${at} WHERE holder = '${customer}'`);
  const first = randomUUID();
  const sent = body();
  assert.equal((await create(key, sent, first)).status, 201);
  assert.equal((await create(key, sent, first)).status, 201, 'the kept answer');
  const stored = await count();
  for (const again of [() => create(key), () => create(key, sent, first), () => create(key, { sku: 'no' })]) {
    await revoked(null);
    assert.notEqual((await create(key, {})).status, 401, 'it is known, and assumed');
    await revoked(1);
    const refused = await again();
    assert.deepEqual([refused.status, codeOf(refused)], [401, 'key_unknown']);
  }
  assert.equal(await count(), stored);
});

test('a caller that has changed is judged as it is, and counted once', async () => {
  const customer = await nodes.space.customer();
  const key = await nodes.space.key(customer);
  const before = remaining(await create(key));
  assert.ok(before > 0);
  await server.query(nodes.url, `UPDATE customer SET name = 'closed' WHERE id = '${customer}'`);
  const refused = await create(key);
  assert.deepEqual([refused.status, codeOf(refused)], [409, 'order_not_open']);
  assert.equal(remaining(refused), before - 1);
  await server.query(nodes.url, `UPDATE customer SET name = 'Ada' WHERE id = '${customer}'`);
  const opened = await create(key);
  assert.equal(opened.status, 201, 'the body is there when the request begins anew');
  assert.equal(remaining(opened), before - 2);
});

test('a caller that is removed is refused', async () => {
  const customer = await nodes.space.customer();
  const key = await nodes.space.key(customer);
  assert.equal((await create(key, { sku: 'no' })).status, 422);
  await server.query(nodes.url, `DELETE FROM customer WHERE id = '${customer}'`);
  assert.equal((await create(key)).status, 401);
});

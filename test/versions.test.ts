import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { edited, ORDERS, type Served, Workspace } from './harness.ts';

const OLD = { 'orders-version': '2025-06-01' };
const NOW = { 'orders-version': '2026-11-01' };
const MERGE = { 'content-type': 'application/merge-patch+json' };

interface Problem {
  readonly code: string;
  readonly errors: ReadonlyArray<Readonly<Record<string, string>>>;
}

const space = new Workspace(ORDERS);
let service: Served;
let key: string;

before(async () => {
  key = await space.key(await space.customer());
  service = await space.serveHere();
});
after(() => space[Symbol.asyncDispose]());

const ask = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
  service.request(method, path, { key, headers, ...(body !== undefined && { body }) });
const open = (headers: Record<string, string>, body: unknown, idempotency: string = randomUUID()) =>
  ask('POST', '/orders', { ...headers, 'idempotency-key': idempotency }, body);
const codeOf = (answer: { body: unknown }): string => (answer.body as Problem).code;

const dates = ({ headers }: { headers: Headers }) => [headers.get('deprecation'), headers.get('sunset')];
const DATES = [`@${Date.UTC(2026, 10, 1) / 1000}`, 'Mon, 01 Nov 2027 00:00:00 GMT'];

test('a deprecated version has its own names in requests and answers, and says that it is deprecated', async () => {
  const made = await open(OLD, { product: 'VER-0001', quantity: 2 });
  const order = made.body as { id: string };
  assert.equal(made.status, 201);
  assert.deepEqual(Object.keys(order), ['id', 'customer', 'product', 'quantity', 'status', 'created']);
  const path = `/orders/${order.id}`;
  const answers = [
    made,
    await ask('GET', path, OLD),
    await ask('GET', '/orders', OLD),
    await ask('PATCH', path, { ...OLD, ...MERGE, 'if-match': '*' }, { quantity: 3 }),
    await ask('GET', '/summary', OLD),
    await ask('POST', `${path}/place`, OLD),
    await ask('POST', `${path}/place`, OLD),
    await ask('POST', `${path}/cancel`, OLD),
    await ask('DELETE', path, OLD),
    await ask('GET', path, OLD),
  ];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 200, 200, 200, 200, 200, 409, 200, 204, 404],
  );
  for (const answer of answers) {
    assert.deepEqual(dates(answer), DATES);
    assert.ok(!/"(sku|note)"/.test(answer.text));
  }
  assert.ok(answers.slice(0, 4).every(({ text }) => text.includes('"product":"VER-0001"')));
});

test('the current version, named or not, has its names and no such headers', async () => {
  for (const headers of [{}, NOW]) {
    const made = await open(headers, { sku: `VER-100${Object.keys(headers).length}`, quantity: 2, note: 'seen' });
    assert.equal(made.status, 201);
    const read = await ask('GET', `/orders/${(made.body as { id: string }).id}`, headers);
    for (const answer of [made, read]) {
      assert.deepEqual(dates(answer), [null, null]);
      assert.deepEqual(Object.keys(answer.body as object), [
        'id',
        'customer',
        'sku',
        'quantity',
        'note',
        'status',
        'created',
      ]);
    }
  }
});

test('both versions are of one order', async () => {
  const made = await open(NOW, { sku: 'VER-0002', quantity: 2, note: 'stays' });
  const path = `/orders/${(made.body as { id: string }).id}`;
  const old = await ask('GET', path, OLD);
  assert.equal((old.body as { product: string }).product, 'VER-0002');
  const stale = await ask('PATCH', path, { ...NOW, ...MERGE, 'if-match': old.headers.get('etag')! }, { quantity: 5 });
  assert.deepEqual(
    [stale.status, codeOf(stale)],
    [412, 'changed_meanwhile'],
    'another version is another representation',
  );
  const changed = await ask('PATCH', path, { ...OLD, ...MERGE, 'if-match': old.headers.get('etag')! }, { quantity: 5 });
  assert.equal(changed.status, 200);
  const now = (await ask('GET', path, NOW)).body as { quantity: number; note: string };
  assert.deepEqual([now.quantity, now.note], [5, 'stays'], 'a version that has no note leaves it alone');
  const taken = await open(OLD, { product: 'VER-0002', quantity: 1 });
  assert.deepEqual([taken.status, codeOf(taken)], [409, 'order_already_open']);
});

test('the errors of a deprecated version point to its own names', async () => {
  const faults = async (answer: { body: unknown; status: number; headers: Headers }) => {
    assert.deepEqual(dates(answer), DATES);
    const { code, errors } = answer.body as Problem;
    return [answer.status, code, ...errors.map((one) => [one.pointer ?? one.parameter, one.code])];
  };
  assert.deepEqual(await faults(await open(OLD, { quantity: 1 })), [422, 'invalid_request', ['/product', 'missing']]);
  assert.deepEqual(await faults(await open(OLD, { product: 'x', quantity: 1 })), [
    422,
    'invalid_request',
    ['/product', 'not_matching'],
  ]);
  assert.deepEqual(await faults(await open(OLD, { product: 'VER-0003', sku: 'VER-0003', quantity: 1, note: 'n' })), [
    422,
    'unknown_field',
    ['/sku', 'unknown_field'],
    ['/note', 'unknown_field'],
  ]);
  assert.deepEqual(await faults(await ask('GET', '/orders?sku=VER-0001', OLD)), [
    400,
    'unknown_parameter',
    ['sku', 'unknown_parameter'],
  ]);
  assert.deepEqual(await faults(await ask('GET', '/orders?product=x', OLD)), [
    422,
    'invalid_request',
    ['product', 'not_matching'],
  ]);
  const wrong = await open(NOW, { product: 'VER-0003', quantity: 1 });
  assert.deepEqual(
    (wrong.body as Problem).errors.map(({ pointer, code }) => [pointer, code]),
    [
      ['/sku', 'missing'],
      ['/product', 'unknown_field'],
    ],
  );
});

test('a deprecated version filters by its own names', async () => {
  await open(OLD, { product: 'VER-0004', quantity: 1 });
  const found = await ask('GET', '/orders?product=VER-0004&status=draft', OLD);
  assert.deepEqual(
    (found.body as { items: Array<{ product: string }> }).items.map(({ product }) => product),
    ['VER-0004'],
  );
  assert.equal((await ask('GET', '/orders?product=VER-0004', NOW)).status, 400);
});

test('an idempotency key stands for a request of one version', async () => {
  const idempotency = randomUUID();
  const first = await open(OLD, { product: 'VER-0005', quantity: 1 }, idempotency);
  const again = await open(OLD, { product: 'VER-0005', quantity: 1 }, idempotency);
  assert.deepEqual([again.status, again.text, ...dates(again)], [201, first.text, ...DATES]);
  const other = await open(NOW, { sku: 'VER-0005', quantity: 1 }, idempotency);
  assert.deepEqual([other.status, codeOf(other)], [422, 'idempotency_key_reused']);
});

test('a retired version is refused, and one that never was', async () => {
  for (const [version, status, code] of [
    ['2024-12-01', 410, 'version_retired'],
    ['2026-11-02', 400, 'version_unknown'],
    ['latest', 400, 'version_unknown'],
    ['', 400, 'version_unknown'],
    ['2026-11-01, 2025-06-01', 400, 'version_unknown'],
  ] as const) {
    const answer = await open({ 'orders-version': version }, { sku: 'VER-0006', quantity: 1 });
    assert.deepEqual([version, answer.status, codeOf(answer)], [version, status, code]);
    assert.deepEqual(dates(answer), [null, null]);
  }
  assert.equal(((await ask('GET', '/orders?sku=VER-0006', {})).body as { items: unknown[] }).items.length, 0);
});

test('dates act: a version whose sunset has passed is refused, though the document calls it deprecated', async (t) => {
  const [deprecated, sunset] = ['2025-06-02', '2026-06-02'];
  await using later = new Workspace(
    edited(ORDERS, ['deprecated | 2026-11-01 | 2027-11-01', `deprecated | ${deprecated} | ${sunset}`]),
  );
  const theirs = await later.key(await later.customer());
  const served = await later.serveHere();
  const refused = await served.request('GET', '/orders', { key: theirs, headers: OLD });
  assert.deepEqual([refused.status, codeOf(refused)], [410, 'version_retired']);
  assert.equal((await served.request('GET', '/orders', { key: theirs, headers: NOW })).status, 200);
  const ran = await later.cli(
    'receivers',
    'add',
    'http://example.com/',
    '--events',
    'order.opened',
    '--version',
    '2025-06-01',
  );
  assert.equal(ran.code, 2, 'nor can a receiver be registered for it');
  t.diagnostic(`deprecated ${deprecated}, sunset ${sunset}: ${refused.status} ${codeOf(refused)}`);
});

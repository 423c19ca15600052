import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ORDERS, PATIENT, type Ran, type Service, until, Workspace } from './harness.ts';
import { Receiver } from './receiver.ts';

const space = new Workspace(PATIENT);
let service: Service;
let ada: string;
let key: string;

before(async () => {
  service = await space.serve();
  ada = await space.customer('Ada');
  key = await space.key(ada);
});
after(() => space[Symbol.asyncDispose]());

const cli = (...words: string[]): Promise<Ran> => space.cli(words[0]!, ...words.slice(1));
/** Runs a command that has to be refused with this exit code, and nothing on standard output. */
async function refused(code: number, message: RegExp, ...words: string[]): Promise<void> {
  mustBeRefused(await cli(...words), code, message, words);
}
/** The same of `serve`, which is refused for its options before it begins: a process of its own has nothing to add. */
async function refusedHere(code: number, message: RegExp, ...words: string[]): Promise<void> {
  mustBeRefused(await space.serveRefused(...words), code, message, words);
}
function mustBeRefused(ran: Ran, code: number, message: RegExp, words: readonly string[]): void {
  assert.deepEqual([words.join(' '), ran.code, ran.out], [words.join(' '), code, '']);
  assert.match(ran.err, message);
  assert.doesNotMatch(ran.err, /\n +at /, 'no stack is shown');
}
async function json<T>(...words: string[]): Promise<T> {
  const ran = await cli(...words, '--json');
  assert.equal(ran.code, 0, ran.err);
  return JSON.parse(ran.out) as T;
}

interface Customer {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

test('customers are entered, listed, changed and removed while the service runs', async () => {
  const id = randomUUID();
  const [added] = await json<Customer[]>(
    'rows',
    'add',
    'Customer',
    `id=${id}`,
    'name= Grace = G ',
    'email=grace@example.com',
  );
  assert.deepEqual(added, { id, name: 'Grace = G', email: 'grace@example.com' });
  const theirs = await space.key(id);
  assert.equal((await service.request('GET', '/summary', { key: theirs })).status, 200, 'her key is good at once');
  const [changed] = await json<Customer[]>('rows', 'change', 'Customer', id, 'name=Grace');
  assert.deepEqual(changed, { id, name: 'Grace', email: 'grace@example.com' });
  const all = await json<Customer[]>('rows', 'list', 'Customer');
  assert.deepEqual(all.map((one) => one.name).sort(), ['Ada', 'Grace']);
  assert.deepEqual(
    all.map((one) => one.id),
    all.map((one) => one.id).sort(),
  );
  assert.deepEqual(await json('rows', 'remove', 'Customer', id), {});
  const gone = await service.request('GET', '/summary', { key: theirs });
  assert.deepEqual(
    [gone.status, (gone.body as { code: string }).code],
    [401, 'key_unknown'],
    'a key of nobody opens nothing',
  );
  await refused(1, /There is no Customer/, 'rows', 'remove', 'Customer', id);
});

test('the operator keeps to the rules of the document', async () => {
  const taken = (await json<Customer[]>('rows', 'list', 'Customer')).find((one) => one.id === ada)!.email;
  const id = randomUUID();
  const add = ['rows', 'add', 'Customer', `id=${id}`];
  await refused(1, /not_email/, ...add, 'name=X', 'email=nobody');
  await refused(1, /too_short/, ...add, 'name=', 'email=x@example.com');
  await refused(1, /too_long/, ...add, `name=${'x'.repeat(81)}`, 'email=x@example.com');
  await refused(1, /not_uuid/, 'rows', 'add', 'Customer', 'id=1', 'name=X', 'email=x@example.com');
  await refused(1, /unique email/, ...add, 'name=X', `email=${taken}`);
  await refused(
    1,
    /There is a Customer “.*” already/,
    'rows',
    'add',
    'Customer',
    `id=${ada}`,
    'name=X',
    'email=x@example.com',
  );
  await refused(2, /needs email=/, ...add, 'name=X');
  await refused(2, /did you mean “email”/, ...add, 'name=X', 'emial=x@example.com');
  await refused(2, /given twice/, ...add, 'name=X', 'name=Y', 'email=x@example.com');
  await refused(2, /did you mean “Customer”/, 'rows', 'list', 'Custmer');
  await refused(2, /identity of a row never changes/, 'rows', 'change', 'Customer', ada, `id=${id}`);
  await refused(2, /Name a field to change in Customer/, 'rows', 'change', 'Customer', ada);
  const other = await space.customer('Other');
  await refused(1, /unique email/, 'rows', 'change', 'Customer', other, `email=${taken}`);
  assert.equal((await json<Customer[]>('rows', 'list', 'Customer')).length, 2, 'nothing refused left a trace');
});

test('a customer with orders stays, and the fields of orders are not the operator’s', async () => {
  const id = await service.opened(key, 'OPE-0001', { quantity: 2 });
  await refused(1, /customer_has_orders: This customer has orders/, 'rows', 'remove', 'Customer', ada);
  for (const field of [
    'status=delivered',
    'quantity=3',
    'note=hello',
    `customer=${randomUUID()}`,
    'created=2026-01-01T00:00:00.000Z',
  ])
    await refused(1, /cannot be given by the operator/, 'rows', 'change', 'Order', id, field);
  await refused(1, /operator/, 'rows', 'add', 'Order', 'sku=OPE-0002', 'quantity=1');
  const read = (await service.request('GET', `/orders/${id}`, { key })).body as { status: string; quantity: number };
  assert.deepEqual([read.status, read.quantity], ['draft', 2]);
  const listed = await json<Array<{ id: string; customer: string }>>('rows', 'list', 'Order');
  assert.deepEqual(
    listed.map((one) => [one.id, one.customer]),
    [[id, ada]],
  );
  assert.equal((await cli('rows', 'remove', 'Order', id)).code, 0);
  assert.equal((await service.request('GET', `/orders/${id}`, { key })).status, 404);
});

test('the operator moves states by transitions alone, under their guards, and what follows a move follows theirs', async () => {
  await using receiver = await new Receiver().up();
  const added = await json<{ id: string; secret: string }>(
    'receivers',
    'add',
    receiver.url,
    '--allow-private',
    '--events',
    'order.placed,order.cancelled',
  );
  const many = await service.opened(key, 'OPE-0020', { quantity: 101 });
  const move = (id: string, transition: string) => ['rows', 'move', 'Order', id, transition];
  await refused(1, /order_not_placeable: the guard of place does not hold for this row\./, ...move(many, 'place'));
  await refused(1, /order_not_shippable: ship leads from placed, and this row is draft\./, ...move(many, 'ship'));
  await refused(1, /expire is a timed transition/, ...move(many, 'expire'));
  await refused(2, /did you mean “place”/, ...move(many, 'plac'));
  await refused(1, /There is no Order/, ...move(randomUUID(), 'place'));
  await refused(2, /Rows of Customer have no states/, 'rows', 'move', 'Customer', ada, 'place');
  await refused(2, /the identity of one row, and then the transition/, 'rows', 'move', 'Order', many);
  const id = await service.opened(key, 'OPE-0021');
  const before = (await service.request('GET', `/orders/${id}`, { key })).headers.get('etag');
  const [moved] = await json<Array<{ status: string }>>(...move(id, 'place'));
  assert.equal(moved!.status, 'placed');
  const read = await service.request('GET', `/orders/${id}`, { key });
  assert.equal((read.body as { status: string }).status, 'placed');
  assert.notEqual(read.headers.get('etag'), before, 'it is another representation');
  await until(() => receiver.accepted.length === 1, 'the receiver is told');
  await refused(1, /order_not_placeable: place leads from draft, and this row is placed\./, ...move(id, 'place'));
  const untouched = (await service.request('GET', `/orders/${many}`, { key })).body as { status: string };
  assert.equal(untouched.status, 'draft', 'nothing refused left a trace');
  await cli('receivers', 'remove', added.id);
});

test('keys are issued, listed and revoked; one that is revoked is refused at once', async () => {
  const issued = await json<{ id: string; key: string }>('keys', 'issue', 'Customer', ada, '--scopes', 'orders:read');
  const ask = async () => (await service.request('GET', '/summary', { key: issued.key })).status;
  assert.equal(await ask(), 200);
  interface Key {
    readonly id: string;
    readonly holder: string;
    readonly scopes: string[];
    readonly revoked: string | null;
  }
  const mine = async () => (await json<Key[]>('keys', 'list')).find(({ id }) => id === issued.id)!;
  const before = await mine();
  assert.deepEqual([before.holder, before.scopes, before.revoked], [ada, ['orders:read'], null]);
  assert.equal((await cli('keys', 'revoke', issued.id)).code, 0);
  const refusal = await service.request('GET', '/summary', { key: issued.key });
  assert.deepEqual([refusal.status, (refusal.body as { code: string }).code], [401, 'key_unknown']);
  assert.match(refusal.headers.get('www-authenticate')!, /^Bearer error="invalid_token"$/);
  assert.notEqual((await mine()).revoked, null);
  assert.equal((await service.request('GET', '/summary', { key })).status, 200, 'the other key stays good');
  await refused(1, /no valid key/, 'keys', 'revoke', issued.id);
  await refused(2, /--scopes/, 'keys', 'issue', 'Customer', ada);
  await refused(2, /did you mean “orders:read”/, 'keys', 'issue', 'Customer', ada, '--scopes', 'order:read');
  await refused(2, /Customer, not of Order/, 'keys', 'issue', 'Order', ada, '--scopes', 'none');
  await refused(1, /There is no Customer/, 'keys', 'issue', 'Customer', randomUUID(), '--scopes', 'none');
});

test('keys that were revoked long enough ago are forgotten, and no others', async () => {
  const issue = () => json<{ id: string; key: string }>('keys', 'issue', 'Customer', ada, '--scopes', 'orders:read');
  const listed = async () => (await json<Array<{ id: string }>>('keys', 'list')).map(({ id }) => id);
  const [valid, revoked] = [await issue(), await issue()];
  await cli('keys', 'revoke', revoked.id);
  assert.deepEqual(await json('keys', 'forget', '1h'), { forgotten: 0 });
  assert.ok((await listed()).includes(revoked.id), 'it was revoked just now');
  await sleep(1100);
  const { forgotten } = await json<{ forgotten: number }>('keys', 'forget', '1s');
  assert.ok(forgotten >= 1);
  const left = await listed();
  assert.deepEqual([left.includes(revoked.id), left.includes(valid.id)], [false, true]);
  const refusal = await service.request('GET', '/summary', { key: revoked.key });
  assert.deepEqual([refusal.status, (refusal.body as { code: string }).code], [401, 'key_unknown']);
  assert.equal((await service.request('GET', '/summary', { key: valid.key })).status, 200);
  for (const wrong of [[], ['90'], ['0d'], ['90d', '1h'], ['9999999d']])
    await refused(2, /a number with a unit, such as 90d or 12h/, 'keys', 'forget', ...wrong);
});

test('receivers are added and removed while the service runs', async () => {
  await using receiver = await new Receiver().up();
  const { id, secret } = await json<{ id: string; secret: string }>(
    'receivers',
    'add',
    receiver.url,
    '--allow-private',
    '--events',
    'order.opened',
  );
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{32,}=*$/);
  await service.opened(key, 'OPE-0010');
  await until(() => receiver.accepted.length === 1, 'the event after it was added');
  receiver.verified(secret);
  const [listed] = await json<Array<Record<string, unknown>>>('receivers', 'list');
  assert.deepEqual(
    [listed!.id, listed!.url, listed!.events, listed!.version],
    [id, receiver.url, ['order.opened'], '2026-11-01'],
  );
  assert.equal((await cli('receivers', 'remove', id)).code, 0);
  await service.opened(key, 'OPE-0011');
  assert.deepEqual(
    space.select('SELECT 1 FROM ninefold_delivery'),
    [],
    'nothing is owed to a receiver that was removed',
  );
  assert.equal(receiver.got.length, 1);
  await refused(1, /no receiver/, 'receivers', 'remove', id);
  await refused(2, /Name the events/, 'receivers', 'add', 'https://example.com/');
  await refused(
    2,
    /did you mean “order.opened”/,
    'receivers',
    'add',
    'https://example.com/',
    '--events',
    'order.openend',
  );
  for (const url of ['ftp://example.com/', 'nowhere', 'https://user:pass@example.com/'])
    await refused(2, /URL/, 'receivers', 'add', url, '--events', 'order.opened');
});

test('the operator’s commands and requests write side by side', async (t) => {
  let going = true;
  const statuses = new Map<number, number>();
  let n = 0;
  const clients = Array.from({ length: 8 }, async () => {
    while (going) {
      const sku = `SID-${String(n++ % 10_000).padStart(4, '0')}`;
      const { status } = await service.open(key, { sku, quantity: 1 });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      await sleep(5);
    }
  });
  const added = await Promise.all(Array.from({ length: 6 }, (_, i) => space.customer(`Side ${i}`)));
  going = false;
  await Promise.all(clients);
  assert.deepEqual([...statuses.keys()], [201]);
  const ids = (await json<Customer[]>('rows', 'list', 'Customer')).map(({ id }) => id);
  assert.ok(added.every((id) => ids.includes(id)));
  t.diagnostic(`6 commands beside ${statuses.get(201)} orders, all of them taken`);
});

test('every command says how it ended', async () => {
  assert.equal((await cli('check', '--no-try')).code, 0);
  assert.equal((await cli('plan')).code, 0);
  await refused(2, /unknown option/, 'rows', 'list', 'Customer', '--jsn');
  await refused(2, /no action/, 'rows', 'lst', 'Customer');
  await refusedHere(2, /is not a port/, '--port', '70000');
  await refusedHere(2, /HOST:PORT/, '--admin', '9090');
  await refusedHere(3, /Another service runs/, '--port', '0');
  await using other = new Workspace(ORDERS);
  const taken = await other.serveRefused('--port', new URL(service.url).port);
  assert.equal(taken.code, 3);
  assert.match(taken.err, /another program listens there/);
  await using unsaid = new Workspace(ORDERS.replace('- Purpose: take orders and follow each one to delivery\n', ''));
  assert.equal((await unsaid.cli('check')).code, 1);
  assert.equal((await unsaid.serveRefused()).code, 1);
  await using broken = new Workspace(ORDERS);
  mkdirSync(broken.data);
  writeFileSync(join(broken.data, 'ninefold.sqlite'), 'this is no database, however long it may be. '.repeat(50));
  for (const ran of [await broken.serveRefused('--port', '0'), await broken.cli('rows', 'list', 'Customer')]) {
    assert.equal(ran.code, 3);
    assert.match(ran.err, /can’t be used/);
  }
});

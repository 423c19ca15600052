import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { example } from '../fixtures.ts';
import { type Served, until, Workspace } from '../harness.ts';
import { Receiver } from '../receiver.ts';

// What a merchant does in a day, and what its accountants would look at.

const space = new Workspace(example('payments'), 'payments.md');
const receiver = new Receiver();
let service: Served;
let secret: string;
let key: string;
let reader: string;
let other: string;

async function merchant(name: string, scopes: string): Promise<string> {
  const id = randomUUID();
  assert.equal((await space.cli('rows', 'add', 'Merchant', `id=${id}`, `name=${name}`)).code, 0);
  return issued(id, scopes);
}

async function issued(id: string, scopes: string): Promise<string> {
  return (await space.cli('keys', 'issue', 'Merchant', id, '--scopes', scopes)).out.trim();
}

before(async () => {
  const all = 'payments:read,payments:write,refunds:write';
  const id = randomUUID();
  assert.equal((await space.cli('rows', 'add', 'Merchant', `id=${id}`, 'name=Books')).code, 0);
  key = await issued(id, all);
  reader = await issued(id, 'payments:read');
  other = await merchant('Shoes', all);
  await receiver.up();
  const events = 'intent.created,intent.confirmed,intent.captured,intent.cancelled';
  secret = await space.receiver(receiver.url, '--events', events);
  service = await space.serveHere({ declared: true });
});
after(async () => {
  await receiver[Symbol.asyncDispose]();
  await space[Symbol.asyncDispose]();
});

type Body = Record<string, unknown>;

async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}, as = key) {
  const answer = await service.request(method, path, { key: as, body, headers });
  return { status: answer.status, body: answer.body as Body, headers: answer.headers };
}

const once = (): Record<string, string> => ({ 'idempotency-key': randomUUID() });

async function opened(fields: Body = {}): Promise<string> {
  const made = await ask('POST', '/intents', { amount: 1250, currency: 'chf', method: 'card', ...fields }, once());
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return String(made.body.id);
}

async function captured(amount: number): Promise<string> {
  const id = await opened({ amount });
  assert.equal((await ask('POST', `/intents/${id}/confirm`, undefined, once())).status, 200);
  assert.equal((await ask('POST', `/intents/${id}/capture`, undefined, once())).status, 200);
  return id;
}

test('a payment is opened once however often it is asked for, and goes from state to state', async () => {
  const headers = once();
  const body = { amount: 1250, currency: 'chf', metadata: { order: '7', note: 'two books' } };
  const [first, again] = [await ask('POST', '/intents', body, headers), await ask('POST', '/intents', body, headers)];
  assert.deepEqual([first.status, again.status, again.body], [201, 201, first.body]);
  assert.deepEqual(first.body.metadata, { note: 'two books', order: '7' });
  assert.equal((await ask('POST', '/intents', { ...body, amount: 1 }, headers)).status, 422);
  const path = `/intents/${first.body.id}`;
  assert.equal((await ask('POST', `${path}/confirm`, undefined, once())).body.code, 'method_missing');
  const { headers: shown } = await ask('GET', path);
  const tag = { 'if-match': shown.get('etag') ?? '' };
  const changed = await ask('PATCH', path, { method: 'card', metadata: { note: null, clerk: 'Mo' } }, tag);
  assert.equal(changed.status, 200);
  assert.deepEqual(changed.body.metadata, { clerk: 'Mo', order: '7' });
  assert.equal((await ask('PATCH', path, { amount: 99 }, tag)).body.code, 'changed');
  assert.equal((await ask('POST', `${path}/capture`, undefined, once())).body.code, 'not_authorised');
  assert.equal((await ask('POST', `${path}/confirm`, undefined, once())).body.status, 'authorised');
  assert.equal((await ask('POST', `${path}/capture`, undefined, once())).body.status, 'captured');
  assert.equal((await ask('POST', `${path}/cancel`)).body.code, 'intent_over');
});

test('no more is given back than was paid, also where refunds race', async () => {
  const id = await captured(1000);
  const refund = (amount: number) => ask('POST', '/refunds', { intent: id, amount, reason: 'asked_for' }, once());
  assert.equal((await refund(400)).status, 201);
  assert.equal((await refund(601)).body.code, 'refund_too_large');
  const raced = await Promise.all(Array.from({ length: 20 }, () => refund(100)));
  assert.equal(raced.filter((one) => one.status === 201).length, 6);
  assert.equal(raced.filter((one) => one.body.code === 'refund_too_large').length, 14);
  const listed = await ask('GET', `/intents/${id}/refunds`);
  assert.equal(listed.body.refundable, 0);
  assert.equal(
    (listed.body.refunds as Body[]).reduce((sum, one) => sum + Number(one.amount), 0),
    1000,
  );
  assert.equal(
    (await ask('POST', '/refunds', { intent: await opened(), amount: 1 }, once())).body.code,
    'not_captured',
  );
});

test('each merchant sees its own, and a key does what its scopes say', async () => {
  const id = await captured(5000);
  assert.equal((await ask('GET', `/intents/${id}`, undefined, {}, other)).status, 404);
  const stolen = await ask('POST', '/refunds', { intent: id, amount: 1 }, once(), other);
  assert.deepEqual([stolen.status, stolen.body.code], [422, 'reference_unknown']);
  assert.deepEqual((await ask('GET', '/balance', undefined, {}, other)).body, { intents: 0, captured: 0, refunded: 0 });
  const balance = (await ask('GET', '/balance', undefined, {}, reader)).body;
  assert.deepEqual(balance, { intents: 3, captured: 7250, refunded: 1000 });
  assert.equal((await ask('POST', `/intents/${id}/cancel`, undefined, {}, reader)).status, 403);
  const page = await ask('GET', '/intents?status=captured&limit=2');
  assert.deepEqual([(page.body.data as Body[]).length, page.body.more], [2, true]);
  const rest = await ask('GET', `/intents?status=captured&limit=2&after=${page.body.next}`);
  assert.deepEqual([(rest.body.data as Body[]).length, rest.body.more], [1, false]);
});

test('an older version names the method as it did, and knows no metadata', async () => {
  const old = { 'payments-version': '2025-03-01' };
  const made = await ask(
    'POST',
    '/intents',
    { amount: 60, currency: 'eur', payment_method: 'transfer' },
    { ...once(), ...old },
  );
  assert.deepEqual([made.status, made.body.payment_method, 'metadata' in made.body], [201, 'transfer', false]);
  assert.ok(made.headers.get('deprecation'));
  const current = await ask('GET', `/intents/${made.body.id}`);
  assert.deepEqual([current.body.method, current.body.metadata], ['transfer', {}]);
  assert.equal((await ask('GET', '/intents', undefined, { 'payments-version': '2019-01-01' })).status, 400);
});

test('the merchant’s system hears of each step in order, signed', async () => {
  const id = await captured(777);
  const of = () => receiver.accepted.filter((got) => got.data.id === id).map((got) => got.type);
  await until(() => of().length === 3, 'three events of the payment');
  assert.deepEqual(of(), ['intent.created', 'intent.confirmed', 'intent.captured']);
  assert.equal(receiver.verified(secret).length, receiver.got.length);
});

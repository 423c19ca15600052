import './whole-alone.ts';
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { readCases } from './cases.ts';
import { edited, type Service, until, Workspace } from './harness.ts';
import { Receiver } from './receiver.ts';
import { IN_WHOLE } from './share.ts';

/** The orders document with receivers that customers manage; attempts are a second apart. */
const HOOKS = edited(readCases('src/compiler/events/cases/receivers.md')[0]!.document, [
  'Attempts: 8, after 5 seconds, 5 minutes, 30 minutes,',
  'Attempts: 8, after 1 second, 1 second, 1 second,',
]);

const SERVE = { args: ['--allow-private'] };

interface Hook {
  readonly id: string;
  readonly secret: string;
}

async function hooked(service: Service, key: string, url: string, events: readonly string[]): Promise<Hook> {
  const answer = await service.request('POST', '/hooks', { key, body: { url, events } });
  assert.equal(answer.status, 201, answer.text);
  return answer.body as Hook;
}

const pending = (space: Workspace): number =>
  space.select<{ n: number }>(`SELECT count(*) AS n FROM ninefold_delivery WHERE state = 'pending'`)[0]!.n;

async function whereItIsNow(t: TestContext): Promise<void> {
  await using space = new Workspace(HOOKS);
  await using first = await new Receiver().up();
  await using second = await new Receiver().up();
  const key = await space.key(await space.customer());
  let service = await space.serve(SERVE);
  const { id, secret } = await hooked(service, key, first.url, ['order.opened']);
  first.answer = () => 500;
  await service.opened(key, 'HOO-0001');
  await until(() => first.got.length >= 1, 'a first attempt, which fails');
  first.verified(secret);
  const written = () => space.select('SELECT 1 FROM ninefold_delivery WHERE last_result IS NOT NULL').length === 1;
  await until(written, 'its failure to be written: of an attempt under way, its lease would have to end');
  await service.kill();
  service = await space.serve(SERVE);
  const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const moved = await service.request('PATCH', `/hooks/${id}`, { key, body: { url: second.url, secret: other } });
  assert.equal(moved.status, 204, moved.text);
  await until(() => second.accepted.length === 1, 'the same event at the new address');
  assert.equal(second.got[0]!.id, first.got[0]!.id);
  second.verified(other);
  assert.throws(() => second.verified(secret), 'the old secret signs nothing any more');
  t.diagnostic(`one event, ${first.got.length} attempts at the old address, over a kill, and one at the new`);
}

async function whenItIsGone(): Promise<void> {
  await using space = new Workspace(HOOKS);
  await using receiver = await new Receiver().up();
  const key = await space.key(await space.customer());
  const service = await space.serve(SERVE);
  const gone = await hooked(service, key, receiver.url, ['order.opened']);
  const kept = await hooked(service, key, receiver.url, ['order.opened', 'order.cancelled']);
  receiver.answer = () => 500;
  const order = await service.opened(key, 'HOO-0002');
  await until(() => receiver.got.length >= 2, 'attempts at both');
  assert.equal(pending(space), 2);
  assert.equal((await service.request('DELETE', `/hooks/${gone.id}`, { key })).status, 204);
  assert.equal(pending(space), 1, 'nothing waits for one that is gone');
  receiver.answer = () => 204;
  await service.request('POST', `/orders/${order}/cancel`, { key });
  await until(() => pending(space) === 0, 'the rest');
  const after = receiver.accepted.map(({ type }) => type).sort();
  assert.deepEqual(after, ['order.cancelled', 'order.opened']);
  const { code, err } = await space.cli('receivers', 'list');
  assert.equal(code, 1);
  assert.match(err, /rows of Hook/);
  assert.ok(kept.secret.startsWith('whsec_'));
}

async function privateRefused(): Promise<void> {
  await using space = new Workspace(HOOKS);
  await using receiver = await new Receiver().up();
  const key = await space.key(await space.customer());
  const service = await space.serve();
  for (const url of [receiver.url, `http://localhost:${receiver.port}/`, 'ftp://example.com/', 'urn:x'])
    await hooked(service, key, url, ['order.opened']);
  await service.opened(key, 'HOO-0003');
  const tried = () =>
    space.select<{ reason: string }>('SELECT last_result AS reason FROM ninefold_delivery WHERE attempts > 0');
  await until(() => tried().length === 4, 'an attempt at each');
  const reasons = tried().map(({ reason }) => reason);
  assert.deepEqual(reasons.sort(), [
    'URL not valid',
    'URL not valid',
    'private address refused',
    'private address refused',
  ]);
  assert.equal(receiver.got.length, 0);
}

async function manyOfMany(t: TestContext): Promise<void> {
  await using space = new Workspace(HOOKS);
  await using hers = await new Receiver().up();
  await using his = await new Receiver().up();
  const ada = await space.key(await space.customer());
  const bob = await space.key(await space.customer('Bob'));
  const service = await space.serve(SERVE);
  for (let n = 0; n < 5; n++) {
    await hooked(service, ada, hers.url, ['order.opened']);
    await hooked(service, bob, his.url, ['order.opened', 'order.cancelled']);
  }
  const orders = Array.from({ length: 20 }, (_, n) => `MNY-${String(n).padStart(4, '0')}`);
  await Promise.all(orders.map((sku, n) => service.opened(n % 2 ? ada : bob, sku)));
  await until(() => hers.accepted.length + his.accepted.length >= 100 && pending(space) === 0, 'everything delivered');
  const of = (receiver: Receiver) => [...new Set(receiver.got.map(({ data }) => data.sku as string))].sort();
  assert.deepEqual(
    of(hers),
    orders.filter((_, n) => n % 2),
    'each its own, and nothing else',
  );
  assert.deepEqual(
    of(his),
    orders.filter((_, n) => n % 2 === 0),
  );
  t.diagnostic(`${hers.got.length + his.got.length} deliveries to 10 receivers of two customers`);
}

describe('receivers that are rows', { concurrency: 2 }, () => {
  test('what is pending goes to where a receiver is now, signed with its secret of now', IN_WHOLE, whereItIsNow);
  test('a receiver that is removed gets nothing more', whenItIsGone);
  test('private addresses and other schemes are refused at delivery', IN_WHOLE, privateRefused);
  test('each hears of its owner’s rows alone', manyOfMany);
});

import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import { edited, PATIENT, type Service, until, Workspace } from './harness.ts';
import { type Got, Receiver } from './receiver.ts';
import { IN_WHOLE } from './share.ts';

const STATED = '8, after 5 seconds, 5 minutes, 30 minutes, 2 hours, 5 hours, 10 hours, 14 hours';

/** The orders document with other attempts: `count` of them, a second apart, each of at most `each`. */
const attempts = (count: number, each = '15 seconds'): string =>
  edited(
    PATIENT,
    [
      `Attempts: ${STATED}`,
      `Attempts: ${count}, after ${Array(count - 1)
        .fill('1 second')
        .join(', ')}`,
    ],
    ['Time-out: 15 seconds', `Time-out: ${each}`],
  );

interface Listed {
  readonly event: string;
  readonly type: string;
  readonly state: string;
  readonly attempts: number;
  readonly lastResult: string | null;
}

const listed = async (space: Workspace): Promise<Listed[]> =>
  JSON.parse((await space.cli('events', 'list', '--json')).out) as Listed[];

/** Opens, places and cancels orders: three events each, told in this order. */
async function lives(service: Service, key: string, count: number, from = 0): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const id = await service.opened(key, `WEB-${String(from + n).padStart(4, '0')}`);
      for (const verb of ['place', 'cancel']) {
        const { status } = await service.request('POST', `/orders/${id}/${verb}`, { key });
        assert.equal(status, 200);
      }
      return id;
    }),
  );
}

/** Every event came at least once, under its own id, and no later one of a row before an earlier one was taken. */
function mustBeInOrder(space: Workspace, receiver: Receiver): void {
  const events = space.select<{ id: string; type: string; row: string }>(
    'SELECT id, type, row FROM ninefold_event ORDER BY seq',
  );
  const accepted = new Set<string>();
  const line = new Map<string, string[]>();
  for (const { id, row } of events) line.set(row, [...(line.get(row) ?? []), id]);
  for (const { id, type, data, status } of receiver.got) {
    const known = events.find((event) => event.id === id);
    assert.deepEqual([known?.type, known?.row], [type, data.id], 'webhook-id is the event’s, at every attempt');
    const ids = line.get(data.id as string)!;
    const before = ids.slice(0, ids.indexOf(id));
    assert.ok(
      before.every((one) => accepted.has(one)),
      `${type} came before what happened earlier was taken`,
    );
    if (status !== null && status < 300) accepted.add(id);
  }
  assert.deepEqual([...accepted].sort(), events.map(({ id }) => id).sort(), 'every event was delivered');
}

const pending = (space: Workspace): number =>
  space.select<{ n: number }>(`SELECT count(*) AS n FROM ninefold_delivery WHERE state <> 'delivered'`)[0]!.n;

async function outage(t: TestContext): Promise<void> {
  await using space = new Workspace(attempts(40));
  await using receiver = await new Receiver().up();
  const key = await space.key(await space.customer());
  const secret = await space.receiver(receiver.url);
  let service = await space.serve();
  receiver.answer = ({ id }) => (receiver.got.filter((one) => one.id === id).length > 1 ? 204 : 500);
  await lives(service, key, 10);
  await until(() => receiver.got.length >= 10, 'first attempts that fail');
  await receiver.down();
  const seen = () => space.select(`SELECT 1 FROM ninefold_delivery WHERE last_result = 'connection refused'`).length;
  await lives(service, key, 10, 10);
  await until(() => seen() >= 10, 'attempts that find nobody');
  await service.kill();
  const before = pending(space);
  service = await space.serve();
  await lives(service, key, 5, 20);
  await receiver.up();
  await until(() => pending(space) === 0, 'everything delivered');
  mustBeInOrder(space, receiver);
  assert.equal(receiver.verified(secret).length, receiver.got.length);
  const { got, accepted } = receiver;
  assert.equal(new Set(accepted.map(({ id }) => id)).size, 75);
  t.diagnostic(
    `75 events, ${before} pending at the kill: ${got.length} attempts that arrived, ${accepted.length} accepted`,
  );
}

async function killedMidway(t: TestContext): Promise<void> {
  await using space = new Workspace(attempts(40, '1 second'));
  await using receiver = await new Receiver().up();
  const key = await space.key(await space.customer());
  const secret = await space.receiver(receiver.url);
  let service = await space.serve();
  const hung = Promise.withResolvers<number>();
  receiver.answer = () => hung.promise;
  const id = await service.opened(key, 'WEB-1000');
  await until(() => receiver.got.length === 1, 'a delivery under way');
  await service.kill();
  hung.resolve(500);
  receiver.answer = () => 204;
  service = await space.serve();
  await service.request('POST', `/orders/${id}/place`, { key });
  await until(() => pending(space) === 0, 'everything delivered');
  mustBeInOrder(space, receiver);
  receiver.verified(secret);
  assert.equal(receiver.got[1]!.id, receiver.got[0]!.id);
  t.diagnostic(
    `delivered again ${((receiver.got[1]!.at - receiver.got[0]!.at) / 1000).toFixed(1)} s after the attempt that was cut off`,
  );
}

async function slowOne(t: TestContext): Promise<void> {
  await using space = new Workspace(PATIENT);
  await using slow = await new Receiver().up();
  await using fast = await new Receiver().up();
  const key = await space.key(await space.customer());
  await space.receiver(slow.url);
  await space.receiver(fast.url);
  const service = await space.serve();
  const late = Promise.withResolvers<number>();
  slow.answer = () => late.promise;
  await lives(service, key, 20);
  await until(() => fast.accepted.length === 60, 'all of the fast one’s');
  assert.equal(slow.accepted.length, 0, 'before the slow one has answered anything');
  mustBeInOrder(space, fast);
  const waiting = slow.got.length;
  late.resolve(204);
  await until(() => slow.accepted.length === 60, 'all of the slow one’s');
  mustBeInOrder(space, slow);
  t.diagnostic(`60 events delivered to one receiver while another kept ${waiting} waiting`);
}

async function manySlow(t: TestContext): Promise<void> {
  await using space = new Workspace(PATIENT);
  await using slow = await new Receiver().up();
  await using fast = await new Receiver().up();
  const key = await space.key(await space.customer());
  // Enough of them to take every place that the dispatcher has.
  const registered = 9;
  for (let n = 0; n < registered; n++) await space.receiver(slow.url, '--events', 'order.opened');
  await space.receiver(fast.url, '--events', 'order.placed');
  const service = await space.serve();
  const late = Promise.withResolvers<number>();
  slow.answer = () => late.promise;
  const ids = await Promise.all(Array.from({ length: 10 }, (_, n) => service.opened(key, `WEB-600${n}`)));
  await until(() => slow.got.length >= 64, 'every place taken');
  for (const id of ids) await service.request('POST', `/orders/${id}/place`, { key });
  await until(() => fast.accepted.length === ids.length, 'all of the fast one’s');
  const settled = space.select(`SELECT 1 FROM ninefold_delivery d JOIN ninefold_event e ON e.seq = d.event
    WHERE e.type = 'order.opened' AND d.attempts > 0`);
  assert.deepEqual(settled, [], 'before the slow ones have answered, or run out of time');
  const waiting = slow.got.length;
  late.resolve(204);
  t.diagnostic(`${registered} slow receivers kept ${waiting} waiting while another got its ${ids.length}`);
}

async function statedRetry(t: TestContext): Promise<void> {
  await using space = new Workspace(PATIENT);
  await using receiver = await new Receiver().up();
  const key = await space.key(await space.customer());
  const secret = await space.receiver(receiver.url);
  const service = await space.serve();
  receiver.answer = () => (receiver.got.length === 1 ? 302 : 204);
  await service.opened(key, 'WEB-2000');
  const failed = await until(
    () =>
      space.select<{ due: number; last_at: number }>(
        'SELECT due, last_at FROM ninefold_delivery WHERE attempts = 1',
      )[0],
    'a first attempt that fails',
  );
  assert.equal(failed.due - failed.last_at, 5000, 'the document states 5 seconds');
  await until(() => pending(space) === 0, 'the second attempt');
  const [first, second] = receiver.got as [Got, Got];
  assert.ok(second.at >= failed.due, 'it does not come early');
  assert.deepEqual([second.id, second.body], [first.id, first.body]);
  receiver.verified(secret);
  t.diagnostic(`the second attempt came ${second.at - first.at} ms after the first`);
}

async function privateRefused(t: TestContext): Promise<void> {
  await using space = new Workspace(PATIENT);
  await using receiver = await new Receiver().up();
  const key = await space.key(await space.customer());
  const { port } = receiver;
  const literal = ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0x7f.1', '2130706433', '169.254.169.254'];
  for (const host of literal) {
    const ran = await space.cli('receivers', 'add', `http://${host}:${port}/`, '--events', 'order.opened');
    assert.deepEqual([host, ran.code, ran.out], [host, 1, '']);
    assert.match(ran.err, /--allow-private/);
  }
  // What a name stands for is known only at delivery, and so is a receiver that was allowed and no longer is.
  const names = ['hooks.localhost', 'localhost.', hostname()];
  for (const host of names) {
    const ran = await space.cli('receivers', 'add', `http://${host}:${port}/`, '--events', 'order.opened');
    assert.equal(ran.code, 0, ran.err);
  }
  for (const host of ['127.0.0.1', 'localhost']) await space.receiver(`http://${host}:${port}/`);
  const db = new Database(join(space.data, 'ninefold.sqlite'));
  db.exec('UPDATE ninefold_receiver SET allow_private = 0');
  db.close();
  const service = await space.serve();
  await service.opened(key, 'WEB-3000');
  const count = names.length + 2;
  await until(() => space.select('SELECT 1 FROM ninefold_delivery WHERE attempts = 1').length === count, 'attempts');
  const results = space.select<{ last_result: string }>('SELECT DISTINCT last_result FROM ninefold_delivery');
  assert.equal(results.length, 1);
  assert.match(results[0]!.last_result, /private/);
  assert.deepEqual(receiver.got, []);
  t.diagnostic(`${literal.length} refused when added; ${count} at delivery: ${results[0]!.last_result}`);
}

async function inVersion(): Promise<void> {
  await using space = new Workspace(PATIENT);
  await using receiver = await new Receiver().up();
  await using current = await new Receiver().up();
  const key = await space.key(await space.customer());
  const secret = await space.receiver(receiver.url, '--version', '2025-06-01', '--events', 'order.opened');
  await space.receiver(current.url);
  for (const version of ['2024-12-01', '2020-01-01'])
    assert.equal(
      (await space.cli('receivers', 'add', 'http://example.com/', '--events', 'order.opened', '--version', version))
        .code,
      2,
    );
  const service = await space.serve();
  const id = await service.opened(key, 'WEB-4000', { note: 'not in the old version' });
  await service.request('POST', `/orders/${id}/place`, { key });
  await until(() => pending(space) === 0, 'everything delivered');
  const [old] = receiver.verified(secret) as [{ type: string; data: Record<string, unknown> }];
  assert.equal(receiver.got.length, 1, 'only the events that it was registered for');
  assert.deepEqual(Object.keys(old.data), ['id', 'customer', 'product', 'quantity', 'status', 'created']);
  assert.equal(old.data.product, 'WEB-4000');
  const opened = current.got.find(({ type }) => type === 'order.opened')!;
  assert.deepEqual([opened.data.sku, opened.data.note], ['WEB-4000', 'not in the old version']);
  assert.equal(receiver.got[0]!.id, opened.id, 'it is the same event');
}

async function givenUp(): Promise<void> {
  await using space = new Workspace(attempts(2));
  await using receiver = await new Receiver().up();
  const key = await space.key(await space.customer());
  const secret = await space.receiver(receiver.url);
  const service = await space.serve();
  receiver.answer = ({ type }) => (type === 'order.opened' ? 500 : 204);
  const id = await service.opened(key, 'WEB-5000');
  await service.request('POST', `/orders/${id}/place`, { key });
  const [opened, placed] = (await until(async () => {
    const all = await listed(space);
    return all.every(({ state }) => state !== 'pending') && all;
  }, 'both settled')) as [Listed, Listed];
  assert.deepEqual([opened.type, opened.state, opened.attempts], ['order.opened', 'given up', 2]);
  assert.deepEqual([placed.type, placed.state, placed.attempts], ['order.placed', 'delivered', 1]);
  assert.deepEqual(
    receiver.got.map(({ type }) => type),
    ['order.opened', 'order.opened', 'order.placed'],
    'held back until then',
  );
  receiver.answer = () => 200;
  assert.equal((await space.cli('events', 'replay', opened.event)).code, 0);
  await until(() => pending(space) === 0, 'the replay');
  assert.deepEqual(
    [receiver.got.length, receiver.got[3]!.id, receiver.got[3]!.body],
    [4, opened.event, receiver.got[0]!.body],
  );
  const again = JSON.parse((await space.cli('events', 'replay', placed.event, '--json')).out) as { deliveries: number };
  assert.equal(again.deliveries, 1);
  await until(() => receiver.got.length === 5 && pending(space) === 0, 'the other replay');
  assert.equal(receiver.got[4]!.id, placed.event);
  receiver.verified(secret);
  assert.equal((await space.cli('events', 'replay', 'evt_none')).code, 1);
}

async function inNoOrder(): Promise<void> {
  await using space = new Workspace(edited(attempts(2), ['Order: per Order', 'Order: none']));
  await using receiver = await new Receiver().up();
  const key = await space.key(await space.customer());
  await space.receiver(receiver.url);
  const service = await space.serve();
  const held = Promise.withResolvers<number>();
  receiver.answer = ({ type }) => (type === 'order.opened' ? held.promise : 204);
  const id = await service.opened(key, 'WEB-7000');
  await until(() => receiver.got.length === 1, 'the first attempt at the first event');
  await service.request('POST', `/orders/${id}/place`, { key });
  await until(() => receiver.accepted.length === 1, 'a later event of the same row');
  assert.equal(receiver.accepted[0]!.type, 'order.placed', 'while the earlier one is not answered');
  held.resolve(204);
  await until(() => pending(space) === 0, 'everything delivered');
}

describe('webhooks', { concurrency: 3 }, () => {
  test(
    'a receiver that is down, and a service that is killed meanwhile, lose nothing and keep the order',
    IN_WHOLE,
    outage,
  );
  test('a service that is killed in the middle of a delivery makes it again', IN_WHOLE, killedMidway);
  test('a slow receiver does not hold up another', IN_WHOLE, slowOne);
  test('slow receivers that take every place do not hold up another', IN_WHOLE, manySlow);
  test('the first retry comes after the time that the document states', IN_WHOLE, statedRetry);
  test('a private address is refused at delivery, whatever it is called', privateRefused);
  test('in no order, an event that is not taken holds up no other of its row', IN_WHOLE, inNoOrder);
  test('payloads bear the names of the receiver’s version', IN_WHOLE, inVersion);
  test('a delivery given up lets the next go, and can be replayed', givenUp);
});

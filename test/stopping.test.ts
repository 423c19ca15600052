import './whole-alone.ts';
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { edited, ORDERS, RAISED, until, Workspace } from './harness.ts';
import { Line } from './line.ts';
import { IN_WHOLE } from './share.ts';
import { isRead } from './unread.ts';

/** How many lists are asked for at once: several times what a socket takes in that nobody reads. */
const LISTS = 200;

test(
  'a stop cuts off no answer that a slow client is still taking in, and closes what owes none',
  IN_WHOLE,
  async (t) => {
    await using space = new Workspace(RAISED);
    const key = await space.key(await space.customer());
    const service = await space.serve();
    const note = 'n'.repeat(500);
    const open = async (_: unknown, n: number): Promise<void> => {
      const { status } = await service.open(key, { sku: `AAA-${String(n).padStart(4, '0')}`, quantity: 1, note });
      assert.equal(status, 201);
    };
    await Promise.all(Array.from({ length: 100 }, open));
    const ask = `GET /orders?limit=100 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`;
    const idle = new Line(service.url);
    assert.equal((await idle.exchange(ask, 'GET')).status, 200);
    const slow = new Line(service.url);
    slow.socket.pause();
    slow.write(ask.repeat(LISTS));
    await sleep(500);
    const stopped = service.stop();
    await sleep(300);
    slow.socket.resume();
    let whole = 0;
    for (let rest = await slow.untilEnd(); rest; ) {
      const [head = ''] = rest.split('\r\n\r\n', 1);
      const end = head.length + 4 + Number(/^content-length: (\d+)$/im.exec(head)![1]);
      assert.ok(rest.length >= end, `${rest.length} of ${end} bytes`);
      if (head.startsWith('HTTP/1.1 200')) whole++;
      rest = rest.slice(end);
    }
    assert.ok(whole > 0);
    t.diagnostic(`${whole} lists taken in whole`);
    assert.equal(await idle.untilEnd(), '');
    assert.equal(await stopped, 0);
    idle.close();
    slow.close();
  },
);

test('a stop lets a request end that has all the time there is', async () => {
  await using space = new Workspace(edited(RAISED, ['| Time-out     | 5 seconds  ', '| Time-out     | 365,000 days']));
  const key = await space.key(await space.customer());
  const service = await space.serve();
  const line = new Line(service.url);
  const body = '{"sku":"AAA-0001","quantity":1}';
  const head = `Authorization: Bearer ${key}\r\nIdempotency-Key: k\r\nContent-Type: application/json`;
  line.write(`POST /orders HTTP/1.1\r\nHost: a\r\n${head}\r\nContent-Length: ${body.length}\r\n\r\n{`);
  await sleep(300);
  const stopped = service.stop();
  await sleep(500);
  line.write(body.slice(1));
  assert.match(await line.untilEnd(), /^HTTP\/1.1 201 /);
  assert.equal(await stopped, 0, service.err);
  assert.doesNotMatch(service.err, /Warning/);
  line.close();
});

/** Another process in the midst of a change of its own. */
function writing(space: Workspace): { over(): void } {
  const other = new Database(join(space.data, 'ninefold.sqlite'));
  other.exec('BEGIN IMMEDIATE');
  return { over: () => other.close() };
}

test(
  'a stop while another process writes says what it could not keep, and is a stop nevertheless',
  IN_WHOLE,
  async () => {
    await using space = new Workspace(RAISED);
    const key = await space.key(await space.customer());
    const service = await space.serve();
    assert.equal((await service.request('GET', '/summary', { key })).status, 200);
    const other = writing(space);
    assert.equal(await service.stop(), 0, service.err);
    assert.match(service.err, /"message":"database is locked"/);
    other.over();
  },
);

test('a document is taken up though the one before cannot be closed in good order', IN_WHOLE, async () => {
  await using space = new Workspace(RAISED);
  const key = await space.key(await space.customer());
  const service = await space.serve({ args: ['--watch'] });
  const head = `POST /orders HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nIdempotency-Key: a\r\n`;
  const slow = new Line(service.url);
  slow.write(`${head}Content-Type: application/json\r\nContent-Length: 40\r\n\r\n{"sku":`);
  await isRead(service.url, slow.socket);
  space.write(edited(RAISED, ['| No such order ', '| There is none ']));
  const title = async (): Promise<string> => (await service.request('GET', '/orders/none', { key })).text;
  await until(async () => (await title()).includes('There is none'), 'the edit in force');
  // The request whose body doesn’t come has its time; the document before it ends only then.
  const other = writing(space);
  await until(() => service.out.includes('The new document is served'), 'the edit served');
  other.over();
  await sleep(1500);
  assert.equal((await service.request('GET', '/summary', { key })).status, 200);
  slow.close();
  assert.equal(await service.stop(), 0, service.err);
});

for (const [first, second] of [
  ['SIGTERM', 'SIGINT'],
  ['SIGINT', 'SIGTERM'],
  ['SIGTERM', 'SIGHUP'],
  ['SIGTERM', 'SIGTERM'],
] as const)
  test(
    `a ${second} after a ${first} ends a service at once, and nothing that was acknowledged is lost`,
    IN_WHOLE,
    async () => {
      await using space = new Workspace(RAISED);
      const key = await space.key(await space.customer());
      const service = await space.serve();
      await service.opened(key, 'AAA-0001');
      const slow = new Line(service.url);
      slow.write(`POST /orders HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nIdempotency-Key: a\r\n`);
      slow.write('Content-Type: application/json\r\nContent-Length: 40\r\n\r\n{"sku":');
      await isRead(service.url, slow.socket);
      service.child.kill(first);
      await sleep(300);
      service.child.kill(second);
      assert.equal(await service.ended, 128 + constants.signals[second], service.err);
      slow.close();
      assert.equal(space.select('SELECT sku FROM "order"').length, 1);
      const again = await space.serve();
      assert.equal(await again.stop(), 0);
    },
  );

test(
  'SIGHUP has a service read its document again, and go on with the old one where that has findings',
  IN_WHOLE,
  async () => {
    await using space = new Workspace(RAISED);
    const key = await space.key(await space.customer());
    const service = await space.serve();
    const title = async (): Promise<string> => (await service.request('GET', '/orders/none', { key })).text;
    space.write(edited(RAISED, ['| No such order ', '| There is none ']));
    assert.match(await title(), /No such order/, 'nobody asked for it yet');
    service.child.kill('SIGHUP');
    await until(() => service.out.includes('is read again. It is served.'), 'the document read again');
    assert.match(await title(), /There is none/);
    space.write('# Orders');
    service.child.kill('SIGHUP');
    await until(() => service.err.includes('The last good document is still served'), 'the document refused');
    assert.match(await title(), /There is none/);
    assert.equal(await service.stop(), 0, service.err);
  },
);

test(
  'a service that stops leaves nothing of its lock behind, and one that is killed a lock that nobody holds',
  IN_WHOLE,
  async () => {
    await using space = new Workspace(RAISED);
    const service = await space.serve();
    assert.equal(await service.stop(), 0, service.err);
    assert.deepEqual(
      readdirSync(space.data).filter((name) => name.startsWith('serving.lock')),
      [],
    );
    const killed = await space.serve();
    await killed.kill();
    assert.deepEqual(
      readdirSync(space.data).filter((name) => name.startsWith('serving.lock')),
      ['serving.lock'],
    );
  },
);

test('the same signal twice in one moment, as npm passes it on, is one', IN_WHOLE, async () => {
  await using space = new Workspace(RAISED);
  const key = await space.key(await space.customer());
  const service = await space.serve();
  const slow = new Line(service.url);
  slow.write(`POST /orders HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nIdempotency-Key: a\r\n`);
  slow.write('Content-Type: application/json\r\nContent-Length: 40\r\n\r\n{"sku":');
  await isRead(service.url, slow.socket);
  service.child.kill('SIGINT');
  await sleep(10);
  service.child.kill('SIGINT');
  assert.equal(await service.ended, 0, service.err);
  slow.close();
});

test('a service goes on when whoever reads its log has gone, and stops in good order', async () => {
  await using space = new Workspace(ORDERS);
  const key = await space.key(await space.customer());
  const service = await space.serve();
  service.child.stderr!.destroy();
  service.child.stdout!.destroy();
  // Each is a line of the log: the first ones find out, and the others come after that.
  for (let i = 0; i < 5; i++) {
    assert.equal((await service.request('GET', '/orders', { key })).status, 200);
    await sleep(60);
  }
  assert.equal(await service.stop(), 0);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { RAISED, Workspace } from './harness.ts';
import { Line } from './invention/wire.ts';

/** How many lists are asked for at once: several times what a socket takes in that nobody reads. */
const LISTS = 200;

test('a stop cuts off no answer that a slow client is still taking in, and closes what owes none', async (t) => {
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
});

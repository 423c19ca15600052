import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Box, numbers, receive, run, settled, until } from './harness.test.ts';

test('a store that is away for a while ends nothing, and nothing is delivered twice for it', async (t) => {
  const box = new Box();
  const receiver = await receive(t, 'r');
  for (const index of numbers(3)) box.add(receiver.of, `row ${index}`);
  box.failLeases = 3;
  box.failSettles = 4;
  const { events, lines } = run(t, box);
  await until(() => settled(box));
  assert.equal(events().filter((event) => event === 'webhook.lease_failed').length, 3);
  assert.equal(events().filter((event) => event === 'webhook.settle_failed').length, 4);
  assert.equal(lines[0]?.fields.error, 'the store is away');
  assert.deepEqual(receiver.ids().sort(), ['msg_1', 'msg_2', 'msg_3']);
});

test('a failure after the end of its lease is left to whoever has it now', async (t) => {
  const box = new Box();
  let offset = 0;
  const receiver = await receive(t, 'r', (response, _, hits) => {
    if (hits === 1) offset = 3_600_000;
    response.writeHead(hits === 1 ? 500 : 200).end();
  });
  const entry = box.add(receiver.of, 'a');
  // A long interval: another read would lease the running attempt again, and the failure would be settled under the new
  // lease.
  const { events } = run(t, box, { delays: [10] }, { now: () => Date.now() + offset, pollMs: 60_000 });
  await until(() => settled(box));
  assert.deepEqual(
    entry.outcomes.map((one) => one.kind),
    ['delivered'],
  );
  // Outcomes are logged a moment after they are stored.
  await until(() => events().length === 2);
  assert.deepEqual(events(), ['webhook.lease_ended', 'webhook.delivered']);
});

test('what is told to have been leased once the lease is over is not sent: another has delivered it, and the next', async (t) => {
  const box = new Box();
  let offset = 0;
  const now = () => Date.now() + offset;
  const receiver = await receive(t, 'r');
  for (const _ of numbers(3)) box.add(receiver.of, 'a');
  const { promise, resolve } = Promise.withResolvers<void>();
  box.held = promise;
  const first = run(t, box, {}, { now });
  await until(() => box.leases === 1);
  offset = 60_000;
  run(t, box, {}, { now });
  await until(() => settled(box));
  resolve();
  await until(() => first.events().length > 0);
  assert.deepEqual(first.events(), ['webhook.lease_ended']);
  assert.deepEqual(receiver.ids(), ['msg_1', 'msg_2', 'msg_3']);
});

test('an outcome that comes after another has the lease settles nothing, so that the next of its row waits', async (t) => {
  const box = new Box();
  let offset = 0;
  const now = () => Date.now() + offset;
  const answers: Array<() => void> = [];
  const receiver = await receive(t, 'r', (response) => void answers.push(() => response.writeHead(204).end()));
  for (const _ of numbers(2)) box.add(receiver.of, 'a');
  const first = run(t, box, { timeout: 60_000 }, { now, pollMs: 60_000 });
  await until(() => answers.length === 1);
  offset = 3_600_000;
  const second = run(t, box, { timeout: 60_000 }, { now });
  await until(() => answers.length === 2);
  answers[0]!();
  await until(() => first.events().length > 0);
  await sleep(50);
  assert.deepEqual(first.events(), ['webhook.lease_ended']);
  assert.deepEqual(receiver.ids(), ['msg_1', 'msg_1']);
  answers[1]!();
  await until(() => answers.length === 3);
  answers[2]!();
  await until(() => settled(box));
  assert.deepEqual(receiver.ids(), ['msg_1', 'msg_1', 'msg_2']);
  await until(() => second.events().length === 2);
  assert.deepEqual(second.events(), ['webhook.delivered', 'webhook.delivered']);
});

test('what another has leased a moment ago by a clock that is a little ahead is not recalled', async (t) => {
  const box = new Box();
  const receiver = await receive(t, 'r', () => undefined);
  box.add(receiver.of, 'a');
  run(t, box, { timeout: 60_000 }, { now: () => Date.now() + 300 });
  await until(() => receiver.hits.length === 1);
  const { dispatcher } = run(t, box, { timeout: 60_000 });
  await until(() => box.nexts > 2);
  await dispatcher.stop(0);
  assert.deepEqual(receiver.ids(), ['msg_1']);
});

test('a clock that goes back, before the start or while it runs, keeps nothing waiting', async (t) => {
  const HOURS = 5 * 3_600_000;
  const box = new Box();
  let offset = 0;
  const receiver = await receive(t, 'r', (response, _, hits) => {
    if (hits === 2) offset = -HOURS;
    response.writeHead(hits <= 2 ? 503 : 200).end();
  });
  // Deliveries that an earlier process scheduled for times that are now hours away.
  box.add(receiver.of, 'a').dueAt = Date.now() + HOURS;
  box.add(receiver.of, 'b').leasedUntil = Date.now() + HOURS;
  run(t, box, { delays: [30, 30, 2 * HOURS] }, { now: () => Date.now() + offset, pollMs: 20 });
  await until(() => settled(box));
  assert.ok(box.entries.every(({ outcomes }) => outcomes.at(-1)?.kind === 'delivered'));
});

test('a slow store is asked by one look at a time, and asked again for what was added meanwhile', async (t) => {
  const box = new Box();
  const receiver = await receive(t, 'r');
  box.takesMs = 40;
  const { dispatcher } = run(t, box, {}, { pollMs: 60_000 });
  await until(() => box.leases === 1);
  box.add(receiver.of, 'a');
  dispatcher.wake();
  await until(() => settled(box));
  const asked = box.nexts;
  dispatcher.wake();
  await until(() => box.nexts > asked);
  box.add(receiver.of, 'b');
  dispatcher.wake();
  await until(() => settled(box));
  box.add(receiver.of, 'c');
  const before = box.leases;
  dispatcher.wake();
  await until(() => box.leases > before);
  await dispatcher.stop();
  assert.deepEqual(receiver.ids(), ['msg_1', 'msg_2', 'msg_3']);
  assert.ok(settled(box));
  assert.equal(box.mostLeases, 1);
});

test('what is under way is not begun again, even when the store leases it again', async (t) => {
  const box = new Box();
  let offset = 0;
  const receiver = await receive(t, 'r', (response) => {
    offset = 3_600_000;
    setTimeout(() => response.writeHead(200).end(), 150);
  });
  box.add(receiver.of, 'a');
  run(t, box, {}, { now: () => Date.now() + offset });
  await until(() => settled(box));
  assert.equal(receiver.hits.length, 1);
});

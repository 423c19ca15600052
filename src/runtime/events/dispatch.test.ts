import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { Box, numbers, ok, receive, run, settled, until } from './harness.test.ts';

test('delivers the stored payload, signed, with the headers of the standard', async (t) => {
  const box = new Box();
  const receiver = await receive(t, 'r');
  const data = '{"id": 1,  "name":"Zoë \\u0000 🦉","total":10.50}';
  const entry = box.add(receiver.of, 'row', data);
  const { lines } = run(t, box);
  await until(() => settled(box));
  const hit = receiver.hits[0] ?? assert.fail('nothing received');
  assert.equal(hit.body, `{"type":"order.placed","timestamp":"2026-11-20T18:00:00Z","data":${data}}`);
  new Webhook(receiver.of.secret).verify(hit.body, hit.headers);
  assert.equal(hit.headers['content-type'], 'application/json');
  assert.equal(hit.headers['webhook-id'], 'msg_1');
  assert.ok(Math.abs(Number(hit.headers['webhook-timestamp']) - hit.at / 1000) < 2);
  assert.equal(receiver.hits.length, 1);
  assert.deepEqual(
    entry.outcomes.map(({ at: _, attempts: __, ...rest }) => rest),
    [{ kind: 'delivered', status: 204 }],
  );
  assert.deepEqual(
    lines.map(({ level, event, fields }) => [level, event, fields]),
    [
      [
        'info',
        'webhook.delivered',
        { delivery: 1, webhookId: 'msg_1', type: 'order.placed', receiver: 'r', attempt: 1, status: 204 },
      ],
    ],
  );
});

test('a failure is tried again with the same id, a new time and signature, and holds back its row alone', async (t) => {
  const box = new Box();
  const clock = { offset: 0 };
  let held = (): void => {};
  const receiver = await receive(t, 'r', (response, hit, hits) => {
    const answer = (): void => {
      response.writeHead(hit.headers['webhook-id'] === 'msg_1' && hits < 4 ? 500 : 200).end();
    };
    if (hits === 1) held = answer;
    else {
      // Later attempts are so much later, however soon they come.
      clock.offset = 2000;
      if (hits === 2) held();
      answer();
    }
  });
  box.add(receiver.of, 'a');
  box.add(receiver.of, 'a');
  box.add(receiver.of, 'b');
  const { lines } = run(t, box, { delays: [60, 60, 60] }, { now: () => Date.now() + clock.offset });
  await until(() => settled(box));
  assert.deepEqual(receiver.ids().slice(0, 2).sort(), ['msg_1', 'msg_3']);
  const later = receiver.ids().slice(2);
  assert.ok(later.length >= 3 && later.at(-1) === 'msg_2' && !later.slice(0, -1).includes('msg_2'), later.join());
  const tries = receiver.hits.filter((hit) => hit.headers['webhook-id'] === 'msg_1');
  for (const hit of tries) new Webhook(receiver.of.secret).verify(hit.body, hit.headers);
  assert.notEqual(tries[0]?.headers['webhook-signature'], tries[1]?.headers['webhook-signature']);
  assert.equal(lines.find((line) => line.event === 'webhook.failed')?.fields.reason, 'status 500');
});

test('the schedule is kept to the millisecond, and after its last attempt it is given up', async (t) => {
  const box = new Box();
  const receiver = await receive(t, 'r', (response) => response.writeHead(503).end());
  const entry = box.add(receiver.of, 'a');
  const next = box.add(receiver.of, 'a');
  const { lines } = run(t, box, { delays: [40, 90] }, { pollMs: 60_000 });
  await until(() => settled(box));
  for (const { outcomes } of [entry, next]) {
    assert.deepEqual(
      outcomes.map((one) => (one.kind === 'failed' ? [one.reason, one.retryAt && one.retryAt - one.at] : one)),
      [
        ['status 503', 40],
        ['status 503', 90],
        ['status 503', null],
      ],
    );
  }
  const times = receiver.hits.map((hit) => hit.at);
  for (const [index, delay] of [40, 90, 0, 40, 90].entries()) {
    const gap = (times[index + 1] ?? 0) - (times[index] ?? 0);
    assert.ok(gap >= delay && gap < delay + 1000, `${gap} ms`);
  }
  assert.deepEqual(
    lines.map((line) => `${line.level} ${line.event}`),
    [...Array(2)].flatMap(() => ['warn webhook.failed', 'warn webhook.failed', 'error webhook.given_up']),
  );
});

test('a hanging receiver holds up no other, and never gets more than its share', async (t) => {
  const box = new Box();
  const hanging = await receive(t, 'hanging', () => undefined);
  const others = await Promise.all(numbers(3).map((index) => receive(t, `other ${index}`)));
  for (const index of numbers(60)) box.add(hanging.of, `row ${index}`);
  for (const index of numbers(60)) for (const other of others) box.add(other.of, `row ${index}`);
  const { dispatcher } = run(t, box, { timeout: 600_000 }, { perReceiver: 4, total: 10 });
  await until(() => others.every((other) => other.hits.length === 60));
  await until(() => box.entries.filter((entry) => !entry.over).length === 60);
  // There is nothing to take: it looks only as often as it polls, however long this takes.
  const [before, begun] = [box.leases, performance.now()];
  await sleep(200);
  const polls = (performance.now() - begun) / 20;
  assert.ok(box.leases - before <= polls + 3, `${box.leases - before} leases in ${polls} polls`);
  assert.equal(hanging.hits.length, 4);
  for (const other of others) assert.ok(other.most <= 4, `${other.most} at once`);
  await dispatcher.stop(0);
});

test('a hanging receiver is given the next after each time-out', async (t) => {
  const box = new Box();
  const hanging = await receive(t, 'hanging', () => undefined);
  for (const index of numbers(5)) box.add(hanging.of, `row ${index}`);
  run(t, box, { timeout: 60 }, { perReceiver: 2 });
  await until(() => settled(box));
  assert.equal(hanging.most, 2);
  const reasons = box.entries.flatMap((entry) => entry.outcomes.map((one) => one.kind === 'failed' && one.reason));
  assert.deepEqual(reasons, Array(5).fill('timed out after 0.06 s'));
});

test('a receiver that is killed mid-delivery and comes back gets everything, in order', async (t) => {
  const box = new Box();
  const first = await receive(t, 'r', (response, _, hits) => {
    if (hits < 5) response.writeHead(200).end();
    if (hits === 6) first.kill();
  });
  for (const index of numbers(20)) box.add(first.of, `row ${index % 2}`);
  const { lines } = run(t, box, { delays: Array(100).fill(20) });
  const refused = () => lines.some((line) => line.fields.reason === 'connection refused');
  await until(refused);
  const second = await receive(t, 'r', ok, Number(new URL(first.of.url).port));
  await until(() => settled(box));
  assert.deepEqual(
    box.entries.map((entry) => entry.outcomes.at(-1)?.kind),
    Array(20).fill('delivered'),
  );
  assert.ok(lines.some((line) => line.fields.reason === 'connection closed'));
  const ids = [...new Set([...first.ids(), ...second.ids()])].map((id) => Number(id.slice(4)));
  for (const row of [0, 1]) {
    const ofRow = ids.filter((id) => (id - 1) % 2 === row);
    assert.deepEqual(
      ofRow,
      numbers(10).map((index) => index * 2 + 1 + row),
    );
  }
});

test('wake looks at once, and the poll finds what nobody told of', async (t) => {
  const box = new Box();
  const receiver = await receive(t, 'r');
  const { dispatcher } = run(t, box, {}, { pollMs: 60_000 });
  await until(() => box.leases === 1);
  await sleep(20);
  box.add(receiver.of, 'a');
  for (const _ of numbers(1000)) dispatcher.wake();
  await until(() => settled(box));
  assert.ok(box.leases <= 5, `${box.leases} leases`);
  const polled = new Box();
  run(t, polled, {}, { pollMs: 50 });
  await until(() => polled.leases === 1);
  await sleep(20);
  polled.add(receiver.of, 'a');
  await until(() => settled(polled));
});

test('what cannot be sent uses up its attempts, and no secret is logged', async (t) => {
  const box = new Box();
  const receiver = await receive(t, 'r');
  const secret = 'whsec_c2VjcmV0';
  box.add({ ...receiver.of, secret }, 'a');
  box.add({ ...receiver.of, allowPrivate: false }, 'b');
  box.add({ ...receiver.of, url: 'not a URL' }, 'c');
  const { lines } = run(t, box, { delays: [5] });
  await until(() => settled(box));
  const reasons = box.entries.map((entry) => entry.outcomes.map((one) => one.kind === 'failed' && one.reason));
  assert.deepEqual(reasons, [
    ['not sent', 'not sent'],
    ['private address refused', 'private address refused'],
    ['URL not valid', 'URL not valid'],
  ]);
  const logged = JSON.stringify(lines);
  for (const hidden of [secret, secret.slice(6), receiver.of.secret, receiver.of.url]) {
    assert.ok(!logged.includes(hidden));
  }
  assert.equal(receiver.hits.length, 0);
});

test('a log that throws does not end the process, nor the delivering', async (t) => {
  const box = new Box();
  const receiver = await receive(t, 'r');
  for (const index of numbers(20)) box.add(receiver.of, `row ${index}`);
  const log = () => {
    throw new Error('no log');
  };
  run(t, box, {}, { log });
  await until(() => settled(box));
  assert.equal(receiver.hits.length, 20);
});

test('stop waits for what is under way and leases nothing more', async (t) => {
  const box = new Box();
  const receiver = await receive(t, 'r', (response) => {
    setTimeout(() => response.writeHead(200).end(), 100);
  });
  for (const index of numbers(5)) box.add(receiver.of, `row ${index}`);
  const { dispatcher } = run(t, box, {}, { perReceiver: 2 });
  await until(() => receiver.hits.length === 2);
  await dispatcher.stop();
  assert.equal(box.entries.filter((entry) => entry.over).length, 2);
  dispatcher.wake();
  await sleep(60);
  assert.equal(receiver.hits.length, 2);
  dispatcher.start();
  await until(() => settled(box));
  assert.equal(receiver.hits.length, 5);
});

test('stop cuts off what outlasts its grace, unsettled, so that it is delivered after the lease', async (t) => {
  const box = new Box();
  const receiver = await receive(t, 'r', (response, _, hits) => {
    if (hits > 1) response.writeHead(200).end();
  });
  const entry = box.add(receiver.of, 'a');
  const { dispatcher, events } = run(t, box);
  await until(() => receiver.hits.length === 1);
  await dispatcher.stop(50);
  assert.deepEqual(events(), ['webhook.abandoned']);
  await sleep(50);
  assert.deepEqual(entry.outcomes, []);
  assert.ok(entry.leasedUntil > 0, 'it is left to its lease');
  run(t, box, {}, { now: () => Date.now() + 60_000 });
  await until(() => settled(box));
  assert.deepEqual(receiver.ids(), ['msg_1', 'msg_1']);
});

test('many deliveries to one name look it up once at a time', async (t) => {
  const box = new Box();
  const receiver = await receive(t, 'r');
  const url = receiver.of.url.replace('127.0.0.1', 'hook.example');
  for (const index of numbers(8)) box.add({ ...receiver.of, url }, `row ${index}`);
  let asked = 0;
  const lookup = async () => {
    asked += 1;
    return sleep(50, [{ address: '127.0.0.1', family: 4 }]);
  };
  run(t, box, {}, { lookup });
  await until(() => settled(box));
  assert.equal(asked, 1);
  assert.equal(receiver.hits.length, 8);
});

import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PATIENT, type Service, until, Workspace } from '../harness.ts';
import { IN_WHOLE } from '../share.ts';
import { WITH_CHANNEL, WITH_REMARK } from './orders.ts';

const space = new Workspace(PATIENT);
let service: Service;
let key: string;
before(async () => {
  key = await space.key(await space.customer());
});
after(() => space[Symbol.asyncDispose]());

test('what is served next makes the rows there are its own, and says so first', async () => {
  service = await space.serve();
  const id = await service.opened(key, 'MIG-0001', { note: 'first' });
  assert.equal(await service.stop(), 0);
  space.write(WITH_CHANNEL);
  service = await space.serve();
  assert.match(
    service.out,
    /^The rows in \S+ do not have the shape of \S+orders.md yet. Changes:\n {2}Order.channel is added\nDone in \d+ ms.\nOrders \(/,
  );
  const answer = await service.open(key, { sku: 'MIG-0002', quantity: 1, channel: 'web' });
  assert.deepEqual([answer.status, (answer.body as { channel: string }).channel], [201, 'web']);
  const old = await service.request('GET', `/orders/${id}`, { key });
  assert.deepEqual([old.status, (old.body as { note: string }).note], [200, 'first']);
});

test('a command with the old document is refused, and says why', async () => {
  space.write(PATIENT);
  for (const [command, ...words] of [
    ['rows', 'list', 'Order'],
    ['keys', 'list'],
    ['events', 'list'],
  ] as const) {
    const ran = await space.cli(command, ...words);
    assert.equal(ran.code, 3);
    assert.match(
      ran.err,
      /The rows have the shape of another document\. With this document, Order.channel is removed, with its values. Use the document of these rows, or migrate them/,
    );
  }
  const ran = await space.cli('migrate');
  assert.deepEqual(
    [ran.code, ran.err],
    [
      3,
      `error: the store in ${space.data} can’t be used: Another service runs on it. Stop that service, or use another --data.\n`,
    ],
  );
});

test('a document that drops values is not served until that is accepted', async () => {
  assert.equal(await service.stop(), 0);
  space.write(WITH_REMARK);
  const refused = await space.serveRefused('--port', '0');
  assert.equal(refused.code, 1);
  assert.match(
    refused.err,
    /Order.note is removed, with its values: 1 value would be lost. To allow this: --accept "drop Order.note"/,
  );
  assert.match(refused.err, /Order.channel is removed, with its values: 1 value would be lost/);
  const trial = await space.cli(
    'migrate',
    '--dry-run',
    '--json',
    '--accept',
    'drop Order.note',
    '--rename',
    'Order.channel=Order.note',
  );
  assert.equal(trial.code, 2, 'a rename to what the document does not have');
  const dry = await space.cli('migrate', '--dry-run', '--accept', 'drop Order.note', '--accept', 'drop Order.channel');
  assert.deepEqual([dry.code, dry.err], [0, '']);
  space.write(WITH_CHANNEL);
  assert.equal((await space.cli('rows', 'list', 'Order')).code, 0, 'nothing was changed');
});

test('an edit of a document that is watched is taken up with its rows, while requests go on', IN_WHOLE, async () => {
  space.write(PATIENT);
  const data = await space.cli('migrate', '--accept', 'drop Order.channel');
  assert.equal(data.code, 0, data.err);
  service = await space.serve({ args: ['--watch'] });
  const statuses = new Map<number, number>();
  let asking = true;
  const clients = Array.from({ length: 4 }, async (_, client) => {
    for (let i = 0; asking; i++) {
      const sku = `W${'ABCD'[client]}Z-${String(i).padStart(4, '0')}`;
      const { status } = await service.open(key, { sku, quantity: 1 });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  });
  await sleep(300);
  space.write(WITH_CHANNEL);
  await until(() => service.out.includes('has changed. The new document is served'), 'the edit served');
  await sleep(300);
  asking = false;
  await Promise.all(clients);
  assert.deepEqual([...statuses.keys()], [201], 'none of the requests meanwhile was refused or lost');
  const made = space.select<{ n: number }>(`SELECT count(*) AS n FROM "order" WHERE sku GLOB 'W?Z-*'`)[0]!.n;
  assert.equal(made, statuses.get(201));
  const answer = await service.open(key, { sku: 'MIG-0003', quantity: 1, channel: 'post' });
  assert.equal((answer.body as { channel: string }).channel, 'post');
});

test('an edit that drops or narrows keeps the last good document', IN_WHOLE, async () => {
  space.write(WITH_REMARK);
  await until(() => service.err.includes('drops or narrows stored values'), 'the edit refused');
  await until(() => service.err.includes('The last good document is still served'), 'the old one goes on');
  const answer = await service.open(key, { sku: 'MIG-0004', quantity: 1, note: 'still', channel: 'post' });
  assert.equal(answer.status, 201);
  assert.match(service.err, / {2}Order.note is removed, with its values\n/);
});

import './whole-alone.ts';
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Readiness } from '../src/runtime/admin/readiness.ts';
import { type Store, StoreError } from '../src/store/store.ts';
import { ORDERS, PATIENT, type Service, until, Workspace } from './harness.ts';
import { WITH_REMARK } from './migration/orders.ts';
import { codeOf, Nodes, sku } from './nodes.ts';
import { PostgresServer } from './postgres.ts';
import { IN_WHOLE } from './share.ts';

const ADMIN = ['--admin', '127.0.0.1:0'];

let server: PostgresServer;
const all: AsyncDisposable[] = [];

before(async () => {
  server = await PostgresServer.start();
});
after(async () => {
  for (const one of all) await one[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** What a service says to whoever asks whether it is ready. */
async function ready(service: Service): Promise<string> {
  const port = await until(() => /operator’s port is (\d+)/.exec(service.out)?.[1], 'the operator’s port');
  const response = await fetch(`http://127.0.0.1:${port}/readyz`);
  return `${response.status} ${(await response.text()).trim()}`;
}

async function shared(): Promise<{ nodes: Nodes; node: Service; key: string }> {
  const nodes = await Nodes.on(server, PATIENT);
  all.push(nodes);
  const node = await nodes.space.serve({ args: ADMIN });
  assert.equal(await ready(node), '200 ready');
  return { nodes, node, key: nodes.key };
}

test('a node that a migration has sent away is not ready, as soon as it is, and says why', IN_WHOLE, async () => {
  const { nodes, node, key } = await shared();
  nodes.space.write(WITH_REMARK);
  const { code, err } = await nodes.space.cli('migrate', '--rename', 'Order.note=Order.remark');
  assert.equal(code, 0, err);
  assert.match(await ready(node), /^503 not ready: .*another document/);
  const answer = await node.open(key, { sku: sku('OLD', 1), quantity: 1 });
  assert.deepEqual([answer.status, codeOf(answer)], [503, 'unavailable']);
  assert.match(await ready(node), /^503 /);
});

test('a node whose rows are being brought to another document is not ready until they are', IN_WHOLE, async () => {
  const { nodes, node } = await shared();
  const other = new pg.Client({ connectionString: nodes.url });
  await other.connect();
  const [{ pid }] = (await other.query('SELECT pg_backend_pid() AS pid')).rows as [{ pid: number }];
  // What a migration does: it ends the others’ connections until it has the lock alone.
  let held = false;
  const lock = other
    .query("SELECT pg_advisory_lock('ninefold_meta'::regclass::oid::bigint + (651293::bigint << 32))")
    .then(() => {
      held = true;
    });
  while (!held)
    await server.query(
      nodes.url,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ninefold' AND pid <> $1",
      [pid],
    );
  await lock;
  assert.match(await ready(node), /^503 not ready: /);
  await other.end();
  await until(async () => (await ready(node)) === '200 ready', 'a node that is ready again');
});

test('a node that has lost its database is not ready until it is back', IN_WHOLE, async () => {
  const { node, key } = await shared();
  await server.down();
  assert.match(await ready(node), /^503 not ready: /);
  await server.up();
  await until(async () => (await ready(node)) === '200 ready', 'a node that is ready again');
  await node.opened(key, sku('NEW', 1));
});

test('a database that has stopped answering is told within a second or so, however many ask', IN_WHOLE, async () => {
  const { node } = await shared();
  const told = await server.stopped(() => Promise.all(Array.from({ length: 5 }, () => ready(node))));
  assert.deepEqual(new Set(told), new Set(['503 not ready: the store has not answered within a second']));
  await until(async () => (await ready(node)) === '200 ready', 'a node that is ready again');
});

test('a service that stops is not ready while it answers what is under way', async () => {
  const space = new Workspace(ORDERS);
  all.push(space);
  const service = await space.serve({ args: ADMIN });
  const key = await space.key(await space.customer());
  assert.equal(await ready(service), '200 ready');
  const { hostname, port } = new URL(service.url);
  const slow = request({
    hostname,
    port,
    path: '/orders',
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'idempotency-key': 'slow',
      'content-type': 'application/json',
      'content-length': '30',
    },
  });
  slow.on('error', () => {});
  slow.write('{"sku":');
  await sleep(200);
  service.child.kill('SIGTERM');
  await until(async () => /503 not ready: the service stops/.test(await ready(service)), 'a service that stops');
  slow.end('"AAA-0001","quantity":1}');
  assert.equal(await service.ended, 0);
});

/** A store that answers as it is told to. */
const answering = (read: () => Promise<unknown>): Store =>
  ({ prepare: () => ({ parameters: [] }), read }) as unknown as Store;

test('what stands in the way is told, and what is only slow is not, where others are answered', IN_WHOLE, async () => {
  assert.equal(await new Readiness(answering(async () => [])).ask(), null);
  const moved = new Readiness(answering(() => Promise.reject(new StoreError('shape', 'The rows have moved on.'))));
  assert.equal(await moved.ask(), 'The rows have moved on');
  const broken = new Readiness(answering(() => Promise.reject(new TypeError('x of undefined'))));
  assert.equal(await broken.ask(), 'the store has failed', 'no more is told of a defect');
  const thrown = new Readiness(
    answering(() => {
      throw new StoreError('failed', 'The disk is gone.');
    }),
  );
  assert.equal(await thrown.ask(), 'The disk is gone');
  let asked = 0;
  const slow = new Readiness(
    answering(() => {
      asked++;
      return new Promise(() => {});
    }),
  );
  const [first, second] = [slow.ask(), slow.ask()];
  assert.deepEqual([await first, await second, asked], [LATE, LATE, 1]);
  const busy = slow.ask();
  slow.note(503);
  slow.note(201);
  assert.equal(await busy, null);
  assert.equal(await slow.ask(), LATE);
});

const LATE = 'the store has not answered within a second';

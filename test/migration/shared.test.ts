import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { SHAPE_LOCK } from '../../src/store/postgres/open.ts';
import { PATIENT, type Service, until } from '../harness.ts';
import { codeOf, Nodes, sku, tally } from '../nodes.ts';
import { PostgresServer } from '../postgres.ts';
import { IN_WHOLE } from '../share.ts';
import { WITH_CHANNEL, WITH_REMARK } from './orders.ts';

/** How long a client waits between two requests, in milliseconds. */
const PAUSE = 20;

let server: PostgresServer;
const all: Nodes[] = [];
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});
before(async () => {
  server = await PostgresServer.shared();
});
after(async () => {
  for (const nodes of all) await nodes[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function started(): Promise<{ nodes: Nodes; old: Service }> {
  const nodes = await Nodes.on(server, PATIENT);
  all.push(nodes);
  await nodes.serve(1);
  return { nodes, old: nodes.nodes[0]! };
}

/** Opens orders at a node, several at a time, until it is told to stop; gives what was answered. */
function load(node: Service, key: string, letters: string): { stop(): Promise<{ status: number; id: string }[]> } {
  let stopped = false;
  ends.push(() => {
    stopped = true;
  });
  let next = 0;
  const answers: { status: number; id: string }[] = [];
  const worker = async (): Promise<void> => {
    while (!stopped) {
      const { status, body } = await node.open(key, { sku: sku(letters, next++), quantity: 1 });
      answers.push({ status, id: (body as { id?: string } | null)?.id ?? '' });
      // Requests are under way all the time, and leave the processor to what they are to be beside.
      await sleep(PAUSE);
    }
  };
  const workers = [worker(), worker(), worker(), worker()];
  return {
    stop: async () => {
      stopped = true;
      await Promise.all(workers);
      return answers;
    },
  };
}

const tallied = (answers: readonly { status: number }[]): Record<string, number> =>
  tally(answers.map(({ status }) => `${status}`));

test(
  'nodes with the old document and the new one serve side by side where the new one only adds',
  IN_WHOLE,
  async (t) => {
    const { nodes, old } = await started();
    const { key, space } = nodes;
    const working = load(old, key, 'OLD');
    const early = await old.opened(key, 'ERL-0001', { note: 'first' });
    space.write(WITH_CHANNEL);
    const dry = await space.cli('migrate', '--dry-run');
    assert.match(
      dry.out,
      /Order.channel is added\n(?: {2}… .*\n)*The migration is possible: it ran in \d+ ms on a copy. Nothing has been changed/,
    );
    const young = await space.serve();
    assert.match(young.out, /Changes:\n {2}Order.channel is added\n(?: {2}… .*\n)*Done in \d+ ms/);
    const both = load(young, key, 'NEW');
    const there = (id: string, node: Service) => node.request('GET', `/orders/${id}`, { key });
    for (let n = 0; n < 5; n++) {
      const answer = await young.open(key, { sku: sku('CHA', n), quantity: 1, channel: 'web' });
      const { id } = answer.body as { id: string };
      assert.equal(answer.status, 201);
      const [atOld, atYoung] = [await there(id, old), await there(id, young)];
      assert.deepEqual([atOld.status, 'channel' in (atOld.body as object)], [200, false]);
      assert.deepEqual([atYoung.status, (atYoung.body as { channel: string }).channel], [200, 'web']);
      // What the old one changes leaves what it doesn’t know of alone.
      assert.equal((await old.request('POST', `/orders/${id}/place`, { key })).status, 200);
      assert.equal(((await there(id, young)).body as { channel: string }).channel, 'web');
    }
    assert.equal(((await there(early, young)).body as { note: string }).note, 'first');
    const found = [...(await working.stop()), ...(await both.stop())];
    t.diagnostic(`${found.length} orders opened meanwhile`);
    assert.deepEqual(Object.keys(tallied(found)), ['201']);
    // Its connections may be lost, as any may, and it goes on with others.
    await server.query(
      nodes.url,
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    assert.equal((await there(early, old)).status, 200);
  },
);

test(
  'a document that nodes may not go on beside sends them away: nothing is written by the old one any more',
  IN_WHOLE,
  async (t) => {
    const { nodes, old } = await started();
    const { key, space, url } = nodes;
    const working = load(old, key, 'OLD');
    await old.opened(key, 'ERL-0001', { note: 'first' });
    space.write(WITH_REMARK);
    const dry = await space.cli('migrate', '--dry-run', '--rename', 'Order.note=Order.remark');
    assert.match(dry.out, /Order.note is renamed to Order.remark\n(?: {2}… .*\n)*The migration is possible/);
    assert.equal((await old.request('GET', '/orders', { key })).status, 200);
    const young = await space.serve({ args: ['--rename', 'Order.note=Order.remark'] });
    const [{ n: count } = { n: '' }] = await server.query<{ n: string }>(url, 'SELECT count(*) AS n FROM "order"');
    assert.equal((await young.open(key, { sku: 'YNG-0001', quantity: 1, remark: 'kept' })).status, 201);
    const answers = await working.stop();
    t.diagnostic(`${JSON.stringify(tallied(answers))} of the old document`);
    for (let n = 0; n < 20; n++) {
      const { status, body } = await old.open(key, { sku: sku('LAT', n), quantity: 1, note: 'late' });
      assert.deepEqual([status, codeOf({ body })], [503, 'unavailable']);
    }
    assert.equal((await old.request('GET', '/orders', { key })).status, 503);
    const rows = await server.query<{ id: string; sku: string }>(url, 'SELECT id::text, sku FROM "order"');
    assert.equal(rows.length, Number(count) + 1, 'nothing came after the rows were the new document’s but by that');
    const ids = new Set(rows.map(({ id }) => id));
    const acknowledged = answers.filter(({ status }) => status === 201);
    assert.ok(acknowledged.length > 0);
    for (const { id } of acknowledged) assert.ok(ids.has(id), 'what was acknowledged is there');
  },
);

test('a migration that waits for somebody who waits for it goes on, and is begun once', IN_WHOLE, async () => {
  const { nodes } = await started();
  const { space, url } = nodes;
  const node = new pg.Client(url);
  let ended: unknown = null;
  node.on('error', (error) => {
    ended = error;
  });
  ends.push(() => void node.end());
  await node.connect();
  // It holds what the sessions of nodes hold, and has changed orders, as they do first.
  await node.query(`SELECT pg_advisory_lock_shared${SHAPE_LOCK}`);
  await node.query('BEGIN');
  await node.query('LOCK TABLE "order" IN ROW EXCLUSIVE MODE');
  space.write(WITH_REMARK);
  const migrated = space.cli('migrate', '--rename', 'Order.note=Order.remark');
  const waiting = 'SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted AND relation = \'"order"\'::regclass';
  await until(async () => (await server.query<{ n: number }>(url, waiting))[0]?.n === 1, 'a migration that waits');
  await assert.rejects(node.query('LOCK TABLE ninefold_answer IN ROW EXCLUSIVE MODE'), { code: '57P01' });
  const { code, out, err } = await migrated;
  assert.equal(code, 0, err);
  assert.match(out, /Done in/);
  await until(async () => ended !== null, 'a connection that has ended');
});

test('a migration that is refused makes nodes wait, and loses them nothing', IN_WHOLE, async () => {
  const { nodes, old } = await started();
  const { key, space } = nodes;
  await old.opened(key, 'ERL-0001', { note: 'first' });
  const working = load(old, key, 'OLD');
  space.write(WITH_REMARK);
  const refused = await space.cli('serve', '--port', '0');
  assert.equal(refused.code, 1);
  assert.match(refused.err, /Order.note is removed, with its values: 1 value would be lost/);
  assert.deepEqual(Object.keys(tallied(await working.stop())), ['201']);
});

test('rows are brought back only when that is asked for', IN_WHOLE, async () => {
  const { nodes, old } = await started();
  const { key, space } = nodes;
  const id = await old.opened(key, 'BCK-0001', { note: 'first' });
  space.write(WITH_REMARK);
  const young = await space.serve({ args: ['--rename', 'Order.note=Order.remark'] });
  assert.equal((await young.request('GET', `/orders/${id}`, { key })).status, 200);
  space.write(PATIENT);
  const refused = await space.cli('serve', '--port', '0', '--rename', 'Order.remark=Order.note');
  assert.equal(refused.code, 3);
  assert.match(refused.err, /The rows have been migrated from this document to a newer one/);
  const listed = await space.cli('rows', 'list', 'Order');
  assert.equal(listed.code, 3);
  assert.match(listed.err, /The rows have the shape of another document\. With this document, Order.remark is removed/);
  const back = await space.cli('migrate', '--rename', 'Order.remark=Order.note');
  assert.equal(back.code, 0, back.err);
  assert.equal((await young.request('GET', `/orders/${id}`, { key })).status, 503);
  const again = await space.serve();
  const answer = await again.request('GET', `/orders/${id}`, { key });
  assert.deepEqual([answer.status, (answer.body as { note: string }).note], [200, 'first']);
  // The node that waited for its document goes on with it.
  assert.equal((await old.request('GET', `/orders/${id}`, { key })).status, 200);
});

test('an edit that adds is taken up while requests go on, on a shared database too', IN_WHOLE, async () => {
  const nodes = await Nodes.on(server, PATIENT);
  all.push(nodes);
  const { key, space } = nodes;
  const node = await space.serve({ args: ['--watch'] });
  const working = load(node, key, 'WAT');
  space.write(WITH_CHANNEL);
  await until(() => /The new document is served/.test(node.out), 'that the edit is served');
  const answer = await node.open(key, { sku: 'CHA-0001', quantity: 1, channel: 'web' });
  assert.equal((answer.body as { channel: string }).channel, 'web');
  assert.deepEqual(Object.keys(tallied(await working.stop())), ['201']);
});

test(
  'a table that somebody keeps to themselves holds a migration up for a moment, and requests no longer',
  IN_WHOLE,
  async () => {
    const { nodes, old } = await started();
    const { key, space, url } = nodes;
    const id = await old.opened(key, 'LCK-0001');
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('BEGIN');
    await client.query('SELECT count(*) FROM "order"');
    space.write(WITH_CHANNEL);
    const ran = await space.cli('migrate');
    assert.equal(ran.code, 3);
    assert.match(ran.err, /another session locks a table, such as an open transaction or a backup. Nothing has been/);
    assert.equal((await old.request('POST', `/orders/${id}/place`, { key })).status, 200);
    await client.end();
    assert.equal((await space.cli('migrate')).code, 0);
  },
);

test('a dry run says what the user of the database is not allowed', async () => {
  const { nodes } = await started();
  const { space, url } = nodes;
  await server.query(url, "CREATE ROLE reader LOGIN PASSWORD 'not-a-secret'");
  await server.query(url, 'GRANT ALL ON ALL TABLES IN SCHEMA public TO reader');
  const { pathname, host } = new URL(url);
  space.place = ['--store', `postgres://reader:not-a-secret@${host}${pathname}`];
  space.write(WITH_CHANNEL);
  for (const [words, told] of [
    [['--dry-run'], /permission denied for database test_[\d_]+. A dry run makes a schema of its own/],
    [
      [],
      /permission denied for schema public. A dry run .*, and a migration changes tables: this user has to be allowed to/,
    ],
  ] as const) {
    const ran = await space.cli('migrate', ...words);
    assert.equal(ran.code, 3, ran.err);
    assert.match(ran.err, told);
    assert.doesNotMatch(ran.err, /not-a-secret/);
  }
});

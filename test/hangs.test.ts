import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Forwarder } from './forwarder.ts';
import { edited, RAISED, type Service, until } from './harness.ts';
import { Nodes, sku } from './nodes.ts';
import { PostgresServer } from './postgres.ts';
import { IN_WHOLE, WHOLE } from './share.ts';

/** A move falls due soon, and answers are given in time. */
const HASTY = edited(
  RAISED,
  ['| Time-out     | 5 seconds ', '| Time-out     | 3 seconds '],
  ['24 hours after `created`', '3 seconds after `created`'],
);

let primary: PostgresServer;
let standby: PostgresServer;
const all: AsyncDisposable[] = [];

before(async () => {
  if (!WHOLE) return;
  primary = await PostgresServer.start({ wal_level: 'replica' });
  standby = await primary.standby('one');
  await primary.query('postgres', "ALTER SYSTEM SET synchronous_standby_names = 'one'");
  await primary.query('postgres', 'SELECT pg_reload_conf()');
  const replicated = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'";
  await until(async () => (await primary.query('postgres', replicated)).length, 'a standby that is waited for');
});
after(async () => {
  for (const one of all) await one[Symbol.asyncDispose]();
  await standby?.[Symbol.asyncDispose]();
  await primary?.[Symbol.asyncDispose]();
});

async function ready(service: Service): Promise<string> {
  const port = await until(() => /operator’s port is (\d+)/.exec(service.out)?.[1], 'the operator’s port');
  const response = await fetch(`http://127.0.0.1:${port}/readyz`);
  return `${response.status} ${(await response.text()).trim()}`;
}

test('commits that wait for a dead standby are answered in time, and so are those behind them', IN_WHOLE, async () => {
  const nodes = await Nodes.on(primary, HASTY);
  all.push(nodes);
  const node = await nodes.space.serve({ args: ['--admin', '127.0.0.1:0'] });
  const { key } = nodes;
  const moved = await until(async () => {
    const { status, body } = await node.open(key, { sku: sku('DUE', 1), quantity: 1 });
    return status === 201 ? (body as { id: string }).id : null;
  }, 'a change');
  const goOn = await standby.stop();
  try {
    const many = await Promise.all(
      Array.from({ length: 12 }, (_, n) => node.open(key, { sku: sku('HAN', n), quantity: 1 }, `key-${n}`)),
    );
    for (const { status, text } of many) assert.ok(status === 500 || (status === 503 && /time_out/.test(text)), text);
    // Eight connections are for changes: what waits for one of them has not begun.
    const doubtful = many.filter(({ status }) => status === 500).length;
    assert.ok(doubtful > 0 && doubtful <= 8, `${doubtful} may be committed`);
    assert.equal(await ready(node), '503 not ready: the store has not answered a commit within a second');
    assert.match(node.err + node.out, /may be committed or not.*"event":"request.failed"/);
    // Reads are answered, with what is due as done.
    const read = await until(async () => {
      const { status, body, text } = await node.request('GET', `/orders/${moved}`, { key });
      assert.equal(status, 200, text);
      return (body as { status: string }).status === 'cancelled';
    }, 'a row that is shown as moved');
    assert.ok(read);
  } finally {
    goOn();
  }
  await until(async () => (await ready(node)) === '200 ready', 'a node that is ready again');
  // The change that was in doubt is there, and its key says so.
  const again = await until(async () => {
    const answer = await node.open(key, { sku: sku('HAN', 0), quantity: 1 }, 'key-0');
    return answer.status === 201 ? answer : null;
  }, 'an answer to a key');
  assert.ok(again);
  const rows = await primary.query<{ n: string }>(nodes.url, `SELECT count(*) AS n FROM "order" WHERE sku = $1`, [
    sku('HAN', 0),
  ]);
  assert.equal(rows[0]!.n, '1');
});

test('a database that vanishes is answered for in time, and another in its place is used', IN_WHOLE, async () => {
  const nodes = await Nodes.on(primary, HASTY);
  all.push(nodes);
  await using forwarder = await Forwarder.to(primary.port);
  nodes.space.place = ['--store', forwarder.url(nodes.url)];
  const node = await nodes.space.serve({ args: ['--admin', '127.0.0.1:0'] });
  const { key } = nodes;
  await until(async () => (await node.open(key, { sku: sku('NEW', 1), quantity: 1 })).status === 201, 'a change');
  forwarder.stop();
  const answers = await Promise.all([
    ...Array.from({ length: 12 }, (_, n) => node.open(key, { sku: sku('HAN', n), quantity: 1 })),
    ...Array.from({ length: 4 }, () => node.request('GET', '/orders', { key })),
  ]);
  for (const { status, text } of answers) assert.ok([500, 503].includes(status), text);
  assert.match(await ready(node), /^503 not ready: the store has not answered/);
  forwarder.moveTo(primary.port);
  await until(async () => (await ready(node)) === '200 ready', 'a node that is ready again');
  await until(async () => (await node.open(key, { sku: sku('NEW', 2), quantity: 1 })).status === 201, 'a change');
});

test('a commit that may not have reached its standby is not told as done', IN_WHOLE, async () => {
  const nodes = await Nodes.on(
    primary,
    edited(RAISED, ['| Time-out     | 5 seconds ', '| Time-out     | 60 seconds ']),
  );
  all.push(nodes);
  const node = await nodes.space.serve();
  const goOn = await standby.stop();
  try {
    const asked = node.open(nodes.key, { sku: sku('CAN', 1), quantity: 1 });
    const cancel =
      "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query = 'COMMIT'";
    await until(async () => (await primary.query('postgres', cancel)).length, 'a commit that waits');
    assert.equal((await asked).status, 500);
    assert.match(node.err + node.out, /might not have been replicated/);
  } finally {
    goOn();
  }
});

test('what lets a failover lose acknowledged changes is refused', IN_WHOLE, async () => {
  for (const [value, accepted] of [
    ['local', false],
    ['remote_write', false],
    ['off', false],
    ['remote_apply', true],
  ] as const) {
    const nodes = await Nodes.on(primary, RAISED);
    all.push(nodes);
    const name = new URL(nodes.url).pathname.slice(1);
    await primary.query(nodes.url, `ALTER ROLE ninefold IN DATABASE ${name} SET synchronous_commit = ${value}`);
    const { code, err } = await nodes.space.cli('rows', 'list', 'Order');
    if (accepted) assert.equal(code, 0, err);
    else assert.match(err, /is not durable: synchronous_commit is /);
  }
  // Without a standby, local waits for all that there is to wait for.
  await using alone = await PostgresServer.start({ synchronous_commit: 'local' });
  const nodes = await Nodes.on(alone, RAISED);
  await nodes[Symbol.asyncDispose]();
});

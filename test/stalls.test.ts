import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { edited, RAISED, type Service, until } from './harness.ts';
import { Nodes, sku, tally } from './nodes.ts';
import { PostgresServer } from './postgres.ts';

/** What a machine is long enough for, and the thirty seconds that PostgreSQL was once given are not, in seconds. */
const SOON = 15;
const CLIENTS = 12;

/** Every create takes the same row of a counter, and holds it until it is committed. */
const NUMBERED = edited(RAISED, [
  '| created  | timestamp |        |                                                     | on create `now()`  |          |          |',
  `| created  | timestamp |        |                                                     | on create \`now()\`  |          |          |
| number   | integer   |        |                                                     | sequence           |          |          |`,
]);
const HELD = "SELECT pid FROM pg_stat_activity WHERE application_name = 'ninefold' AND state = 'idle in transaction'";
const WAITING = `SELECT max(extract(epoch FROM xact_start)) AS began FROM pg_stat_activity
  WHERE application_name = 'ninefold' AND wait_event_type = 'Lock'`;

let server: PostgresServer;
const all: Nodes[] = [];

before(async () => {
  server = await PostgresServer.start({ max_pred_locks_per_transaction: '10' });
});
after(async () => {
  for (const nodes of all) {
    for (const { child } of nodes.nodes) child.kill('SIGCONT');
    await nodes[Symbol.asyncDispose]();
  }
  await server[Symbol.asyncDispose]();
});

async function served(document: string): Promise<Nodes> {
  const nodes = await Nodes.on(server, document);
  all.push(nodes);
  await nodes.serve();
  return nodes;
}

/** Clients that open orders at a node until it is over, with what each was answered. */
function clients(node: Service, key: string, letters: string): { statuses: number[]; end: () => Promise<unknown> } {
  const statuses: number[] = [];
  let over = false;
  let n = 0;
  const one = async (): Promise<void> => {
    while (!over) statuses.push((await node.open(key, { sku: sku(letters, n++ % 10_000), quantity: 1 })).status);
  };
  const done = Promise.all(Array.from({ length: CLIENTS }, one));
  return {
    statuses,
    end: () => {
      over = true;
      return done;
    },
  };
}

/** Stops a node in the middle of a transaction, of which PostgreSQL then waits for the rest. */
async function stalled(node: Service, url: string): Promise<void> {
  await until(async () => {
    node.child.kill('SIGSTOP');
    // What had been sent already is done, and what others wait for is left.
    await sleep(200);
    if ((await server.query(url, `${HELD} AND state_change < now() - interval '150 ms'`)).length) return true;
    node.child.kill('SIGCONT');
    await sleep(20);
    return false;
  }, 'a node that is stopped in a transaction');
}

for (const [name, document] of Object.entries({ 'with a counter': NUMBERED, 'without one': RAISED }))
  test(`a node that is stopped in the middle of changes does not stop another, ${name}`, async (t) => {
    const nodes = await served(document);
    const [one, other] = nodes.nodes as [Service, Service];
    const first = clients(one, nodes.key, 'ONE');
    await until(() => first.statuses.length > 30, 'some load');
    await stalled(one, nodes.url);
    const second = clients(other, nodes.key, 'TWO');
    await until(() => second.statuses.filter((status) => status === 201).length > 600, 'the other goes on', SOON);
    one.child.kill('SIGCONT');
    const before = first.statuses.length;
    await until(() => first.statuses.length > before + 50, 'and so does the one, once it is back', SOON);
    await Promise.all([first.end(), second.end()]);
    t.diagnostic(JSON.stringify({ one: tally(first.statuses.map(String)), other: tally(second.statuses.map(String)) }));
    // A change that met nothing but a stopped node is made, and no defect of the service is told.
    assert.deepEqual(tally(second.statuses.filter((status) => status !== 201).map(String)), {});
    assert.deepEqual(
      first.statuses.filter((status) => status !== 201 && status !== 503),
      [],
    );
    assert.doesNotMatch(one.err + other.err, /request\.failed/);
    const rows = await server.query<{ n: string }>(nodes.url, 'SELECT count(*) AS n FROM "order"');
    const made = [...first.statuses, ...second.statuses].filter((status) => status === 201);
    assert.equal(Number(rows[0]!.n), made.length, 'each is there once');
  });

test('reads go on while every change waits for a row that somebody keeps', async () => {
  const nodes = await served(edited(NUMBERED, ['| Time-out     | 5 seconds ', '| Time-out     | 120 seconds ']));
  const [one] = nodes.nodes as [Service];
  const id = await one.opened(nodes.key, sku('ONE', 0));
  const keeper = new pg.Client({ connectionString: nodes.url });
  await keeper.connect();
  await keeper.query('BEGIN');
  await keeper.query('SELECT * FROM ninefold_sequence FOR UPDATE');
  let answered = 0;
  const changes = Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      const { status } = await one.open(nodes.key, { sku: sku('TWO', n), quantity: 1 });
      answered++;
      return status;
    }),
  );
  const waiting = async (): Promise<number> => {
    const [row] = await server.query<{ began: string | null }>(nodes.url, WAITING);
    return Number(row!.began);
  };
  const began = await until(waiting, 'changes that wait');
  for (let n = 0; n < 20; n++)
    assert.equal((await one.request('GET', `/orders/${id}`, { key: nodes.key })).status, 200);
  assert.equal(answered, 0, 'while no change could be made');
  await until(async () => (await waiting()) > began + 1, 'one that has been waiting too long, and is run again');
  await keeper.query('ROLLBACK');
  assert.deepEqual(tally((await changes).map(String)), { 201: 40 });
  await keeper.end();
});

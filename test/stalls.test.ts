import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { PATIENT, type Service, until } from './harness.ts';
import { Nodes, sku, tally } from './nodes.ts';
import { PostgresServer } from './postgres.ts';
import { IN_WHOLE, WHOLE } from './share.ts';
import { Clients, CRAMPED, NUMBERED, stopMidway } from './stalling.ts';

/**
 * How long clients of the others may wait for the next answer, in milliseconds: less than the thirty seconds that PostgreSQL
 * was once given. How long many changes take is a matter of the machine.
 */
const LONGEST = 25_000;
/** How many changes show that they go on: the others were once kept waiting at the first. */
const GOING_ON = 200;
const CLIENTS = 12;

const WAITING = `SELECT max(extract(epoch FROM xact_start)) AS began FROM pg_stat_activity
  WHERE application_name = 'ninefold' AND wait_event_type = 'Lock'`;

let server: PostgresServer;
const all: Nodes[] = [];

before(async () => {
  server = await PostgresServer.start(CRAMPED);
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

/** How soon the others go on is a matter of time, which a busy machine has none of: a whole run looks, and a gate. */
const LONG = { skip: !WHOLE && 'in a whole run, and in the gate “stalled”' };

for (const [name, document] of Object.entries({ 'with a counter': NUMBERED, 'without one': PATIENT }))
  test(`a node that is stopped in the middle of changes does not stop another, ${name}`, LONG, async (t) => {
    const nodes = await served(document);
    const [one, other] = nodes.nodes as [Service, Service];
    const first = new Clients(CLIENTS, one, nodes.key, 'ON');
    await until(() => first.statuses.length > 30, 'some load');
    await stopMidway(server, one, nodes.url);
    const second = new Clients(CLIENTS, other, nodes.key, 'TW');
    await until(() => second.made > GOING_ON, 'the other goes on');
    assert.ok(second.longest < LONGEST, `nobody at the other was answered for ${Math.round(second.longest)} ms`);
    one.child.kill('SIGCONT');
    first.measure();
    const before = first.statuses.length;
    await until(() => first.statuses.length > before + 50, 'and so does the one, once it is back');
    assert.ok(first.longest < LONGEST, `nobody at the one was answered for ${Math.round(first.longest)} ms`);
    await Promise.all([first.end(), second.end()]);
    t.diagnostic(JSON.stringify({ one: tally(first.statuses.map(String)), other: tally(second.statuses.map(String)) }));
    // A change that met nothing but a stopped node is made, and no defect of the service is told.
    assert.deepEqual(second.other(), []);
    assert.deepEqual(first.other(503, 500), [], 'its time may be over, or its connection');
    // Of a commit that was on its way when the node was stopped it is told that nobody knows.
    const unknown = first.statuses.filter((status) => status === 500).length;
    const failed = (one.err + other.err).split('\n').filter((line) => line.includes('request.failed'));
    assert.equal(failed.length, unknown);
    for (const line of failed) assert.match(line, /the change may be committed or not/);
    const rows = await server.query<{ n: string }>(nodes.url, 'SELECT count(*) AS n FROM "order"');
    const missing = Number(rows[0]!.n) - first.made - second.made;
    assert.ok(missing >= 0 && missing <= unknown, `each is there once: ${missing} more, ${unknown} unknown`);
  });

test('reads go on while every change waits for a row that somebody keeps', IN_WHOLE, async () => {
  const nodes = await served(NUMBERED);
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

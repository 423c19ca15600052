import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ANSWER_BODY } from '../src/store/sql/answers.ts';
import { readCases } from './cases.ts';
import { edited, PATIENT, type Service, until } from './harness.ts';
import { Nodes, sku, tally } from './nodes.ts';
import { SKELETONS, unpacker } from './packed.ts';
import { PostgresServer } from './postgres.ts';
import { Reader } from './reader.ts';
import { Receiver } from './receiver.ts';
import { IN_WHOLE, times } from './share.ts';

const RESTARTS = times(2, 6);
const CLIENTS = times(6, 12);

let server: PostgresServer;
const all: Nodes[] = [];

before(async () => {
  server = await PostgresServer.start();
});
after(async () => {
  for (const nodes of all) await nodes[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function on(document: string): Promise<Nodes> {
  const nodes = await Nodes.on(server, document);
  all.push(nodes);
  return nodes;
}

/** What a client asked under a key, and what it knows of it. */
interface Asked {
  readonly idempotency: string;
  readonly sku: string;
  /** The order that was acknowledged; null where no success was. */
  id: string | null;
}

/** Opens orders until it is told to stop; what fails is asked again later, by whoever looks. */
async function load(which: () => Service, key: string, asked: Asked[], over: () => boolean): Promise<void> {
  while (!over()) {
    const one: Asked = { idempotency: randomUUID(), sku: sku('FAI', asked.length % 10_000), id: null };
    asked.push(one);
    try {
      const answer = await which().open(key, { sku: one.sku, quantity: 1 }, one.idempotency);
      if (answer.status === 201) one.id = (answer.body as { id: string }).id;
      // What could not be done, or may have been done, is told so: never anything else.
      else assert.ok([500, 503].includes(answer.status), `${answer.status} ${answer.text}`);
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
    }
    await sleep(5);
  }
}

/** Each key has one effect once it is asked again, and what was acknowledged is what it is. */
async function settled(
  { url, key }: Nodes,
  node: Service,
  asked: readonly Asked[],
): Promise<{ unanswered: number; done: number }> {
  const unpacked = unpacker(await server.query(url, SKELETONS));
  const kept = new Map(
    (
      await server.query<{ key: string; body: string }>(
        url,
        `SELECT key, ${ANSWER_BODY} AS body FROM ninefold_answer a`,
      )
    ).map((row) => [row.key, (JSON.parse(unpacked(row.body)) as { id: string }).id]),
  );
  let [unanswered, done] = [0, 0];
  for (const one of asked) {
    if (one.id !== null) {
      assert.equal(kept.get(one.idempotency), one.id, 'what was acknowledged is there');
      continue;
    }
    unanswered++;
    if (kept.has(one.idempotency)) done++;
    // The claim of a node that died ends with its session.
    const again = await until(
      async () => {
        const answer = await node.open(key, { sku: one.sku, quantity: 1 }, one.idempotency);
        return answer.status === 409 ? null : answer;
      },
      'a key that is free again',
      240,
    );
    assert.equal(again.status, 201, again.text);
    one.id = (again.body as { id: string }).id;
    if (kept.has(one.idempotency)) assert.equal(one.id, kept.get(one.idempotency));
  }
  const rows = await server.query<{ id: string }>(url, 'SELECT id::text FROM "order"');
  assert.deepEqual(rows.map(({ id }) => id).sort(), asked.map(({ id }) => id!).sort(), 'one effect for each key');
  const events = await server.query<{ n: string }>(
    url,
    "SELECT count(*) AS n FROM ninefold_event WHERE type = 'order.opened'",
  );
  assert.equal(Number(events[0]!.n), rows.length, 'and one event');
  return { unanswered, done };
}

test('kill -9 of one node under load loses nothing acknowledged, and its work moves on', IN_WHOLE, async (t) => {
  await using receiver = await new Receiver().up();
  const nodes = await on(edited(PATIENT, ['- Time-out: 15 seconds', '- Time-out: 2 seconds']));
  await nodes.space.receiver(receiver.url);
  await nodes.serve();
  const [one, other] = nodes.nodes as [Service, Service];
  const asked: Asked[] = [];
  let over = false;
  const clients = Promise.all([
    ...Array.from({ length: CLIENTS }, () =>
      load(
        () => one,
        nodes.key,
        asked,
        () => over || one.child.killed,
      ),
    ),
    ...Array.from({ length: CLIENTS }, () =>
      load(
        () => other,
        nodes.key,
        asked,
        () => over,
      ),
    ),
  ]);
  await until(() => asked.length > 80, 'some load');
  await one.kill();
  const died = Date.now();
  const there = asked.length;
  await until(() => asked.length > there + 50, 'the other goes on');
  over = true;
  await clients;
  const { unanswered, done } = await settled(nodes, other, asked);
  // A delivery that the dead node had leased falls due again when the lease ends: its time-out and ten seconds more.
  await until(
    () => new Set(receiver.accepted.map(({ id }) => id)).size >= asked.length,
    'every event is delivered',
    240,
  );
  const late = Math.max(...receiver.got.map(({ at }) => at)) - died;
  t.diagnostic(
    `${asked.length} orders, ${unanswered} unanswered, ${done} of them done; the last delivery ${late} ms after the kill`,
  );
});

test(`a database that is restarted ${RESTARTS} times under load loses nothing acknowledged`, IN_WHOLE, async (t) => {
  const nodes = await on(PATIENT);
  await nodes.serve();
  const asked: Asked[] = [];
  let over = false;
  const clients = Promise.all(
    nodes.nodes.flatMap((node) =>
      Array.from({ length: CLIENTS }, () =>
        load(
          () => node,
          nodes.key,
          asked,
          () => over,
        ),
      ),
    ),
  );
  const acknowledged = (): number => asked.filter(({ id }) => id !== null).length;
  for (let restart = 0; restart < RESTARTS; restart++) {
    const before = acknowledged();
    await Promise.race([until(() => acknowledged() >= before + 20 + restart, 'some load'), clients]);
    await server.down(restart % 2 ? 'SIGQUIT' : 'SIGINT');
    await server.up();
  }
  const before = acknowledged();
  await until(() => acknowledged() >= before + 20, 'the nodes go on');
  over = true;
  await clients;
  const { unanswered, done } = await settled(nodes, nodes.nodes[0]!, asked);
  t.diagnostic(`${asked.length} keys, ${unanswered} not answered with success, of which ${done} had taken effect`);
});

test(
  'a stream on one node tells of what is changed on another, in order, and only of what comes after it began',
  IN_WHOLE,
  async () => {
    const document = edited(
      readCases('src/compiler/events/cases/stream.md')[0]!.document,
      ['600 requests per minute  ', '9000000 requests per minute'],
      ['6000 requests per minute ', '90000000 requests per minute'],
      // Sixty changes at once over two nodes take their time on a busy machine.
      ['| Time-out     | 5 seconds ', '| Time-out     | 120 seconds '],
    );
    const nodes = await on(document);
    await nodes.serve();
    const [one, other] = nodes.nodes as [Service, Service];
    await other.opened(nodes.key, sku('OLD', 1));
    const reader = await Reader.open(`${one.url}/events`, { authorization: `Bearer ${nodes.key}` });
    assert.equal(reader.status, 200);
    // Nodes look by themselves, too: that they are told as well can be heard by whoever listens as they do.
    const listeners =
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query = 'LISTEN ninefold'";
    await until(
      async () => (await server.query(nodes.url, listeners)).length === nodes.nodes.length,
      'nodes that listen',
    );
    const told: string[] = [];
    const client = new pg.Client({ connectionString: nodes.url });
    client.on('notification', ({ payload = '' }) => told.push(payload.split(' ')[1] ?? ''));
    await client.connect();
    await client.query('LISTEN ninefold');
    await other.opened(nodes.key, sku('NEW', 1));
    assert.match((await reader.heard(1))[0]!.data, /NEW-0001/);
    await until(() => told.includes('streamed') || told.includes('any'), 'that the node tells the other');
    await client.end();
    const both = [one, other];
    const made = await Promise.all(Array.from({ length: 60 }, (_, n) => both[n % 2]!.opened(nodes.key, sku('MAN', n))));
    const heard = await reader.heard(60);
    assert.deepEqual(heard.map(({ data }) => (JSON.parse(data) as { id: string }).id).sort(), made.sort(), 'each once');
    reader.leave();
  },
);

test('what falls due is made before any node lets anybody see the row', IN_WHOLE, async (t) => {
  // The other node is told of the instant meanwhile, however busy the machine is.
  const nodes = await on(edited(PATIENT, ['24 hours after `created`', '10 seconds after `created`']));
  await nodes.serve();
  const [one, other] = nodes.nodes as [Service, Service];
  const seen: string[] = [];
  await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      const opened = await one.open(nodes.key, { sku: sku('DUE', n), quantity: 1 });
      const { id, created } = opened.body as { id: string; created: string };
      const due = Date.parse(created) + 10_000;
      await until(() => Date.now() >= due, 'the time');
      // It is asked for as soon as it is due, of the node that did not write it.
      const { status } = (await other.request('GET', `/orders/${id}`, { key: nodes.key })).body as { status: string };
      seen.push(status);
    }),
  );
  t.diagnostic(JSON.stringify(tally(seen)));
  assert.deepEqual(tally(seen), { cancelled: 12 });
});

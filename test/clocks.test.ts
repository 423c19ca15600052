import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { edited, ORDERS, PATIENT, type Service, until } from './harness.ts';
import { codeOf, each, Nodes, sku, tally } from './nodes.ts';
import { PostgresServer } from './postgres.ts';
import { Receiver } from './receiver.ts';
import { IN_WHOLE } from './share.ts';

/** Every window, lease, instant and age that the document states is shorter. */
const HOURS = 25;
/** A busy machine’s nodes know the time from answers that came late; an hour is far from a day. */
const NEAR = 3_600_000;

let server: PostgresServer;
const all: Nodes[] = [];

before(async () => {
  server = await PostgresServer.shared();
});
after(async () => {
  for (const nodes of all) await nodes[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** What a process runs first, whose clock is off by so many hours. */
const skewed = (hours: number): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(`const now = Date.now; Date.now = () => now() + ${hours * 3_600_000};`)}`,
});

/** Two nodes on one database, of which one’s clock is as it is and the other’s is a day ahead. */
async function apart(document: string, receiver?: Receiver): Promise<Nodes & { nodes: [Service, Service] }> {
  const nodes = await Nodes.on(server, document);
  all.push(nodes);
  if (receiver) await nodes.space.receiver(receiver.url);
  for (const hours of [0, HOURS]) nodes.nodes.push(await nodes.space.serve({ env: skewed(hours) }));
  return nodes as Nodes & { nodes: [Service, Service] };
}

test('a rate lets through what it has room for, whatever time its nodes take it to be', IN_WHOLE, async (t) => {
  const limited = edited(ORDERS, ['600 requests per minute', '100 requests per minute']);
  const { key, nodes } = await apart(limited);
  const answers = await each(600, 20, (n) => nodes[n % 2]!.request('GET', '/orders', { key }));
  const found = tally(answers.map(({ status }) => `${status}`));
  t.diagnostic(JSON.stringify(found));
  assert.deepEqual(found, { 200: 100, 429: 500 });
  const [own, other] = await Promise.all(nodes.map((node) => node.request('GET', '/orders', { key })));
  for (const { headers } of [own!, other!]) {
    const left = Number(headers.get('retry-after'));
    assert.ok(left >= 1 && left <= 60, `${left} seconds`);
  }
});

test('now(), what is due and what is kept are the same on nodes whose clocks differ', IN_WHOLE, async () => {
  const { key, nodes } = await apart(PATIENT);
  const [one, other] = nodes;
  let last = 0;
  const ids: string[] = [];
  for (let n = 0; n < 12; n++) {
    const began = Date.now();
    const { status, body } = await nodes[n % 2]!.open(key, { sku: sku('NOW', n), quantity: 1 });
    const { id, created } = body as { id: string; created: string };
    assert.equal(status, 201);
    ids.push(id);
    // As near as an answer of the database tells its time, which is here this machine's.
    assert.ok(Date.parse(created) >= began - NEAR && Date.parse(created) <= Date.now() + NEAR, created);
    assert.ok(Date.parse(created) >= last - NEAR, 'one after the other');
    last = Date.parse(created);
  }
  // A draft expires after a day, and a key is kept for one.
  const idempotency = randomUUID();
  const first = await one.open(key, { sku: sku('KEY', 1), quantity: 1 }, idempotency);
  const again = await other.open(key, { sku: sku('KEY', 1), quantity: 1 }, idempotency);
  assert.deepEqual([again.status, again.text], [201, first.text]);
  await sleep(2500);
  for (const id of ids)
    for (const node of nodes) {
      const { body } = await node.request('GET', `/orders/${id}`, { key });
      assert.equal((body as { status: string }).status, 'draft');
    }
  const back = await one.open(key, { sku: sku('KEY', 2), quantity: 1 }, idempotency);
  assert.equal(codeOf(back), 'idempotency_key_reused');
});

test(
  'what one node is delivering is not delivered by another whose clock says that the lease is over',
  IN_WHOLE,
  async () => {
    await using receiver = await new Receiver().up();
    let slow = true;
    receiver.answer = async () => {
      if (slow) await sleep(2500);
      return 204;
    };
    const { key, nodes } = await apart(PATIENT, receiver);
    const [one, other] = nodes;
    const id = await one.opened(key, sku('ONE', 1));
    await until(() => receiver.got.length === 1, 'the first delivery');
    assert.equal((await other.request('POST', `/orders/${id}/place`, { key })).status, 200);
    await other.opened(key, sku('TWO', 1));
    await until(() => receiver.accepted.length >= 1, 'its answer');
    slow = false;
    await until(() => receiver.accepted.length >= 3, 'the others');
    await sleep(1500);
    assert.equal(new Set(receiver.got.map((got) => got.id)).size, receiver.got.length, 'each once');
    const ofOne = receiver.got.filter(({ data }) => (data as { id?: string }).id === id).map(({ type }) => type);
    assert.deepEqual(ofOne, ['order.opened', 'order.placed'], 'in order');
  },
);

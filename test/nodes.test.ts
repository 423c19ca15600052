import './whole-alone.ts';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { edited, ORDERS, PATIENT, type Service } from './harness.ts';
import { codeOf, each, NODES, Nodes, sku, tally } from './nodes.ts';
import { PostgresServer } from './postgres.ts';
import { IN_WHOLE, times } from './share.ts';

const LIMITED = times(200, 2000);
const DRAFTS = times(20, 100);
const KEYS = times(20, 200);

let server: PostgresServer;
const all: Nodes[] = [];

before(async () => {
  server = await PostgresServer.shared();
});
after(async () => {
  for (const nodes of all) await nodes[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const start = async (document: string): Promise<Nodes> => {
  const nodes = await Nodes.on(server, document);
  all.push(nodes);
  await nodes.serve();
  return nodes;
};

test(`of ${LIMITED} requests over two nodes, a limit of 100 lets exactly 100 through`, async (t) => {
  const limited = edited(PATIENT, ['9000000 requests per minute', '100 requests per minute']);
  const { key, nodes } = await start(limited);
  const begun = performance.now();
  const answers = await each(LIMITED, 50, (n) => nodes[n % NODES]!.request('GET', '/orders', { key }));
  const found = tally(answers.map((one) => `${one.status}`));
  t.diagnostic(`${JSON.stringify(found)} in ${Math.round(performance.now() - begun)} ms`);
  assert.deepEqual(found, { 200: 100, 429: LIMITED - 100 });
});

test('what one node holds of a rate and doesn’t use is let through by the other', IN_WHOLE, async () => {
  const limited = edited(ORDERS, ['600 requests per minute', '100 requests per minute']);
  const { key, nodes } = await start(limited);
  const [one, other] = nodes as [Service, Service];
  for (let i = 0; i < 3; i++) assert.equal((await one.request('GET', '/orders', { key })).status, 200);
  const answers = await each(200, 20, () => other.request('GET', '/orders', { key }));
  assert.deepEqual(tally(answers.map(({ status }) => `${status}`)), { 200: 97, 429: 103 });
  assert.equal((await one.request('GET', '/orders', { key })).status, 429);
});

test('of racing transitions over two nodes one wins, and the others get the stated refusal', IN_WHOLE, async (t) => {
  const { key, nodes, url } = await start(PATIENT);
  const ids = await each(DRAFTS, 20, (n) => nodes[n % NODES]!.opened(key, sku('RAC', n)));
  const begun = performance.now();
  // Racers of one row are spread among those of ten others.
  const answers = await each(DRAFTS * 50, 100, async (n) => {
    const row = Math.floor(n / 500) * 10 + (n % 10);
    return { row, answer: await nodes[(n % 3) % NODES]!.request('POST', `/orders/${ids[row]}/place`, { key }) };
  });
  t.diagnostic(`${answers.length} requests in ${Math.round(performance.now() - begun)} ms`);
  for (let row = 0; row < DRAFTS; row++) {
    const own = answers
      .filter((one) => one.row === row)
      .map(({ answer }) => `${answer.status} ${answer.status === 200 ? '' : codeOf(answer)}`);
    assert.deepEqual(tally(own), { '200 ': 1, '409 order_not_placeable': 49 });
  }
  const events = await server.query<{ n: string }>(
    url,
    `SELECT count(*) AS n FROM ninefold_event WHERE type = 'order.placed'`,
  );
  assert.equal(Number(events[0]!.n), DRAFTS);
});

test('an idempotency key has one effect, however often it is sent at once to both nodes', IN_WHOLE, async (t) => {
  const { key, nodes, url } = await start(PATIENT);
  const keys = Array.from({ length: KEYS }, () => randomUUID());
  const begun = performance.now();
  const answers = await each(KEYS * 20, 100, async (n) => {
    const which = Math.floor(n / 200) * 10 + (n % 10);
    return {
      which,
      answer: await nodes[(n % 3) % NODES]!.open(key, { sku: sku('IDE', which), quantity: 2 }, keys[which]),
    };
  });
  t.diagnostic(`${answers.length} requests in ${Math.round(performance.now() - begun)} ms`);
  const kinds = tally(answers.map(({ answer }) => `${answer.status} ${codeOf(answer)}`.trim()));
  t.diagnostic(JSON.stringify(kinds));
  for (let which = 0; which < KEYS; which++) {
    const own = answers.filter((one) => one.which === which && one.answer.status === 201);
    assert.ok(own.length > 0, 'somebody is answered');
    assert.equal(new Set(own.map(({ answer }) => answer.text)).size, 1, 'and all alike');
  }
  assert.deepEqual(
    Object.keys(kinds).filter((kind) => kind !== '201' && kind !== '409 idempotency_key_in_flight'),
    [],
  );
  const made = await server.query<{ n: string }>(url, `SELECT count(*) AS n FROM "order" WHERE sku LIKE 'IDE-%'`);
  assert.equal(Number(made[0]!.n), KEYS);
});

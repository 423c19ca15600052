import './whole-alone.ts';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { edited, PATIENT, type Service, until, Workspace } from './harness.ts';
import { Receiver } from './receiver.ts';
import { IN_WHOLE, times } from './share.ts';

const DRAFTS = times(20, 50);
const KEYS = times(40, 200);
const RACERS = 20;

const space = new Workspace(PATIENT);
const receiver = new Receiver();
let service: Service;
let key: string;

before(async () => {
  key = await space.key(await space.customer());
  await receiver.up();
  await space.receiver(receiver.url);
  service = await space.serve();
});
after(async () => {
  await receiver[Symbol.asyncDispose]();
  await space[Symbol.asyncDispose]();
});

const sku = (letters: string, n: number): string => `${letters}-${String(n).padStart(4, '0')}`;
const codeOf = (answer: { body: unknown }): string => (answer.body as { code: string }).code;
const count = (sql: string, ...values: unknown[]): number => space.select<{ n: number }>(sql, ...values)[0]!.n;

/** How often each value comes. */
function tally(values: readonly string[]): Record<string, number> {
  const out: Record<string, number> = {};
  for (const value of values.toSorted()) out[value] = (out[value] ?? 0) + 1;
  return out;
}

/** Runs `racers` at once for each item, ten items at a time. */
async function race<T, R>(
  items: readonly T[],
  racers: number,
  one: (item: T, racer: number) => Promise<R>,
): Promise<R[][]> {
  const out: R[][] = [];
  for (let at = 0; at < items.length; at += 10) {
    const some = items.slice(at, at + 10);
    // Racers of one item are spread among those of the others, as they would be in life.
    const asked = Array.from({ length: racers }, (_, racer) => some.map((item) => one(item, racer)));
    const answers = await Promise.all(asked.map((row) => Promise.all(row)));
    out.push(...some.map((_, i) => answers.map((row) => row[i]!)));
  }
  return out;
}

test('of racing transitions one wins, and the others get the stated refusal', async (t) => {
  const ids = await Promise.all(Array.from({ length: DRAFTS }, (_, n) => service.opened(key, sku('RAC', n))));
  const raced = await race(ids, RACERS, (id) => service.request('POST', `/orders/${id}/place`, { key }));
  const results = raced.map((answers) =>
    tally(answers.map((one) => `${one.status} ${one.status === 200 ? '' : codeOf(one)}`)),
  );
  for (const result of results) assert.deepEqual(result, { '200 ': 1, '409 order_not_placeable': RACERS - 1 });
  assert.equal(count(`SELECT count(*) AS n FROM "order" WHERE sku LIKE 'RAC-%' AND status = 'placed'`), DRAFTS);
  const events = space.select<{ row: string; n: number }>(
    `SELECT row, count(*) AS n FROM ninefold_event WHERE type = 'order.placed' GROUP BY row`,
  );
  assert.deepEqual(events.map((one) => one.row).sort(), ids.toSorted());
  assert.ok(
    events.every(({ n }) => n === 1),
    'one event for each',
  );
  const placed = () => receiver.accepted.filter(({ type }) => type === 'order.placed');
  await until(() => placed().length >= DRAFTS, 'a delivery for each');
  await until(
    () => count(`SELECT count(*) AS n FROM ninefold_delivery WHERE state <> 'delivered'`) === 0,
    'all delivered',
  );
  assert.deepEqual(
    placed()
      .map(({ data }) => data.id)
      .sort(),
    ids.toSorted(),
  );
  t.diagnostic(`${DRAFTS} drafts × ${RACERS}: ${DRAFTS} moves, ${DRAFTS} events, ${placed().length} deliveries`);
});

test('racing moves that exclude each other leave one state, and one event for each that was made', async (t) => {
  const ids = await Promise.all(Array.from({ length: 20 }, (_, n) => service.opened(key, sku('EXC', n))));
  const raced = await race(ids, 12, (id, racer) => {
    const n = racer + ids.indexOf(id);
    if (n % 3 === 0) return service.request('POST', `/orders/${id}/place`, { key });
    if (n % 3 === 1) return service.request('POST', `/orders/${id}/cancel`, { key });
    return service.request('DELETE', `/orders/${id}`, { key });
  });
  for (const [i, answers] of raced.entries()) {
    const won = (verb: number) => answers.filter((one, n) => (n + i) % 3 === verb && one.status < 300).length;
    const [placed, cancelled, removed] = [won(0), won(1), won(2)];
    assert.ok(placed <= 1 && removed <= 1, `${placed} placed, ${removed} removed`);
    assert.equal(cancelled, 1, 'every order ends up cancelled, once');
    const events = space.select<{ type: string }>('SELECT type FROM ninefold_event WHERE row = ? ORDER BY seq', ids[i]);
    const expected = ['order.opened', ...(placed ? ['order.placed'] : []), 'order.cancelled'];
    assert.deepEqual(
      events.map(({ type }) => type),
      expected,
    );
    const read = await service.request('GET', `/orders/${ids[i]}`, { key });
    assert.equal(read.status, removed ? 404 : 200);
  }
  t.diagnostic(
    JSON.stringify(tally(raced.flat().map((one) => `${one.status} ${one.status < 300 ? '' : codeOf(one)}`.trim()))),
  );
});

test('an idempotency key has one effect, however often it is sent at once', async (t) => {
  const keys = Array.from({ length: KEYS }, (_, n) => ({
    idempotency: randomUUID(),
    body: { sku: sku('IDE', n), quantity: 2 },
  }));
  const raced = await race(keys, RACERS, ({ idempotency, body }) => service.open(key, body, idempotency));
  let fresh = 0;
  for (const [i, answers] of raced.entries()) {
    const made = answers.filter(({ status }) => status === 201);
    fresh += made.length;
    assert.ok(made.length >= 1);
    for (const one of answers)
      if (one.status === 201) assert.equal(one.text, made[0]!.text);
      else assert.deepEqual([one.status, codeOf(one)], [409, 'idempotency_key_in_flight']);
    const { idempotency, body } = keys[i]!;
    const again = await service.open(key, body, idempotency);
    assert.deepEqual([again.status, again.text], [201, made[0]!.text]);
    assert.equal(again.headers.get('location'), made[0]!.headers.get('location'));
  }
  assert.equal(count(`SELECT count(*) AS n FROM "order" WHERE sku LIKE 'IDE-%'`), KEYS);
  assert.equal(count(`SELECT count(DISTINCT sku) AS n FROM "order" WHERE sku LIKE 'IDE-%'`), KEYS);
  assert.equal(
    count(`SELECT count(*) AS n FROM ninefold_event WHERE type = 'order.opened' AND packed LIKE '%IDE-%'`),
    KEYS,
  );
  t.diagnostic(`${KEYS} keys × ${RACERS}: ${KEYS} orders; ${fresh} answers 201, ${KEYS * RACERS - fresh} in flight`);
});

test('an idempotency key stands for one request', async () => {
  const idempotency = randomUUID();
  const first = await service.open(key, { sku: 'REU-0001', quantity: 2 }, idempotency);
  const reused = async (body: Record<string, unknown>) => {
    const answer = await service.open(key, body, idempotency);
    return [answer.status, codeOf(answer)];
  };
  assert.deepEqual(await reused({ sku: 'REU-0001', quantity: 3 }), [422, 'idempotency_key_reused']);
  assert.deepEqual(await reused({ sku: 'REU-0001', quantity: 2, note: '' }), [422, 'idempotency_key_reused']);
  const quoted = await service.open(key, { quantity: 2, sku: ' REU-0001 ' }, `"${idempotency}"`);
  assert.deepEqual([quoted.status, quoted.text], [201, first.text], 'the same request, written otherwise');
  const theirs = await space.key(await space.customer());
  assert.equal(
    (await service.open(theirs, { sku: 'REU-0001', quantity: 3 }, idempotency)).status,
    201,
    'another caller’s key',
  );
  const missing = await service.request('POST', '/orders', { key, body: { sku: 'REU-0002', quantity: 1 } });
  assert.deepEqual([missing.status, codeOf(missing)], [400, 'idempotency_key_missing']);
  for (const wrong of ['', '"', 'a,b', '"a";b=1', 'k'.repeat(256)]) {
    const answer = await service.open(key, { sku: 'REU-0002', quantity: 1 }, wrong);
    assert.deepEqual([wrong, answer.status, codeOf(answer)], [wrong, 400, 'idempotency_key_malformed']);
  }
});

test('a refusal by a rule is kept for its key; a request that was not understood is not', async () => {
  const id = await service.opened(key, 'KEP-0001');
  const idempotency = randomUUID();
  const refused = await service.open(key, { sku: 'KEP-0001', quantity: 1 }, idempotency);
  assert.deepEqual([refused.status, codeOf(refused)], [409, 'order_already_open']);
  await service.request('POST', `/orders/${id}/place`, { key });
  const again = await service.open(key, { sku: 'KEP-0001', quantity: 1 }, idempotency);
  assert.deepEqual([again.status, again.text], [409, refused.text], 'though it could be made now');
  const other = randomUUID();
  assert.equal((await service.open(key, { sku: 'KEP-0002' }, other)).status, 422);
  assert.equal((await service.open(key, { sku: 'KEP-0002', quantity: 1 }, other)).status, 201);
});

test('of racing creates of one product exactly one is a draft', async (t) => {
  const skus = Array.from({ length: 20 }, (_, n) => sku('ONE', n));
  const raced = await race(skus, RACERS, (one) => service.open(key, { sku: one, quantity: 1 }));
  for (const answers of raced)
    assert.deepEqual(tally(answers.map((one) => `${one.status} ${one.status === 201 ? '' : codeOf(one)}`)), {
      '201 ': 1,
      '409 order_already_open': RACERS - 1,
    });
  assert.equal(count(`SELECT count(*) AS n FROM "order" WHERE sku LIKE 'ONE-%'`), skus.length);
  t.diagnostic(`${skus.length} products × ${RACERS} creates: ${skus.length} drafts`);
});

test('of racing changes to what was read once, one wins: nothing is lost unseen', async (t) => {
  const ids = await Promise.all(Array.from({ length: 20 }, (_, n) => service.opened(key, sku('TAG', n))));
  const tags = new Map<string, string>();
  for (const id of ids) tags.set(id, (await service.request('GET', `/orders/${id}`, { key })).headers.get('etag')!);
  const raced = await race(ids, RACERS, (id, racer) => {
    const headers = { 'content-type': 'application/merge-patch+json', 'if-match': tags.get(id)! };
    return service.request('PATCH', `/orders/${id}`, { key, headers, body: { quantity: racer + 2 } });
  });
  for (const [i, answers] of raced.entries()) {
    const won = answers.filter(({ status }) => status === 200);
    const lost = answers.filter(({ status }) => status !== 200);
    assert.equal(won.length, 1);
    for (const one of lost) assert.deepEqual([one.status, codeOf(one)], [412, 'changed_meanwhile']);
    const now = await service.request('GET', `/orders/${ids[i]}`, { key });
    assert.deepEqual([now.text, now.headers.get('etag')], [won[0]!.text, won[0]!.headers.get('etag')]);
  }
  t.diagnostic(`${ids.length} orders × ${RACERS} changes under one entity tag: ${ids.length} made`);
});

test('an idempotency key is kept as long as the document states', IN_WHOLE, async () => {
  await using short = new Workspace(edited(PATIENT, ['kept 24 hours', 'kept 2 seconds']));
  const theirs = await short.key(await short.customer());
  const served = await short.serve();
  const idempotency = randomUUID();
  const first = await served.open(theirs, { sku: 'KEP-0001', quantity: 1 }, idempotency);
  const made = Date.parse((first.body as { created: string }).created);
  // Until it is over the key stands for the first request, and from then on for nothing.
  const statuses = new Map<number, number>();
  await until(async () => {
    const sent = Date.now();
    const { status } = await served.open(theirs, { sku: 'KEP-0002', quantity: 1 }, idempotency);
    if (!statuses.has(status)) statuses.set(status, status === 422 ? sent : Date.now());
    return status === 201;
  }, 'the end of its time');
  assert.deepEqual([...statuses.keys()], [422, 201]);
  assert.ok(statuses.get(201)! >= made + 2000, 'not before its time');
});

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { RAISED, type Service, until, Workspace } from './harness.ts';
import { Receiver } from './receiver.ts';

const KILLS = 20;
const CLIENTS = 16;

const space = new Workspace(RAISED);
const receiver = new Receiver();
let key: string;
/** Over all tests, since each goes on with what the ones before have left. */
const known: Known = { opened: new Map(), status: new Map(), unanswered: new Set(), asked: 0 };

before(async () => {
  key = await space.key(await space.customer());
  await receiver.up();
  await space.receiver(receiver.url);
});
after(async () => {
  await receiver[Symbol.asyncDispose]();
  await space[Symbol.asyncDispose]();
});

/** What clients know to have been acknowledged. */
interface Known {
  /** Order by the idempotency key it was opened under. */
  readonly opened: Map<string, string>;
  readonly status: Map<string, string>;
  /** Keys that were sent and never answered. */
  readonly unanswered: Set<string>;
  asked: number;
}

/** One client: opens, places and cancels until the service is gone. */
async function load(service: Service, known: Known): Promise<void> {
  for (;;) {
    const idempotency = randomUUID();
    const sku = `CRA-${String(known.asked++ % 10_000).padStart(4, '0')}`;
    known.unanswered.add(idempotency);
    try {
      const opened = await service.open(key, { sku, quantity: 1 }, idempotency);
      known.unanswered.delete(idempotency);
      if (opened.status !== 201) throw new Error(`${opened.status} ${opened.text}`);
      const { id } = opened.body as { id: string };
      known.opened.set(idempotency, id);
      known.status.set(id, 'draft');
      for (const [verb, status] of [
        ['place', 'placed'],
        ['cancel', 'cancelled'],
      ] as const) {
        // Whether a move that is never answered was made can't be known.
        known.status.delete(id);
        const moved = await service.request('POST', `/orders/${id}/${verb}`, { key });
        if (moved.status !== 200) throw new Error(`${moved.status} ${moved.text}`);
        known.status.set(id, status);
      }
    } catch (error) {
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}

test('SIGTERM under load ends in good order: what was acknowledged is there', async (t) => {
  const service = await space.serve();
  let refused = 0;
  const clients = Promise.all(
    Array.from({ length: CLIENTS }, () =>
      load(service, known).catch((error: Error) => {
        // Whoever still asks is told so: 503 unavailable.
        assert.match(error.message, /^503 .*"unavailable"/);
        refused++;
      }),
    ),
  );
  const before = known.opened.size;
  await Promise.race([until(() => known.opened.size >= before + 50, 'some load'), clients]);
  assert.equal(await service.stop(), 0);
  await clients;
  mustBeWhole(known);
  const cut = [...known.unanswered].filter(
    (idempotency) => space.select('SELECT 1 FROM ninefold_answer WHERE key = ?', idempotency).length,
  );
  assert.deepEqual(cut, [], 'every request that took effect was answered');
  t.diagnostic(
    `${known.opened.size - before} orders acknowledged, all there; ${refused} of ${CLIENTS} clients were told 503, the others cut off between requests`,
  );
});

interface OrderRow {
  readonly id: string;
  readonly status: string;
}

function orders(): OrderRow[] {
  return space
    .select<{ id: string; status: string }>('SELECT lower(hex(id)) AS id, status FROM "order"')
    .map((row) => ({
      ...row,
      id: row.id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    }));
}

/** Row, event and kept answer are all there or all absent, and the database is whole. */
function mustBeWhole(known: Known): void {
  assert.deepEqual(space.select('PRAGMA integrity_check'), [{ integrity_check: 'ok' }]);
  assert.deepEqual(space.select('PRAGMA foreign_key_check'), []);
  const rows = new Map(orders().map(({ id, status }) => [id, status]));
  const events = Map.groupBy(
    space.select<{ type: string; row: string }>('SELECT type, row FROM ninefold_event ORDER BY seq'),
    ({ row }) => row,
  );
  const told = {
    draft: ['order.opened'],
    placed: ['order.opened', 'order.placed'],
    cancelled: ['order.opened', 'order.placed', 'order.cancelled'],
  };
  for (const [id, status] of rows)
    assert.deepEqual(
      events.get(id)?.map(({ type }) => type),
      told[status as keyof typeof told],
      `the events of ${id}`,
    );
  assert.equal(events.size, rows.size, 'no event is without its row');
  const kept = space.select<{ key: string; status: number; body: string }>(
    'SELECT key, status, body FROM ninefold_answer',
  );
  const byKey = new Map(
    kept.map(({ key: idempotency, body }) => [idempotency, (JSON.parse(body) as { id: string }).id]),
  );
  assert.ok(kept.every(({ status }) => status === 201));
  assert.deepEqual([...byKey.values()].sort(), [...rows.keys()].sort(), 'a kept answer for each row, and for no other');
  assert.equal(byKey.size, rows.size);
  const deliveries = space.select<{ n: number }>('SELECT count(*) AS n FROM ninefold_delivery')[0]!.n;
  assert.equal(deliveries, [...events.values()].flat().length, 'a delivery for each event');
  for (const [idempotency, id] of known.opened)
    assert.equal(byKey.get(idempotency), id, 'what was acknowledged is there');
  for (const [id, status] of known.status) assert.equal(rows.get(id), status, 'and as it was acknowledged');
}

test(`kill -9, ${KILLS} times under load, loses nothing that was acknowledged`, async (t) => {
  for (let kill = 0; kill < KILLS; kill++) {
    const service = await space.serve();
    const before = known.opened.size;
    const clients = Promise.all(Array.from({ length: CLIENTS }, () => load(service, known)));
    // At another moment each time: after the first, the second … of some tens of orders.
    const enough = until(() => known.opened.size >= before + 5 + kill * 3, 'some load');
    // A client that meets what it shouldn't ends the test.
    await Promise.race([enough, clients]);
    await service.kill();
    await clients;
    mustBeWhole(known);
  }
  const service = await space.serve();
  const kept = new Map(
    space
      .select<{ key: string; body: string }>('SELECT key, body FROM ninefold_answer')
      .map((row) => [row.key, JSON.parse(row.body) as { id: string; sku: string }]),
  );
  const whole = [...known.unanswered].filter((idempotency) => kept.has(idempotency));
  for (const idempotency of [...[...known.opened.keys()].slice(-20), ...whole]) {
    const { id, sku } = kept.get(idempotency)!;
    const again = await service.open(key, { sku, quantity: 1 }, idempotency);
    assert.deepEqual([again.status, (again.body as { id: string }).id], [201, id], 'a repeat replays the answer');
  }
  t.diagnostic(
    `${KILLS} kills; ${known.opened.size} orders acknowledged, none lost; ${known.unanswered.size} requests unanswered, of which ${whole.length} had taken effect whole`,
  );
});

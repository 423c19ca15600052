import './whole-alone.ts';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { edited, PATIENT, type Service, until, Workspace } from './harness.ts';
import { Receiver } from './receiver.ts';
import { IN_WHOLE } from './share.ts';

/** The orders document with drafts that expire after two seconds instead of a day. */
const SOON = edited(PATIENT, ['24 hours after `created`', '2 seconds after `created`']);
const LIFE = 2000;

const space = new Workspace(SOON);
const receiver = new Receiver();
let service: Service;
let key: string;
let secret: string;
let made = 0;

before(async () => {
  key = await space.key(await space.customer());
  await receiver.up();
  secret = await space.receiver(receiver.url);
  service = await space.serve();
});
after(async () => {
  await receiver[Symbol.asyncDispose]();
  await space[Symbol.asyncDispose]();
});

interface Draft {
  readonly id: string;
  readonly sku: string;
  /** When it falls due, in milliseconds since the epoch. */
  readonly due: number;
}

async function draft(): Promise<Draft> {
  const sku = `TIM-${String(made++).padStart(4, '0')}`;
  const { body } = await service.open(key, { sku, quantity: 1 });
  const { id, created } = body as { id: string; created: string };
  return { id, sku, due: Date.parse(created) + LIFE };
}

const drafts = (count: number): Promise<Draft[]> => Promise.all(Array.from({ length: count }, draft));
const get = async (id: string) => (await service.request('GET', `/orders/${id}`, { key })).body as { status: string };
const codeOf = (answer: { body: unknown }): string => (answer.body as { code: string }).code;
const at = (instant: number): Promise<void> => sleep(Math.max(0, instant - Date.now() + 1));

interface EventRow {
  readonly type: string;
  readonly at: number;
}
const events = (id: string) =>
  space.select<EventRow>('SELECT type, at FROM ninefold_event WHERE row = ? ORDER BY seq', id);

test('drafts expire on time when nobody asks, at the instant stated', async (t) => {
  const all = await drafts(30);
  const kept = await draft();
  await service.request('POST', `/orders/${kept.id}/place`, { key });
  const came = (id: string) => receiver.got.find(({ type, data }) => type === 'order.cancelled' && data.id === id);
  await until(() => all.every(({ id }) => came(id)), 'an event for each');
  for (const { id, due } of all) {
    assert.deepEqual(
      events(id).map((event) => [event.type, event.at]),
      [
        ['order.opened', due - LIFE],
        ['order.cancelled', due],
      ],
    );
    assert.equal(came(id)!.data.status, 'cancelled');
    assert.equal((JSON.parse(came(id)!.body) as { timestamp: string }).timestamp, new Date(due).toISOString());
  }
  const late = all.map(({ id, due }) => came(id)!.at - due).sort((a, b) => a - b);
  assert.ok(late[0]! >= 0, 'none comes early');
  receiver.verified(secret);
  await at(kept.due);
  assert.equal((await get(kept.id)).status, 'placed', 'an order that is placed stays');
  t.diagnostic(`30 drafts expired: told ${late[0]} to ${late.at(-1)} ms after they fell due`);
});

test('from the instant on no step sees a draft that is over', IN_WHOLE, async (t) => {
  const all = await drafts(24);
  const asked = await Promise.all(
    all.map(async ({ id, sku, due }, n) => {
      let before = 0;
      await at(due - 100);
      while (Date.now() < due - 5) {
        const { status } = await get(id);
        // Only what is answered before the instant was surely asked before it.
        if (Date.now() >= due) break;
        assert.equal(status, 'draft');
        before++;
      }
      await at(due);
      const kind = n % 4;
      if (kind === 0) assert.equal((await get(id)).status, 'cancelled');
      else if (kind === 1) {
        const placed = await service.request('POST', `/orders/${id}/place`, { key });
        assert.deepEqual([placed.status, codeOf(placed)], [409, 'order_not_placeable']);
      } else if (kind === 2) {
        const listed = await service.request('GET', `/orders?status=draft&sku=${sku}`, { key });
        assert.deepEqual(listed.body, { items: [] });
      } else assert.equal((await service.open(key, { sku, quantity: 1 })).status, 201, 'its product is free again');
      return before;
    }),
  );
  t.diagnostic(
    `asked ${asked.reduce((sum, one) => sum + one, 0)} answers in the last moments, and ${all.length} times at the instant`,
  );
});

test('under load, too, nothing that is asked from the instant on finds a draft', IN_WHOLE, async (t) => {
  let [after, before] = [0, 0];
  const round = async (_: unknown, n: number): Promise<void> => {
    await sleep(n * 150);
    const { id, due } = await draft();
    await at(due - 40);
    const clients = Array.from({ length: 24 }, async () => {
      // The last is asked after the instant, however late that is on a busy machine.
      for (let sent = 0; sent < due + 40; ) {
        sent = Date.now();
        const { status } = await get(id);
        if (sent >= due) assert.equal(status, 'cancelled', `asked ${sent - due} ms after the instant`);
        if (sent >= due) after++;
        else before++;
      }
    });
    await Promise.all(clients);
  };
  await Promise.all(Array.from({ length: 5 }, round));
  assert.ok(after > 0);
  t.diagnostic(`${before} asked before the instant, ${after} from it on`);
});

test('a draft that fell due while nothing ran is over before the first answer', IN_WHOLE, async () => {
  for (const end of ['stop', 'kill'] as const) {
    const [one, two, three] = (await drafts(3)) as [Draft, Draft, Draft];
    await service[end]();
    await at(three.due);
    service = await space.serve();
    const [read, placed, removed] = await Promise.all([
      get(one.id),
      service.request('POST', `/orders/${two.id}/place`, { key }),
      service.request('DELETE', `/orders/${three.id}`, { key }),
    ]);
    assert.equal(read.status, 'cancelled');
    assert.deepEqual([placed.status, codeOf(placed)], [409, 'order_not_placeable']);
    assert.equal(removed.status, 204);
    for (const { id, due } of [one, two, three]) {
      const found = events(id);
      assert.deepEqual(
        found.map(({ type }) => type),
        ['order.opened', 'order.cancelled'],
      );
      assert.equal(found[1]!.at, due, 'as of the instant it fell due');
    }
  }
});

test('the operator sees them moved as well, though no service runs', IN_WHOLE, async () => {
  const { id, due } = await draft();
  assert.equal(await service.stop(), 0);
  await at(due);
  const ran = await space.cli('rows', 'list', 'Order', '--json');
  const row = (JSON.parse(ran.out) as Array<{ id: string; status: string }>).find((one) => one.id === id);
  assert.equal(row?.status, 'cancelled');
  assert.deepEqual(
    events(id).map(({ type }) => type),
    ['order.opened', 'order.cancelled'],
  );
});

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { ANSWER_BODY } from '../src/store/sql/answers.ts';
import type { Service } from './harness.ts';
import { SKELETONS, unpacker } from './packed.ts';

/** Asks stored tables. */
export type Select = <T = Record<string, unknown>>(sql: string, ...values: unknown[]) => T[];

interface OrderRow {
  readonly id: string;
  readonly status: string;
}

/** The events of an order in each state that clients bring it into. */
const TOLD = {
  draft: ['order.opened'],
  placed: ['order.opened', 'order.placed'],
  cancelled: ['order.opened', 'order.placed', 'order.cancelled'],
};

/** A UUID as text, from its hexadecimal digits. */
const uuidOf = (digits: string): string => digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** The stored orders. */
export function storedOrders(select: Select): OrderRow[] {
  return select<OrderRow>('SELECT lower(hex(id)) AS id, status FROM "order"').map((row) => ({
    ...row,
    id: uuidOf(row.id),
  }));
}

/** What one customer's clients know to have been acknowledged; over several services, where each goes on with the last. */
export class Ledger {
  /** Order by the idempotency key it was opened under. */
  readonly opened = new Map<string, string>();
  readonly status = new Map<string, string>();
  /** Keys that were sent and never answered. */
  readonly unanswered = new Set<string>();
  private asked = 0;
  private readonly key: string;

  constructor(key: string) {
    this.key = key;
  }

  /** One client: opens, places and cancels until the service is gone, or so many times. */
  async live(service: Service, times = Number.POSITIVE_INFINITY): Promise<void> {
    for (let time = 0; time < times; time++)
      try {
        await this.liveOnce(service);
      } catch (error) {
        if (error instanceof TypeError) return;
        throw error;
      }
  }

  private async liveOnce(service: Service): Promise<void> {
    const idempotency = randomUUID();
    const sku = `CRA-${String(this.asked++ % 10_000).padStart(4, '0')}`;
    this.unanswered.add(idempotency);
    const opened = await service.open(this.key, { sku, quantity: 1 }, idempotency);
    this.unanswered.delete(idempotency);
    if (opened.status !== 201) throw new Error(`${opened.status} ${opened.text}`);
    const { id } = opened.body as { id: string };
    this.opened.set(idempotency, id);
    this.status.set(id, 'draft');
    for (const [verb, status] of [
      ['place', 'placed'],
      ['cancel', 'cancelled'],
    ] as const) {
      // Whether a move that is never answered was made can't be known.
      this.status.delete(id);
      const moved = await service.request('POST', `/orders/${id}/${verb}`, { key: this.key });
      if (moved.status !== 200) throw new Error(`${moved.status} ${moved.text}`);
      this.status.set(id, status);
    }
  }

  /** What was acknowledged is stored as it was acknowledged, and all that is stored is whole. */
  mustBeKept(select: Select): void {
    mustBeWhole(select);
    const rows = new Map(storedOrders(select).map(({ id, status }) => [id, status]));
    const byKey = keptAnswers(select);
    for (const [idempotency, id] of this.opened)
      assert.equal(byKey.get(idempotency), id, 'what was acknowledged is there');
    for (const [id, status] of this.status) assert.equal(rows.get(id), status, 'and as it was acknowledged');
  }
}

/** The order that each kept answer tells of, by its idempotency key. */
function keptAnswers(select: Select): Map<string, string> {
  const kept = select<{ key: string; status: number; body: string }>(
    `SELECT key, status, ${ANSWER_BODY} AS body FROM ninefold_answer a`,
  );
  const unpacked = unpacker(select(SKELETONS));
  assert.ok(kept.every(({ status }) => status === 201));
  return new Map(kept.map(({ key, body }) => [key, (JSON.parse(unpacked(body)) as { id: string }).id]));
}

/** Row, event, delivery and kept answer are all there or all absent, and the database is sound. */
export function mustBeWhole(select: Select): void {
  assert.deepEqual(select('PRAGMA integrity_check'), [{ integrity_check: 'ok' }]);
  assert.deepEqual(select('PRAGMA foreign_key_check'), []);
  const rows = new Map(storedOrders(select).map(({ id, status }) => [id, status]));
  const events = Map.groupBy(
    select<{ type: string; row: string }>('SELECT type, row FROM ninefold_event ORDER BY seq'),
    ({ row }) => row,
  );
  for (const [id, status] of rows)
    assert.deepEqual(
      events.get(id)?.map(({ type }) => type),
      TOLD[status as keyof typeof TOLD],
      `the events of ${id}`,
    );
  assert.equal(events.size, rows.size, 'no event is without its row');
  const byKey = keptAnswers(select);
  assert.deepEqual([...byKey.values()].sort(), [...rows.keys()].sort(), 'a kept answer for each row, and for no other');
  assert.equal(byKey.size, rows.size);
  const deliveries = select<{ n: number }>('SELECT count(*) AS n FROM ninefold_delivery')[0]!.n;
  assert.equal(deliveries, [...events.values()].flat().length, 'a delivery for each event');
}

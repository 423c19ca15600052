import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { ANSWER_BODY } from '../../src/store/sql/answers.ts';
import type { Service } from '../harness.ts';
import { SKELETONS, unpacker } from '../packed.ts';

/** How long a client waits between two orders, in milliseconds: the processor is left to what they are to be beside. */
const PAUSE = 20;

/** Clients that open orders and place them, each under an idempotency key, until they are stopped. */
export interface Load {
  /** The orders that had been acknowledged, by their keys. */
  readonly opened: Map<string, string>;
  stop(): Promise<void>;
}

export function load(key: string, services: readonly Service[]): Load {
  const opened = new Map<string, string>();
  let going = true;
  const clients = Array.from({ length: 12 }, async (_, client) => {
    for (let i = 0; going; i++) {
      const service = services[client % services.length]!;
      const idempotency = randomUUID();
      const sku = `B${String.fromCharCode(65 + client)}K-${String(i % 10_000).padStart(4, '0')}`;
      const answer = await service.open(key, { sku, quantity: 1 }, idempotency);
      assert.equal(answer.status, 201, answer.text);
      const { id } = answer.body as { id: string };
      opened.set(idempotency, id);
      await sleep(PAUSE);
      assert.equal((await service.request('POST', `/orders/${id}/place`, { key })).status, 200);
    }
  });
  return {
    opened,
    stop: async () => {
      going = false;
      await Promise.all(clients);
    },
  };
}

/** Row, events and kept answer are all there or all absent; what had been acknowledged before is there. */
export function mustBeOneState(file: string, known: ReadonlyMap<string, string>): { rows: number; placed: number } {
  const db = new Database(file, { readonly: true });
  try {
    assert.equal(db.pragma('integrity_check', { simple: true }), 'ok');
    assert.deepEqual(db.pragma('foreign_key_check'), []);
    const count = (sql: string): number => db.prepare(sql).pluck().get() as number;
    const rows = count('SELECT count(*) FROM "order"');
    const placed = count(`SELECT count(*) FROM "order" WHERE status = 'placed'`);
    assert.equal(count(`SELECT count(*) FROM ninefold_event WHERE type = 'order.opened'`), rows);
    assert.equal(count(`SELECT count(*) FROM ninefold_event WHERE type = 'order.placed'`), placed);
    assert.equal(count('SELECT count(*) FROM ninefold_answer'), rows);
    const kept = db.prepare(`SELECT key, ${ANSWER_BODY} AS body FROM ninefold_answer a`).raw().all() as [
      string,
      string,
    ][];
    const unpacked = unpacker(db.prepare(SKELETONS).all() as Array<{ id: number; text: string }>);
    const byKey = new Map(kept.map(([one, body]) => [one, (JSON.parse(unpacked(body)) as { id: string }).id]));
    for (const [idempotency, id] of known) assert.equal(byKey.get(idempotency), id);
    return { rows, placed };
  } finally {
    db.close();
  }
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { compileSystem } from '../sql/compiler.ts';
import type { SystemStatement } from '../system.ts';
import { sqliteDialect } from './dialect.ts';
import { SYSTEM_TABLES } from './schema.ts';

const RECEIVERS = 12;
const NOW = 1000;
const sqlOf = (name: SystemStatement): string => compileSystem(name, sqliteDialect([])).sql;

/** A store with deliveries for several receivers, some of them due. */
function withDeliveries(): Database.Database {
  const db = new Database(':memory:');
  for (const sql of SYSTEM_TABLES) db.exec(sql);
  for (let i = 0; i < RECEIVERS; i++) db.prepare(sqlOf('insert receiver')).run(`r${i}`, 'u', 's', 'v', 0, 0);
  const event = db.prepare(sqlOf('insert event'));
  const delivery = db.prepare(
    'INSERT INTO ninefold_delivery (event, receiver, line, state, due) VALUES (?, ?, ?, ?, ?)',
  );
  for (let i = 0; i < 600; i++) {
    const { lastInsertRowid } = event.run(`e${i}`, 'type', 'Order', `row ${i}`, i, '{}');
    const due = i % 7 === 0 ? null : (i * 7919) % (2 * NOW);
    delivery.run(lastInsertRowid, `r${(i * i) % RECEIVERS}`, `line ${i}`, i % 5 === 0 ? 'delivered' : 'pending', due);
  }
  return db;
}

test('what is due to others is what is due, without those who are skipped', () => {
  const db = withDeliveries();
  const due = db.prepare(sqlOf('due deliveries')).raw();
  const others = db.prepare(sqlOf('due deliveries of others')).raw();
  for (const skipped of [['r0'], ['r0', 'r4'], ['r1', 'r9'], ['r0', 'r1', 'r4', 'r9'], ['nobody']])
    for (const most of [1, 3, 8, 1000])
      for (const now of [0, 40, NOW, 3 * NOW]) {
        const skip = JSON.stringify(skipped);
        assert.deepEqual(others.all(skip, RECEIVERS, now, most, most), due.all(now, skip, most));
      }
});

test('what is due to those who are skipped is not gone through', () => {
  const plan = withDeliveries()
    .prepare(`EXPLAIN QUERY PLAN ${sqlOf('due deliveries of others')}`)
    .all('[]', RECEIVERS, NOW, 8, 8) as Array<{ detail: string }>;
  const steps = plan.map(({ detail }) => detail).filter((detail) => /\bninefold_delivery/.test(detail));
  assert.deepEqual(steps.toSorted(), [
    'SCAN ninefold_delivery USING COVERING INDEX ninefold_delivery_receiver',
    'SEARCH n USING COVERING INDEX ninefold_delivery_receiver (receiver=? AND due<?)',
    'SEARCH n USING COVERING INDEX ninefold_delivery_receiver (receiver=? AND due>?)',
    'SEARCH n USING COVERING INDEX ninefold_delivery_receiver (receiver>?)',
  ]);
});

test('what is pending is counted by its index, and no further than asked', () => {
  const db = withDeliveries();
  const pending = db.prepare(sqlOf('pending deliveries')).raw();
  const all = db.prepare("SELECT count(*), min(event) FROM ninefold_delivery WHERE state = 'pending'").raw().get();
  const [count, first] = all as [number, number];
  assert.equal(count, 480);
  // The instant of each event is its number, from 0 on.
  assert.deepEqual(pending.get(10_000), [count, first - 1]);
  assert.deepEqual((pending.get(7) as number[])[0], 7);
  assert.deepEqual(db.prepare(sqlOf('pending deliveries')).raw().get(0), [0, null]);
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${sqlOf('pending deliveries')}`).all(7) as Array<{ detail: string }>;
  const steps = plan.map(({ detail }) => detail).filter((detail) => /^(?:SCAN|SEARCH|USE) (?!p$|c$)/.test(detail));
  assert.deepEqual(steps, [
    'SCAN ninefold_delivery USING COVERING INDEX ninefold_delivery_line',
    'SEARCH d USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN',
    'SEARCH e USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN',
  ]);
});

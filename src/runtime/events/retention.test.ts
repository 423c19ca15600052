import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { compile } from '../../compiler/compile.ts';
import { SqliteStore } from '../../store/sqlite/store.ts';
import { Retention } from './retention.ts';

const ORDERS = readFileSync(join(import.meta.dirname, '..', '..', '..', 'examples', 'orders.md'), 'utf8');

test('events of a transaction that was undone are forgotten by the next one', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'ninefold-'));
  const path = join(dir, 'ninefold.sqlite');
  const store = new SqliteStore(path, compile('orders.md', ORDERS).plan!);
  const db = new Database(path);
  t.after(async () => {
    await store.close();
    db.close();
    rmSync(dir, { recursive: true });
  });
  for (const at of [1, 2, 3])
    db.exec(
      `INSERT INTO ninefold_event (id, type, resource, "row", at, packed) VALUES ('${at}', 'order.opened', 'Order', 'x', ${at}, '{}')`,
    );
  const retention = new Retention(store, 10);
  const undone = store.write(function* () {
    yield* retention.forget(100, 2);
    throw new Error('undone');
  });
  await assert.rejects(undone, /undone/);
  const forget = async (): Promise<number> => {
    const forgotten = await store.write(() => retention.forget(100, 2));
    retention.committed(forgotten);
    return forgotten.count;
  };
  assert.equal(await forget(), 2);
  assert.equal(await forget(), 1);
  assert.deepEqual(db.prepare('SELECT id FROM ninefold_event').all(), []);
});

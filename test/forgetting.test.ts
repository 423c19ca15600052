import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { ORDERS, until, Workspace } from './harness.ts';

const INSERT = `INSERT INTO ninefold_answer (endpoint, caller, key, fingerprint, status, headers, body, expires)
  VALUES ('POST /orders', 'nobody', ?, x'00', 201, '[]', '', ?)`;

test('answers whose time is over are forgotten, however many they are, and no others', async () => {
  await using space = new Workspace(ORDERS);
  await space.customer();
  const db = new Database(join(space.data, 'ninefold.sqlite'));
  const insert = db.prepare(INSERT);
  const now = Date.now();
  db.transaction(() => {
    for (let i = 0; i < 2750; i++) insert.run(`over ${i}`, now - 1 - i);
    insert.run('kept', now + 60 * 60 * 1000);
  })();
  db.close();
  await space.serve();
  const left = (): string[] => space.select<{ key: string }>('SELECT key FROM ninefold_answer').map(({ key }) => key);
  // Well before it would look again by itself.
  await until(() => left().length === 1, 'one answer is left', 20);
  assert.deepEqual(left(), ['kept']);
});

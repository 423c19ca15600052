import './whole-alone.ts';
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { compile } from '../src/compiler/compile.ts';
import { Service } from '../src/runtime/service.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import { ORDERS, until, Workspace } from './harness.ts';

const INSERT = `INSERT INTO ninefold_answer (endpoint, caller, key, fingerprint, status, headers, own_body, expires)
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
  await until(() => left().length === 1, 'one answer is left');
  assert.deepEqual(left(), ['kept']);
});

test('the room of what is forgotten is given back to the disk, while the service runs', async () => {
  await using space = new Workspace(ORDERS);
  await space.customer();
  const file = join(space.data, 'ninefold.sqlite');
  const db = new Database(file);
  const insert = db.prepare(INSERT.replace("''", `'${'x'.repeat(8000)}'`));
  const now = Date.now();
  db.transaction(() => {
    for (let i = 0; i < 5000; i++) insert.run(`over ${i}`, now - 1 - i);
  })();
  db.close();
  const before = statSync(file).size;
  const service = await space.serve();
  const free = (): number => space.select<{ freelist_count: number }>('PRAGMA freelist_count')[0]!.freelist_count;
  const answers = (): number => space.select('SELECT 1 FROM ninefold_answer').length;
  // 4 MiB stay for what comes next.
  await until(() => answers() === 0 && free() <= 1024, 'nothing is left, and nothing to give back');
  await service.stop();
  const after = statSync(file).size;
  assert.ok(after < before / 4, `${before} bytes have become ${after}`);
});

test('a clock that is put right after it was ahead keeps nothing from being forgotten', {
  timeout: 30_000,
}, async (t) => {
  await using space = new Workspace(ORDERS);
  await space.customer();
  const now = Date.now();
  const file = join(space.data, 'ninefold.sqlite');
  const db = new Database(file);
  const kept = (key: string): unknown => db.prepare(INSERT).run(key, now - 1);
  const gone = (): boolean => space.select('SELECT 1 FROM ninefold_answer').length === 0;
  kept('before');
  t.mock.timers.enable({ apis: ['Date'], now: now + 365 * 24 * 60 * 60 * 1000 });
  const { plan } = compile('orders.md', ORDERS);
  const service = new Service({ host: '127.0.0.1', port: 0, admin: null, url: null, log: () => {} });
  await service.start(plan!, new SqliteStore(file, plan!));
  try {
    await until(gone, 'a first look');
    t.mock.timers.setTime(now);
    kept('after');
    // As long after it as it takes until the next look.
    const since = performance.now.bind(performance);
    t.mock.method(performance, 'now', () => since() + 60_000);
    await until(gone, 'another look');
  } finally {
    await service.stop();
    db.close();
  }
});

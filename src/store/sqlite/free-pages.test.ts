import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import { FreePages } from './free-pages.ts';
import { openDatabase } from './open.ts';

const MANY = 20_000;

function directory(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'ninefold-'));
  t.after(() => rmSync(dir, { recursive: true }));
  return dir;
}

/** Makes a table of several megabytes, and removes nine rows of ten. */
function mostlyRemoved(db: Database.Database): void {
  db.exec('CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, x TEXT); CREATE INDEX IF NOT EXISTS i ON t (x)');
  const insert = db.prepare('INSERT INTO t (x) VALUES (?)');
  db.transaction(() => {
    for (let i = 0; i < MANY; i++) insert.run(`${i} ${'x'.repeat(500)}`);
  })();
  db.exec('DELETE FROM t WHERE id % 10 > 0');
}

/**
 * Returns pages to the disk, in one transaction at a time, until no more are returned. Returns the number of
 * transactions.
 */
function shrink(db: Database.Database, pages: FreePages): number {
  let [times, copies] = [0, 0];
  while (pages.areMany) {
    const batch = { changed: false };
    db.transaction(() => pages.giveBack(batch, { wantCopy: () => copies++ }).next())();
    assert.equal(batch.changed, true);
    times++;
  }
  assert.ok(copies >= times / 8, 'the log is copied now and then');
  return times;
}

test('what is removed is given back, but for a part that is kept, and nothing else is lost', (t) => {
  const path = join(directory(t), 'a.sqlite');
  const db = openDatabase(path);
  mostlyRemoved(db);
  db.pragma('wal_checkpoint(PASSIVE)');
  const before = statSync(path).size;
  const pages = new FreePages(db);
  assert.ok(shrink(db, pages) > 10, 'a piece at a time');
  db.pragma('wal_checkpoint(PASSIVE)');
  const after = statSync(path).size;
  assert.ok(after < before / 2, `${before} bytes became ${after}`);
  assert.ok((db.pragma('freelist_count', { simple: true }) as number) >= 900, 'some are kept for what comes next');
  assert.equal(db.pragma('integrity_check', { simple: true }), 'ok');
  assert.equal(db.prepare('SELECT count(*) FROM t').pluck().get(), MANY / 10);
  db.close();
});

test('a database of an older Ninefold gives none back, and a copy of it does', (t) => {
  const folder = directory(t);
  const old = new Database(join(folder, 'old.sqlite'));
  mostlyRemoved(old);
  old.close();
  const db = openDatabase(join(folder, 'old.sqlite'));
  assert.equal(shrink(db, new FreePages(db)), 0);
  db.prepare('VACUUM INTO ?').run(join(folder, 'copy.sqlite'));
  db.close();
  const copy = openDatabase(join(folder, 'copy.sqlite'));
  mostlyRemoved(copy);
  assert.ok(shrink(copy, new FreePages(copy)) > 10);
  copy.close();
});

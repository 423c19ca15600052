import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import { withDatabase } from './open.ts';
import { emptyLog } from './wal-recovery.ts';

function directory(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'ninefold-'));
  t.after(() => rmSync(dir, { recursive: true }));
  return dir;
}

/** Number of rows of each kind in a database that is intact. */
function held(path: string): unknown[] {
  const db = new Database(path);
  try {
    assert.equal(db.pragma('integrity_check', { simple: true }), 'ok');
    return db.prepare('SELECT substr(text, 1, 6), count(*) FROM a GROUP BY 1 ORDER BY 1').raw().all();
  } finally {
    db.close();
  }
}

/**
 * A database with three states. The log has the second and third state, and its index says that the second has been
 * copied, as a reader can cause without a sync. The file as it was before is returned, too: a disk may have kept that
 * much.
 */
function copiedInPart(t: TestContext): { db: Database.Database; path: string; before: string; all: unknown[] } {
  const dir = directory(t);
  const path = join(dir, 'a.sqlite');
  const db = new Database(path);
  t.after(() => db.close());
  db.pragma('journal_mode = WAL');
  db.pragma('wal_autocheckpoint = 0');
  db.exec('CREATE TABLE a (id INTEGER PRIMARY KEY, text TEXT) STRICT');
  const insert = db.prepare('INSERT INTO a (text) VALUES (?)');
  const fill = db.transaction((text: string) => {
    for (let i = 0; i < 500; i++) insert.run(text.repeat(100));
  });
  fill('first');
  db.pragma('wal_checkpoint(TRUNCATE)');
  const before = join(dir, 'before');
  copyFileSync(path, before);
  fill('second');
  const reader = new Database(path);
  reader.exec('BEGIN');
  reader.prepare('SELECT 1 FROM a').get();
  db.transaction(() => {
    db.exec("UPDATE a SET text = 'third' WHERE id % 3 = 0");
    fill('third');
  })();
  const [{ log, checkpointed }] = db.pragma('wal_checkpoint(PASSIVE)') as [{ log: number; checkpointed: number }];
  assert.ok(checkpointed > 0 && checkpointed < log);
  reader.close();
  const all = db.prepare('SELECT substr(text, 1, 6), count(*) FROM a GROUP BY 1 ORDER BY 1').raw().all();
  return { db, path, before, all };
}

test('all of a log is copied, whatever its index says has been', (t) => {
  const { path, before, all } = copiedInPart(t);
  const dir = directory(t);
  const lost = join(dir, 'a.sqlite');
  for (const suffix of ['-wal', '-shm']) copyFileSync(path + suffix, lost + suffix);
  copyFileSync(before, lost);
  assert.ok(emptyLog(lost, 0));
  assert.ok(!existsSync(`${lost}-wal`));
  assert.deepEqual(held(lost), all);
});

test('a log is left as it is while somebody has the database open', (t) => {
  const { db, path } = copiedInPart(t);
  const { size } = statSync(`${path}-wal`);
  assert.equal(emptyLog(path, 0), false);
  assert.equal(statSync(`${path}-wal`).size, size);
  db.close();
  writeFileSync(`${path}-wal`, '');
  assert.ok(emptyLog(path, 0));
});

test('a log without its database is refused, and stays', (t) => {
  const { path } = copiedInPart(t);
  const alone = join(directory(t), 'a.sqlite');
  copyFileSync(`${path}-wal`, `${alone}-wal`);
  assert.throws(() => emptyLog(alone, 0), /there is a log, .*a\.sqlite-wal, without its database/);
  writeFileSync(alone, '');
  assert.throws(() => emptyLog(alone, 0), /without its database/);
  assert.ok(statSync(`${alone}-wal`).size > 0);
});

/** A process that writes one commit and is killed. */
const WRITES = `
  import Database from 'better-sqlite3';
  const db = new Database(process.argv[1]);
  db.pragma('journal_mode = WAL');
  db.exec('CREATE TABLE IF NOT EXISTS ninefold_meta (key TEXT, value TEXT) STRICT; CREATE TABLE b (id INTEGER) STRICT');
  process.kill(process.pid, 'SIGKILL');
`;

test('a command empties a log that it finds, and copies none that comes while it works', (t) => {
  const path = join(directory(t), 'a.sqlite');
  const write = (): void => {
    const { signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', WRITES, path], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
    });
    assert.equal(signal, 'SIGKILL', stderr);
  };
  write();
  const log = (): number => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  assert.ok(log() > 0);
  const other = { open: null as Database.Database | null };
  withDatabase(path, (db) => {
    assert.equal(log(), 0);
    db.exec('DROP TABLE b');
    // Another process has opened the database, and keeps it open.
    other.open = new Database(path, { readonly: true });
    other.open.pragma('schema_version');
    write();
  });
  assert.ok(log() > 0, 'the log is left to whoever has the database open');
  other.open?.close();
  assert.ok(log() > 0, 'a read-only connection leaves it too');
  withDatabase(path, (db) => assert.ok(db.prepare('SELECT count(*) FROM b').get()));
  assert.equal(log(), 0);
});

import assert from 'node:assert/strict';
import { copyFileSync, fstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import { OpenFile } from './sqlite.file.ts';

function directory(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'ninefold-'));
  t.after(() => rmSync(dir, { recursive: true }));
  return dir;
}

/** The number of frames in a log. */
const frames = (db: Database.Database): number => (db.pragma('wal_checkpoint(NOOP)') as [{ log: number }])[0].log;

/** A database of three states, of which the log has the second and the third; its file alone is still of the first. */
function written(t: TestContext): { db: Database.Database; path: string; second: number } {
  const path = join(directory(t), 'a.sqlite');
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
  db.transaction(() => {
    db.exec("UPDATE a SET text = 'second' WHERE id % 7 = 0");
    fill('second');
  })();
  const second = frames(db);
  db.transaction(() => {
    db.exec("UPDATE a SET text = 'third' WHERE id % 3 = 0");
    fill('third');
  })();
  return { db, path, second };
}

/** What a file holds by itself, without the log beside it. */
function held(t: TestContext, path: string): unknown[] {
  const alone = join(directory(t), 'alone.sqlite');
  copyFileSync(path, alone);
  const db = new Database(alone);
  try {
    assert.equal(db.pragma('integrity_check', { simple: true }), 'ok');
    return db.prepare('SELECT substr(text, 1, 6), count(*) FROM a GROUP BY 1 ORDER BY 1').raw().all();
  } finally {
    db.close();
  }
}

test('what a disk has lost of a log is written into the file again, as far as it was copied', (t) => {
  const { db, path, second } = written(t);
  const all = db.prepare('SELECT substr(text, 1, 6), count(*) FROM a GROUP BY 1 ORDER BY 1').raw().all();
  const first = readFileSync(path);
  assert.deepEqual(held(t, path), [['firstf', 500]]);
  const file = new OpenFile(path);
  t.after(() => file.close());
  file.mend();
  assert.deepEqual(held(t, path), [['firstf', 500]], 'nothing is doubted');
  file.doubted = second;
  file.mend();
  assert.deepEqual(held(t, path), [
    ['firstf', 429],
    ['second', 571],
  ]);
  assert.equal(file.doubted, 0);
  writeFileSync(path, first);
  file.doubted = frames(db);
  file.mend();
  assert.deepEqual(held(t, path), all);
});

test('frames of an earlier log are not taken for this one’s', (t) => {
  const { db, path } = written(t);
  const file = new OpenFile(path);
  t.after(() => file.close());
  file.doubted = frames(db);
  db.pragma('wal_checkpoint(RESTART)');
  db.exec('DELETE FROM a WHERE id = 1');
  assert.throws(() => file.mend(), /is not of this log/);
  assert.ok(file.doubted > 0);
});

test('a shared file is closed by the last who has it', (t) => {
  const path = join(directory(t), 'a');
  writeFileSync(path, '');
  const one = new OpenFile(path);
  const descriptor = one.descriptor()!;
  const other = one.shared();
  one.close();
  assert.equal(other.descriptor(), descriptor);
  assert.ok(fstatSync(descriptor).isFile());
  other.close();
  assert.throws(() => fstatSync(descriptor), { code: 'EBADF' });
  const again = other.shared();
  assert.ok(fstatSync(again.descriptor()!).isFile());
  again.close();
  assert.equal(new OpenFile(join(path, 'none')).descriptor(), null);
});

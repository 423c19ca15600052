import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Durations } from '../figures.ts';
import { LogSync } from './wal-sync.ts';

test('while the disk is busy, readers do not wait for a sync, and who only writes does', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'ninefold-sync-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'rows.sqlite');
  writeFileSync(`${path}-wal`, 'a log');
  const sync = new LogSync(path, new Durations());
  t.after(() => sync.close());
  assert.equal(sync.takesLong(true, true), true);
  assert.equal(sync.takesLong(false, true), false);
  // Nothing has been measured yet, so a sync is expected to be short.
  assert.equal(sync.takesLong(true, false), false);
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { holdDirectory } from './hold.ts';
import { StoreError } from './store.ts';

test('one service at a time holds a data directory', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'ninefold-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const first = holdDirectory(dir);
  assert.throws(() => holdDirectory(dir), StoreError);
  first.release();
  holdDirectory(dir).release();
});

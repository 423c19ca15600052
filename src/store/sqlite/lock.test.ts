import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { StoreError } from '../store.ts';
import { holdDirectory, LOCK } from './lock.ts';

test('one service at a time holds a data directory', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'ninefold-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const first = holdDirectory(dir);
  assert.throws(() => holdDirectory(dir), StoreError);
  first.release();
  holdDirectory(dir).release();
});

test('a lock is its owner’s alone, as the database beside it', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'ninefold-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const held = holdDirectory(dir);
  t.after(() => held.release());
  assert.equal(statSync(join(dir, LOCK)).mode & 0o777, 0o600);
});

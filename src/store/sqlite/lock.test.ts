import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
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

test('a lock that is released leaves no file that looks left over', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'ninefold-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const held = holdDirectory(dir);
  assert.ok(existsSync(join(dir, LOCK)));
  held.release();
  assert.ok(!existsSync(join(dir, LOCK)));
});

test('whoever removes the file of a lock removes no lock', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'ninefold-'));
  t.after(() => rmSync(dir, { recursive: true }));
  let lost = false;
  const held = holdDirectory(dir, () => {
    lost = true;
  });
  rmSync(join(dir, LOCK));
  while (!existsSync(join(dir, LOCK))) await sleep(5);
  assert.throws(() => holdDirectory(dir), StoreError);
  assert.ok(!lost);
  held.release();
  holdDirectory(dir).release();
});

test('a lock that another has taken is told as lost', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'ninefold-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const { promise, resolve } = Promise.withResolvers<void>();
  const held = holdDirectory(dir, resolve);
  // Both happen in one turn, so that the first process has no time to lock the file again.
  rmSync(join(dir, LOCK));
  const other = holdDirectory(dir);
  await promise;
  held.release();
  assert.throws(() => holdDirectory(dir), StoreError);
  other.release();
});

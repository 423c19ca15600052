import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
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

/** Whether a directory is held; where it is not, it is held for a moment. */
function isHeld(dir: string): boolean {
  try {
    holdDirectory(dir).release();
    return false;
  } catch (error) {
    if (error instanceof StoreError) return true;
    throw error;
  }
}

test('whoever removes the file of a lock removes no lock', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'ninefold-'));
  t.after(() => rmSync(dir, { recursive: true }));
  let lost = false;
  const held = holdDirectory(dir, () => {
    lost = true;
  });
  // The second time, the file is one that the process has made after the first.
  for (let time = 0; time < 2; time++) {
    rmSync(join(dir, LOCK));
    while (!existsSync(join(dir, LOCK))) await sleep(5);
    assert.throws(() => holdDirectory(dir), StoreError);
  }
  // An empty file that is moved to its name is locked too.
  writeFileSync(join(dir, 'other'), '');
  renameSync(join(dir, 'other'), join(dir, LOCK));
  while (!isHeld(dir)) await sleep(5);
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

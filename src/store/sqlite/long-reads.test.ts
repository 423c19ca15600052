import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { compile } from '../../compiler/compile.ts';
import { type Call, PAUSE, type Program } from '../store.ts';
import { SqliteStore } from './store.ts';

const { plan } = compile(
  'notes.md',
  readFileSync(join(import.meta.dirname, '../../../docs/documents/notes.md'), 'utf8'),
);

function storeIn(t: TestContext): SqliteStore {
  const dir = mkdtempSync(join(tmpdir(), 'ninefold-'));
  const store = new SqliteStore(join(dir, 'a.sqlite'), plan!);
  t.after(async () => {
    await store.close();
    rmSync(dir, { recursive: true });
  });
  return store;
}

/** Blocks the event loop for more than a piece of a program may. */
function busy(): void {
  const until = performance.now() + 15;
  while (performance.now() < until);
}

/** A program that counts events and keeps the event loop busy, in so many pieces. */
function* long(count: Call, pieces: number): Program<number[]> {
  const found: number[] = [];
  for (let i = 0; i < pieces; i++) {
    const [[of] = []] = yield count;
    found.push(of as number);
    busy();
    yield PAUSE;
  }
  return found;
}

test('a long read runs in pieces, on one state of the database, and others read meanwhile', async (t) => {
  const store = storeIn(t);
  const count: Call = [store.prepare({ kind: 'count', resource: 'Note', where: null }), []];
  const short = store.read(() => long(count, 0));
  assert.ok(!(short instanceof Promise), 'a short read ends at once');
  const reading = store.read(() => long(count, 6));
  assert.ok(reading instanceof Promise);
  let turns = 0;
  let isOver = false;
  void reading.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    turns++;
    assert.ok(!(store.read(() => long(count, 0)) instanceof Promise));
    await setImmediate();
  }
  assert.ok(turns > 4, String(turns));
  assert.deepEqual(await reading, [0, 0, 0, 0, 0, 0]);
});

test('further long reads wait for those under way, and a store that is closed ends them', async (t) => {
  const store = storeIn(t);
  const count: Call = [store.prepare({ kind: 'count', resource: 'Note', where: null }), []];
  const all = await Promise.all(Array.from({ length: 9 }, () => store.read(() => long(count, 3))));
  assert.ok(all.every((one) => one.length === 3));
  const left = Array.from({ length: 6 }, () => Promise.resolve(store.read(() => long(count, 1000))));
  const ended = Promise.allSettled(left);
  await sleep(30);
  await store.close();
  for (const one of await ended) assert.equal(one.status, 'rejected');
});

test('an error of a long read is the caller’s', async (t) => {
  const store = storeIn(t);
  const count: Call = [store.prepare({ kind: 'count', resource: 'Note', where: null }), []];
  const failing = function* (): Program<never> {
    yield* long(count, 3);
    throw new TypeError('mine');
  };
  await assert.rejects(async () => store.read(failing), TypeError);
  assert.deepEqual(await store.read(() => long(count, 2)), [0, 0]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import type { Program } from '../store.ts';
import { Batches, type QueuedWrite, WriteQueue } from './batch.ts';

test('what others have written is looked for before each transaction of a batch, the second one too', () => {
  const db = new Database(':memory:');
  let looked = 0;
  const first = <T>(program: Program<T>) => program.next().value as T;
  const driver = { changed: false, drive: first, drivePiece: first };
  const batches = new Batches(db, driver, () => looked++);
  const waiting = (change: () => void): QueuedWrite => ({
    change: null,
    program: function* program() {
      change();
      yield undefined as never;
    },
    resolve() {},
    reject() {},
  });
  const refused = waiting(() => {
    driver.changed = true;
    throw new Error('refused after a change');
  });
  batches.begin();
  assert.equal(batches.run([refused, waiting(() => {})]).length, 2);
  assert.equal(looked, 2);
  db.close();
});

test('no write is lost where several of a batch take long, one after the other', () => {
  const queue = new WriteQueue();
  const named = (name: string): QueuedWrite =>
    ({ name, change: null, program: function* () {}, resolve() {}, reject() {} }) as never;
  const all = ['a', 'b', 'c', 'd'].map(named);
  for (const one of all) queue.push(one);
  const ran: QueuedWrite[] = [];
  for (let turns = 0; queue.length > 0; turns++) {
    assert.ok(turns < 20, 'the queue comes to its end');
    const batch = queue.take();
    // A transaction that shares its batch is taken to be too long.
    if (batch.length > 1) queue.putBackLong(batch, batch[0]!);
    else ran.push(...batch);
  }
  assert.equal(new Set(ran).size, all.length);
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { compile } from '../../compiler/compile.ts';
import { SqliteStore } from '../../store/sqlite/store.ts';
import { call, type Store } from '../../store/store.ts';
import { SEEN_OFTEN, Skeletons } from './skeletons.ts';

const PLAN = compile('orders.md', readFileSync(new URL('../../../examples/orders.md', import.meta.url), 'utf8')).plan!;

const unpacked = async (store: Store, skeletons: Skeletons, text: string): Promise<string> =>
  store.read(() => skeletons.unpack(text));

/** Packs a text until its skeleton is stored. */
async function learned(skeletons: Skeletons, text: string): Promise<string> {
  for (let i = 0; i < SEEN_OFTEN; i++) assert.equal(skeletons.pack(text, true, 'kind'), text);
  for (;;) {
    const packed = skeletons.pack(text, true, 'kind');
    if (packed !== text) return packed;
    await sleep(5);
  }
}

test('a form that is seen often is stored once, and any process unpacks its texts', async () => {
  await using store = closing(new SqliteStore(':memory:', PLAN));
  const [one, other] = [new Skeletons(store), new Skeletons(store)];
  const text = (note: string): string => `{"note":${JSON.stringify(note)},"quantity":1,"status":"a long text"}`;
  const packed = await learned(one, text('x'));
  assert.ok(packed.length < text('x').length);
  for (const note of ['', 'ä "quoted"', '\u0001', '1'])
    for (const reader of [one, other])
      assert.equal(await unpacked(store, reader, one.pack(text(note), true, 'kind')), text(note));
  assert.equal(await unpacked(store, other, await learned(new Skeletons(store), text('y'))), text('y'));
  const list = store.prepare({ kind: 'system', name: 'list skeletons' });
  assert.equal((await store.read(() => call(list, []))).length, 1);
  const later = new Skeletons(store);
  await store.read(() => later.load());
  assert.notEqual(later.pack(text('z'), true, 'kind'), text('z'), 'a later process packs at once');
});

test('a skeleton that the store has lost is stored again under its number', async () => {
  await using store = closing(new SqliteStore(':memory:', PLAN));
  await using promoted = closing(new SqliteStore(':memory:', PLAN));
  const text = '{"note":"x","quantity":1,"status":"a long text"}';
  const one = new Skeletons(store);
  const packed = await learned(one, text);
  // A standby without it takes over: it is another store for the same process.
  const after = new Skeletons(promoted);
  Reflect.set(after, 'texts', Reflect.get(one, 'texts'));
  const other = new Skeletons(promoted);
  await assert.rejects(async () => unpacked(promoted, other, packed), /There is no skeleton/);
  await promoted.write(() => after.keepStored());
  assert.equal(await unpacked(promoted, other, packed), text);
  assert.equal(await learned(new Skeletons(promoted), text), packed, 'whoever learns it gives it the same number');
});

test('a plain text that looks packed comes back as it was', async () => {
  await using store = closing(new SqliteStore(':memory:', PLAN));
  const skeletons = new Skeletons(store);
  for (const text of ['', '\u0001', '\u0001\u0001', '\u00011:x', '{}', `"${'x'.repeat(10_000)}"`])
    assert.equal(await unpacked(store, skeletons, skeletons.pack(text, true, 'kind')), text);
});

test('forms without end are stored plainly, and those that are known are packed still', async () => {
  await using store = closing(new SqliteStore(':memory:', PLAN));
  const skeletons = new Skeletons(store);
  const insert = store.prepare({ kind: 'system', name: 'insert skeleton' });
  await store.write(function* () {
    for (let i = 1; i <= 1000; i++) yield* call(insert, [i, `{"member ${i}":"\u0003"}`]);
  });
  await store.read(() => skeletons.load());
  const text = '{"another member":"with a value"}';
  for (let i = 0; i < 10; i++) assert.equal(skeletons.pack(text, true, 'kind'), text);
  await sleep(20);
  assert.equal(skeletons.pack(text, true, 'kind'), text);
  assert.notEqual(skeletons.pack('{"member 7":"with a value"}', true, 'kind'), '{"member 7":"with a value"}');
});

const closing = (store: SqliteStore): SqliteStore & AsyncDisposable =>
  Object.assign(store, { [Symbol.asyncDispose]: () => store.close() });

import './whole-alone.ts';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { compile } from '../src/compiler/compile.ts';
import { PostgresStore } from '../src/store/postgres/store.ts';
import { Change, call, type Program, StoreError } from '../src/store/store.ts';
import { Forwarder } from './forwarder.ts';
import { ORDERS, until } from './harness.ts';
import { PostgresServer } from './postgres.ts';

const PLAN = compile('orders.md', ORDERS).plan!;

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(async () => {
  await server[Symbol.asyncDispose]();
});

/** A store behind a database that can be stopped, and a change of it. */
async function opened() {
  const url = await server.database();
  const forwarder = await Forwarder.to(Number(new URL(url).port));
  const store = await PostgresStore.open(forwarder.url(url), PLAN);
  const keep = store.prepare({ kind: 'system', name: 'keep answer' });
  const kept = function* (): Program<void> {
    yield* call(keep, ['1', 'e', 'c', 'k', Buffer.alloc(1), 200, '[]', '', null, 0]);
  };
  const count = async (): Promise<number> =>
    Number((await server.query<{ n: string }>(url, 'SELECT count(*) AS n FROM ninefold_answer'))[0]!.n);
  return { store, forwarder, kept, count };
}

const refused = async (work: Promise<unknown>): Promise<[string, string]> => {
  const error = await work.catch((thrown: unknown) => thrown);
  assert.ok(error instanceof StoreError, String(error));
  return [error.kind, error.message];
};

test('a change that is given up before its commit commits nothing, and one that waits for a connection leaves', async () => {
  const { store, forwarder, kept, count } = await opened();
  await using _ = forwarder;
  try {
    const changes = Array.from({ length: 12 }, () => new Change());
    const ended = Promise.withResolvers<void>();
    const look = store.prepare({ kind: 'system', name: 'read meta' });
    const waiting = changes.map((change) =>
      refused(
        store.write(function* (): Program<void> {
          yield* call(look, ['secret']);
          ended.resolve();
          yield* kept();
          yield* call(look, ['secret']);
          yield* call(look, ['secret']);
        }, change),
      ),
    );
    await ended.promise;
    forwarder.stop();
    assert.ok(store.pool().waiting > 0);
    for (const change of changes) change.giveUp();
    for (const [kind, why] of await Promise.all(waiting)) {
      assert.equal(kind, 'busy', why);
      assert.match(why, /given up before its commit/);
    }
    assert.equal(store.pool().waiting, 0);
    forwarder.goOn();
    // A connection that was silent meanwhile may end in the middle of a commit: its answer is replaced.
    const [find, drop] = (['find answer', 'drop answer'] as const).map((name) =>
      store.prepare({ kind: 'system', name }),
    );
    const replaced = function* (): Program<void> {
      for (const [, , , , , seq] of yield* call(find!, ['1', 'e', 'c', 'k'])) yield* call(drop!, [seq!]);
      yield* kept();
    };
    const keptNow = (): Promise<boolean> =>
      store.write(replaced).then(
        () => true,
        () => false,
      );
    await until(keptNow, 'a change after that');
    assert.equal(await count(), 1);
  } finally {
    await store.close();
  }
});

test('a change that is given up while it is committed is in doubt, and its connection is given back once that is known', async () => {
  const { store, forwarder, kept, count } = await opened();
  await using _ = forwarder;
  try {
    // A connection that is there.
    await store.commits();
    const change = new Change();
    forwarder.stop();
    const waiting = refused(store.write(kept, change));
    while (change.stage !== 'committing') await sleep(5);
    change.giveUp();
    const [kind, why] = await waiting;
    assert.equal(kind, 'failed');
    assert.match(why, /may be committed or not/);
    assert.equal(store.pool().used, 1);
    forwarder.goOn();
    while (store.pool().used > 0) await sleep(5);
    assert.equal(await count(), 1);
  } finally {
    await store.close();
  }
});

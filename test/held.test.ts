import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { compile } from '../src/compiler/compile.ts';
import type { Plan } from '../src/plan/step.ts';
import { Engine } from '../src/runtime/engine/engine.ts';
import { StoredOutbox } from '../src/runtime/events/outbox.ts';
import { forgetOldSecrets } from '../src/runtime/events/retention.ts';
import { PostgresStore } from '../src/store/postgres/store.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import type { Store } from '../src/store/store.ts';
import { ORDERS } from './harness.ts';
import { PostgresServer } from './postgres.ts';
import { times } from './share.ts';

// Receivers that nothing is sent to, paused or without a version that is described, may have deliveries without end: they
// stand in nobody's way, and looking for what is due writes nothing about them.

const PLAN = compile('orders.md', ORDERS).plan as Plan;
const MANY = times(2000, 100_000);
const AT = 1_800_000_000_000;

let server: PostgresServer;
const dir = mkdtempSync(join(tmpdir(), 'ninefold-held-'));
before(async () => {
  server = await PostgresServer.shared();
});
after(async () => {
  rmSync(dir, { recursive: true });
  await server[Symbol.asyncDispose]();
});

interface Stored {
  readonly store: Store;
  readonly run: (sql: string) => Promise<unknown[]>;
}

const STORES: Readonly<Record<string, () => Promise<Stored>>> = {
  SQLite: async () => {
    const path = join(mkdtempSync(join(dir, 'store-')), 'ninefold.sqlite');
    const store = new SqliteStore(path, PLAN, 'command');
    const run = async (sql: string): Promise<unknown[]> => {
      // Reads of one turn of the event loop see one state.
      await setImmediate();
      const db = new Database(path);
      try {
        const statement = db.prepare(sql);
        if (statement.reader) return statement.all();
        statement.run();
        return [];
      } finally {
        db.close();
        await setImmediate();
      }
    };
    return { store, run };
  },
  PostgreSQL: async () => {
    const url = await server.database();
    return { store: await PostgresStore.open(url, PLAN), run: (sql) => server.query(url, sql) };
  },
};

/** Numbers from 1 to a number, as a table `n`. */
const counting = (most: number): string =>
  `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${most})`;

async function fill({ run }: Stored): Promise<void> {
  const receiver = (id: string, version: string, paused: string): string =>
    `('${id}', 'https://${id}.example', 'whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0', '${version}', 0, 1, ${paused})`;
  await run(`INSERT INTO ninefold_receiver (id, url, secret, version, allow_private, created, paused) VALUES
    ${receiver('rcv_a', '2026-11-01', '1')}, ${receiver('rcv_b', '1999-01-01', 'NULL')}, ${receiver('rcv_c', '2026-11-01', 'NULL')}, ${receiver('rcv_d', '2025-06-01', 'NULL')}`);
  await run(`INSERT INTO ninefold_event (seq, id, type, resource, "row", at, packed)
    VALUES (1, 'evt_1', 'order.opened', 'Order', 'x', 1, '{}')`);
  for (const held of ['rcv_a', 'rcv_b'])
    await run(`INSERT INTO ninefold_delivery (event, receiver, line, due)
      ${counting(MANY)} SELECT 1, '${held}', 'line ' || i, ${AT} - i FROM n`);
  await run(`INSERT INTO ninefold_delivery (event, receiver, line, due)
    VALUES (1, 'rcv_c', 'x', ${AT + 5}), (1, 'rcv_c', 'y', ${AT + 900}), (1, 'rcv_d', 'x', ${AT + 7})`);
}

for (const [name, open] of Object.entries(STORES))
  test(`an old secret is stored no longer than it is valid, in ${name}`, async () => {
    const { store, run } = await open();
    try {
      for (const [id, until] of [
        ['rcv_over', AT],
        ['rcv_valid', AT + 1],
      ])
        await run(`INSERT INTO ninefold_receiver (id, url, secret, version, allow_private, created, old_secret, old_until)
          VALUES ('${id}', 'https://x', 'new', '', 0, 1, 'old', ${until})`);
      await store.write(() => forgetOldSecrets(store, AT));
      const left = 'SELECT id, old_secret FROM ninefold_receiver ORDER BY id';
      assert.deepEqual(await run(left), [
        { id: 'rcv_over', old_secret: null },
        { id: 'rcv_valid', old_secret: 'old' },
      ]);
    } finally {
      await store.close();
    }
  });

for (const [name, open] of Object.entries(STORES))
  test(`what is due to others is leased, however much waits for receivers that are held, in ${name}`, async () => {
    const stored = await open();
    const { store, run } = stored;
    try {
      const engine = await Engine.start(PLAN, store);
      await fill(stored);
      const outbox = new StoredOutbox(engine, null);
      assert.equal(await outbox.nextDue(), AT + 5, 'not that of a receiver that is held');
      const lease = async (full: readonly string[] = []): Promise<string[]> =>
        (await outbox.lease(AT + 10, 60_000, 8, new Set(full))).map(({ receiver }) => receiver.id);
      assert.deepEqual(await lease(['rcv_c']), ['rcv_d']);
      assert.deepEqual(await lease(), ['rcv_c']);
      assert.deepEqual(await lease(), []);
      assert.equal(await outbox.nextDue(), AT + 900);
      const untouched = `SELECT count(*) AS n FROM ninefold_delivery WHERE receiver IN ('rcv_a', 'rcv_b') AND due <= ${AT} AND attempts = 0`;
      assert.equal(Number(((await run(untouched)) as { n: number }[])[0]!.n), 2 * MANY);
      await run("UPDATE ninefold_receiver SET paused = NULL WHERE id = 'rcv_a'");
      const due = await outbox.lease(AT + 10, 60_000, 3, new Set());
      assert.deepEqual(
        [...new Set(due.map(({ receiver }) => receiver.id))],
        ['rcv_a'],
        'the oldest first, once it is resumed',
      );
      assert.equal(due.length, 3);
      await run("DELETE FROM ninefold_delivery WHERE receiver <> 'rcv_b'");
      assert.equal(await outbox.nextDue(), null, 'nothing is due to anybody but held receivers');
    } finally {
      await store.close();
    }
  });

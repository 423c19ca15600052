import './whole-alone.ts';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import Database from 'better-sqlite3';
import { compile } from '../src/compiler/compile.ts';
import type { Plan } from '../src/plan/step.ts';
import { restorePostgres } from '../src/store/postgres/restore.ts';
import { ORDERS, Workspace } from './harness.ts';
import { PostgresServer } from './postgres.ts';

// A store from before receivers could be paused or have two secrets, or payloads of their own, or kept attempts: its tables lack columns.

const COLUMNS = [
  ['ninefold_receiver', 'paused'],
  ['ninefold_receiver', 'old_secret'],
  ['ninefold_receiver', 'old_until'],
  ['ninefold_delivery', 'data'],
  ['ninefold_delivery', 'tried'],
];

let server: PostgresServer | null = null;
after(() => server?.[Symbol.asyncDispose]());

interface Made {
  readonly space: Workspace;
  readonly url: string | null;
}

async function made(store: string): Promise<Made> {
  const space = new Workspace(ORDERS);
  let url: string | null = null;
  if (store === 'PostgreSQL') {
    server ??= await PostgresServer.shared();
    url = await server.database();
    space.place = ['--store', url];
  }
  await space.receiver('http://127.0.0.1:9/', '--events', 'order.opened');
  await run(
    { space, url },
    COLUMNS.map(([table, column]) => `ALTER TABLE ${table} DROP COLUMN ${column}`),
  );
  return { space, url };
}

async function run({ space, url }: Made, all: readonly string[]): Promise<void> {
  if (url !== null) for (const sql of all) await server!.query(url, sql);
  else {
    const db = new Database(join(space.data, 'ninefold.sqlite'));
    for (const sql of all) db.exec(sql);
    db.close();
  }
}

for (const store of ['SQLite', 'PostgreSQL'])
  test(`a store of an older Ninefold is looked at as it is, and brought up to date when it is opened, in ${store}`, async () => {
    const older = await made(store);
    await using space = older.space;
    const dry = await space.cli('migrate', '--dry-run');
    assert.equal(dry.code, 0, dry.err);
    const backup = join(space.dir, 'backup');
    const backedUp = await space.cli('backup', '--to', backup);
    assert.equal(backedUp.code, 0, backedUp.err);
    const list = async (): Promise<{ id: string; paused: string | null }[]> =>
      JSON.parse((await space.cli('receivers', 'list', '--json')).out) as { id: string; paused: string | null }[];
    const [{ id, paused }] = (await list()) as [{ id: string; paused: string | null }];
    assert.equal(paused, null);
    assert.equal((await space.cli('receivers', 'pause', id)).code, 0);
    assert.notEqual((await list())[0]!.paused, null);
    // What was backed up before is restored into either store.
    server ??= await PostgresServer.shared();
    const plan = compile('orders.md', ORDERS).plan as Plan;
    const there = await server.database();
    await restorePostgres(backup, there, plan, { replace: false, unsealed: false });
    space.place = ['--store', there];
    assert.deepEqual(
      (await list()).map((one) => [one.id, one.paused]),
      [[id, null]],
    );
    space.place = ['--data', join(space.dir, 'restored')];
    const restored = await space.cli('restore', '--from', backup);
    assert.equal(restored.code, 0, restored.err);
    assert.equal((await list())[0]!.paused, null);
  });

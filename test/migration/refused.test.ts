import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import Database from 'better-sqlite3';
import { compile } from '../../src/compiler/compile.ts';
import type { Plan } from '../../src/plan/step.ts';
import { PostgresStore } from '../../src/store/postgres/store.ts';
import { call } from '../../src/store/store.ts';
import { edited, ORDERS, type Ran, Workspace } from '../harness.ts';
import { PostgresServer } from '../postgres.ts';
import { IN_WHOLE } from '../share.ts';

// What a backup of PostgreSQL, and a restore into it, refuse; and what is kept of what was there.

let server: PostgresServer;
const source = new Workspace(ORDERS);
let good: string;
let customer: string;

before(async () => {
  server = await PostgresServer.shared();
  good = join(source.dir, 'good.sqlite');
  customer = await source.customer();
  await source.key(customer);
  const ran = await source.cli('backup', '--to', good);
  assert.equal(ran.code, 0, ran.err);
});
after(async () => {
  await source[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** A document on a database of its own. */
async function own(document = ORDERS): Promise<{ space: Workspace; url: string } & AsyncDisposable> {
  const space = new Workspace(document);
  const url = await server.database();
  space.place = ['--store', url];
  return { space, url, [Symbol.asyncDispose]: () => space[Symbol.asyncDispose]() };
}

function mustRefuse(ran: Ran, why: RegExp, code = 3): void {
  assert.deepEqual([ran.code, ran.out], [code, ''], ran.err);
  assert.match(ran.err, why);
  assert.doesNotMatch(ran.err, /not-a-secret/);
}

/** Every table in a database with how many rows it has. */
async function tables(url: string): Promise<Record<string, number>> {
  const named = await server.query<{ t: string }>(
    url,
    "SELECT format('%I.%I', schemaname, tablename) AS t FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1",
  );
  const out: Record<string, number> = {};
  for (const { t } of named)
    out[t] = Number((await server.query<{ n: string }>(url, `SELECT count(*) AS n FROM ${t}`))[0]!.n);
  return out;
}

test('a backup is not written over a file, nor made of nothing, nor of another document’s rows', async () => {
  await using on = await own();
  const to = join(on.space.dir, 'backup.sqlite');
  mustRefuse(await on.space.cli('backup', '--to', to), /There is no store at postgres:/);
  await on.space.customer();
  assert.equal((await on.space.cli('backup', '--to', to)).code, 0);
  mustRefuse(await on.space.cli('backup', '--to', to), /“.*” exists already. Give the backup another name/);
  on.space.write(
    edited(ORDERS, ['at most 500 characters ', 'at most 400 characters '], ['1 to 80 char', '1 to 90 char']),
  );
  on.space.write(ORDERS.replace('| note     | string', '| remark   | string').replaceAll('note', 'remark'));
  const other = join(on.space.dir, 'other.sqlite');
  mustRefuse(await on.space.cli('backup', '--to', other), /The rows have the shape of another document.* order/i);
  assert.deepEqual(
    readdirSync(on.space.dir).filter((name) => name.includes('other')),
    [],
  );
  const away = new Workspace(ORDERS);
  away.place = ['--store', 'postgres://ninefold:secret-word@127.0.0.1:1/x'];
  const ran = await away.cli('backup', '--to', other);
  mustRefuse(ran, /The database “x” at 127\.0\.0\.1:1 cannot be reached/);
  assert.doesNotMatch(ran.err, /secret-word/);
  await away[Symbol.asyncDispose]();
});

test('a killed backup leaves no file under its name', IN_WHOLE, async () => {
  await using on = await own();
  await on.space.customer();
  const to = join(on.space.dir, 'killed.sqlite');
  // Somebody holds a table, so that the backup waits in the middle.
  const held = server.query(on.url, 'BEGIN; LOCK TABLE ninefold_call IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(3)');
  const bin = join(import.meta.dirname, '..', '..', 'bin', 'ninefold.js');
  const child = spawn(process.execPath, [bin, 'backup', on.space.file, '--to', to, ...on.space.place]);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  while (!readdirSync(on.space.dir).some((name) => name.includes('.part-')))
    await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill('SIGKILL');
  await ended;
  assert.ok(!readdirSync(on.space.dir).includes('killed.sqlite'));
  await held.catch(() => {});
  assert.equal((await on.space.cli('backup', '--to', to)).code, 0);
});

test(
  'rows that are there are not touched, unless told; and then they are kept, and can be backed up',
  IN_WHOLE,
  async () => {
    await using on = await own();
    const { space, url } = on;
    const before = await space.customer('Grace');
    const there = await tables(url);
    mustRefuse(await space.cli('restore', '--from', good), /^error: The database has rows already\..*add --replace/);
    assert.deepEqual(await tables(url), there);
    const ran = await space.cli('restore', '--from', good, '--replace', '--json');
    assert.deepEqual([ran.code, ran.err], [0, '']);
    const { kept } = JSON.parse(ran.out) as { kept: string };
    assert.match(kept, /^ninefold_before_\d/);
    const now = await tables(url);
    assert.deepEqual([now['public.customer'], now['public.ninefold_key'], now[`${kept}.customer`]], [1, 1, 1]);
    const ids = async (): Promise<string[]> =>
      (JSON.parse((await space.cli('rows', 'list', 'Customer', '--json')).out) as { id: string }[]).map(({ id }) => id);
    assert.deepEqual(await ids(), [customer]);
    // What is kept is a store like any other.
    const old = join(space.dir, 'old.sqlite');
    space.place = ['--store', `${url}?options=-csearch_path%3D${kept}`];
    const saved = await space.cli('backup', '--to', old);
    assert.deepEqual([saved.code, saved.err], [0, '']);
    space.place = ['--store', url];
    const back = await space.cli('restore', '--from', old, '--replace');
    assert.match(back.out, /The replaced store is kept as the schema ninefold_before_\d/);
    assert.deepEqual(await ids(), [before]);
    const service = await space.serve();
    assert.equal((await service.request('GET', '/orders')).status, 401);
    await service.stop();
  },
);

test('tables that hold nothing are filled', async () => {
  await using on = await own();
  await (await PostgresStore.open(on.url, compile('orders.md', ORDERS).plan as Plan)).close();
  const ran = await on.space.cli('restore', '--from', good, '--json');
  assert.deepEqual([ran.code, (JSON.parse(ran.out) as { kept: unknown }).kept], [0, null], ran.err);
  assert.equal((await tables(on.url))['public.customer'], 1);
});

test('a database on which a node runs is refused', IN_WHOLE, async () => {
  await using on = await own();
  const service = await on.space.serve();
  const there = await tables(on.url);
  for (const replace of [[], ['--replace']])
    mustRefuse(await on.space.cli('restore', '--from', good, ...replace), /A node is running on it\. Stop it first/);
  assert.deepEqual(await tables(on.url), there);
  assert.equal(await service.stop(), 0);
  const ran = await on.space.cli('restore', '--from', good);
  assert.deepEqual([ran.code, ran.err], [0, '']);
});

test('a database that a command is using is refused', async () => {
  await using on = await own();
  const store = await PostgresStore.open(on.url, compile('orders.md', ORDERS).plan as Plan);
  const count = store.prepare({ kind: 'count', resource: 'Customer', where: null });
  await store.read(() => call(count, []));
  mustRefuse(await on.space.cli('restore', '--from', good), /Others use it, with 1 connection. Stop the nodes/);
  await store.close();
  assert.equal((await on.space.cli('restore', '--from', good)).code, 0);
});

test('a backup that is damaged, another document’s, or none, is refused before anything is touched', async () => {
  await using on = await own();
  const bad = join(on.space.dir, 'bad.sqlite');
  const bytes = readFileSync(good);
  bytes.fill(0x5a, bytes.length >> 1, (bytes.length >> 1) + 8192);
  writeFileSync(bad, bytes);
  mustRefuse(await on.space.cli('restore', '--from', bad), /^error: “[^”]*bad\.sqlite” is damaged/);
  mustRefuse(await on.space.cli('restore', '--from', join(on.space.dir, 'none')), /There is no backup/);
  mustRefuse(await on.space.cli('restore', '--from', on.space.file), /has no checksum/);
  mustRefuse(
    await on.space.cli('restore', '--from', on.space.file, '--without-checksum'),
    /^error: “[^”]*\.md” can’t be restored: .*not a database/,
  );
  on.space.write(edited(ORDERS, ['at most 500 characters ', 'at most 400 characters ']));
  mustRefuse(
    await on.space.cli('restore', '--from', good),
    /^error: “[^”]*good\.sqlite” can’t be restored: The rows have the shape of another document\. With this document, Order.note may hold fewer values/,
  );
  assert.deepEqual(await tables(on.url), {});
});

/** The good backup as an older Ninefold would have made it, for whoever changes something in it. */
function unsealed(to: string): void {
  rmSync(to, { force: true });
  const db = new Database(good, { readonly: true });
  db.prepare('VACUUM INTO ?').run(to);
  db.close();
}

test('a value that PostgreSQL can’t hold is named, and nothing is changed', async () => {
  await using on = await own();
  const { space, url } = on;
  await space.customer('Grace');
  const there = await tables(url);
  const bad = join(space.dir, 'bad.sqlite');
  const spoilt = async (sql: string, ...values: unknown[]): Promise<Ran> => {
    unsealed(bad);
    const db = new Database(bad);
    db.prepare(sql).run(...values);
    db.close();
    const ran = await space.cli('restore', '--from', bad, '--replace', '--without-checksum');
    assert.deepEqual(await tables(url), there);
    return ran;
  };
  mustRefuse(
    await spoilt('UPDATE customer SET name = ?', 'a\0b'),
    new RegExp(
      `PostgreSQL cannot store Customer\\.name of the row “${customer}”: it contains U\\+0000.*Nothing has been changed`,
    ),
  );
  mustRefuse(
    await spoilt(
      'UPDATE customer SET email = ?',
      Array.from({ length: 1000 }, (_, n) => String.fromCodePoint(0x1_0000 + ((n * 7919) % 60_000))).join(''),
    ),
    /PostgreSQL cannot store Customer\.email: it is too long for its index/,
  );
  mustRefuse(
    await spoilt('UPDATE ninefold_key SET created = ?', 2n ** 60n),
    /PostgreSQL cannot store ninefold_key\.created of the row .*2\^53/,
  );
});

test('a backup says where it is of without the password, and both places at once are wrong use', async () => {
  await using on = await own();
  const ran = await on.space.cli('restore', '--from', good);
  assert.match(ran.out, /is restored to postgres:\/\/ninefold@127\.0\.0\.1:\d+\/test_[\d_]+: /);
  assert.doesNotMatch(ran.out, /not-a-secret/);
  on.space.place = ['--data', on.space.data, ...on.space.place];
  mustRefuse(await on.space.cli('backup', '--to', join(on.space.dir, 'x')), /cannot be used with/, 2);
});

test('a backup from before there were schemes, streams and calls is restored all the same', async () => {
  await using on = await own();
  const old = join(on.space.dir, 'old.sqlite');
  unsealed(old);
  const db = new Database(old);
  for (const table of ['ninefold_streamed', 'ninefold_call', 'ninefold_counter']) db.exec(`DROP TABLE ${table}`);
  db.exec('ALTER TABLE ninefold_key DROP COLUMN mark');
  db.close();
  const ran = await on.space.cli('restore', '--from', old, '--without-checksum');
  assert.deepEqual([ran.code, ran.err], [0, '']);
  const keys = await on.space.cli('keys', 'list', '--json');
  assert.deepEqual(
    (JSON.parse(keys.out) as { holder: string; scheme: string }[]).map(({ holder, scheme }) => [holder, scheme]),
    [[customer, 'API key']],
  );
});

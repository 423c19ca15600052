import './whole-alone.ts';
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import Database from 'better-sqlite3';
import { databaseFile } from '../src/cli/stores.ts';
import { compile } from '../src/compiler/compile.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import { StoreError } from '../src/store/store.ts';
import { ORDERS, Workspace } from './harness.ts';
import { PostgresServer } from './postgres.ts';
import { share } from './share.ts';

const PLAN = compile('orders.md', ORDERS).plan!;
/** Commands that begin to use a store, each in its own way. */
const COMMANDS: readonly (readonly string[])[] = [
  ['serve', '--port', '0'],
  ['rows', 'list', 'Order'],
  ['keys', 'list'],
  ['receivers', 'list'],
  ['migrate'],
  ['migrate', '--dry-run'],
  ['backup', '--to', 'BACKUP'],
];

let server: PostgresServer;
const space = new Workspace(ORDERS);
before(async () => {
  server = await PostgresServer.shared();
});
after(async () => {
  await space[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** The messages of commands that refuse a store, which they leave as it is. */
async function refused(
  commands: typeof COMMANDS,
  place: readonly string[],
  untouched: () => unknown,
): Promise<string[]> {
  const own = new Workspace(ORDERS);
  own.place = place;
  const before = untouched();
  const said: string[] = [];
  for (const [command = '', ...args] of commands) {
    const words = args.map((word) => (word === 'BACKUP' ? join(own.dir, 'b.sqlite') : word));
    const { code, err } = await own.cliHere(command, ...words);
    assert.equal(code, 3, `${command}: ${err}`);
    said.push(err);
    assert.deepEqual(untouched(), before, command);
  }
  await own[Symbol.asyncDispose]();
  return said;
}

/** Makes the file of another program. */
function made(name: string, sql: string): string {
  const path = join(space.dir, name, 'ninefold.sqlite');
  mkdirSync(join(space.dir, name));
  const db = new Database(path);
  db.exec(sql);
  db.close();
  return path;
}

const bytesOf = (path: string) => () => [readFileSync(path).toString('base64'), statSync(path).mtimeMs];

test('another program’s SQLite file is refused by every command, untouched', async () => {
  for (const [name, sql, says] of [
    ['tables', 'CREATE TABLE users (id INTEGER PRIMARY KEY)', /tables that Ninefold did not make \(“users”\)/],
    ['numbered', 'PRAGMA application_id = 252006675', /application_id is 0x0f055113/],
    ['wal', 'PRAGMA journal_mode = WAL; CREATE TABLE users (id INTEGER PRIMARY KEY)', /another program/],
    ['meta', 'CREATE TABLE ninefold_meta (a, b)', /“ninefold_meta” has the columns a, b, and not key and value/],
  ] as const) {
    const path = made(name, sql);
    // The commands differ in how they begin, and the files in why they are refused.
    const commands = name === 'tables' ? COMMANDS : share(COMMANDS, 1).cases;
    for (const said of await refused(commands, ['--data', join(path, '..')], bytesOf(path))) assert.match(said, says);
  }
});

test('a restore puts nothing in the place of another program’s file', async () => {
  await space.customer();
  const backup = join(space.dir, 'backup.sqlite');
  assert.equal((await space.cli('backup', '--to', backup)).code, 0);
  const path = made('replaced', 'CREATE TABLE users (id INTEGER PRIMARY KEY)');
  const before = bytesOf(path)();
  const own = new Workspace(ORDERS);
  own.place = ['--data', join(path, '..')];
  const { code, err } = await own.cliHere('restore', '--from', backup, '--replace');
  await own[Symbol.asyncDispose]();
  assert.equal(code, 3, err);
  assert.match(err, /the database of another program/);
  assert.deepEqual(bytesOf(path)(), before);
});

test('what acts on stored rows, and a table that was changed, is refused', async () => {
  for (const [sql, says] of [
    [
      'CREATE TRIGGER swallow BEFORE INSERT ON "order" BEGIN SELECT RAISE(IGNORE); END',
      /trigger “swallow” on the table “order”/,
    ],
    ['CREATE UNIQUE INDEX once ON "order" (sku)', /unique index “once” on the table “order”/],
    ['ALTER TABLE "order" ADD COLUMN extra TEXT', /has a column “extra” that Ninefold did not make/],
    ['ALTER TABLE "order" RENAME COLUMN note TO remark', /lacks the column “note”/],
  ] as const) {
    const path = join(space.dir, `altered-${says.source.length}-${sql.length}`, 'ninefold.sqlite');
    await new SqliteStore(path, PLAN).close();
    const db = new Database(path);
    db.exec(sql);
    db.close();
    assert.throws(
      () => new SqliteStore(path, PLAN, 'command'),
      (error: unknown) => error instanceof StoreError && says.test(error.message),
      sql,
    );
  }
});

test('a column of another program is refused by every command, and not copied into a backup', async () => {
  const path = join(space.dir, 'widened', 'ninefold.sqlite');
  await new SqliteStore(path, PLAN).close();
  const db = new Database(path);
  db.exec('ALTER TABLE "order" ADD COLUMN extra INTEGER CHECK (extra < quantity)');
  db.close();
  const files = (): string => readFileSync(path).toString('base64');
  for (const said of await refused(COMMANDS, ['--data', join(path, '..')], files))
    assert.match(said, /has a column “extra” that .* Remove it \(ALTER TABLE "order" DROP COLUMN "extra"\)/);
});

test('a backup, and a directory of data, whose name begins or ends with white space', async () => {
  const own = new Workspace(ORDERS);
  own.place = ['--data', join(own.dir, ' data ')];
  await own.customer();
  const { code, err } = await own.cliHere('backup', '--to', join(own.dir, ' backup '));
  assert.equal(code, 0, err);
  // SQLite’s driver would leave out the first character of it.
  assert.equal(databaseFile(' data '), join(process.cwd(), ' data ', 'ninefold.sqlite'));
  await own[Symbol.asyncDispose]();
});

test('a store from before the number was written is taken over, and has it then', async () => {
  const path = join(space.dir, 'older', 'ninefold.sqlite');
  const numbered = (): unknown => {
    const db = new Database(path);
    try {
      return db.pragma('application_id', { simple: true });
    } finally {
      db.close();
    }
  };
  await new SqliteStore(path, PLAN).close();
  assert.equal(numbered(), 0x4e494e45);
  const db = new Database(path);
  db.pragma('application_id = 0');
  db.close();
  await new SqliteStore(path, PLAN, 'command').close();
  assert.equal(numbered(), 0x4e494e45);
});

test('on PostgreSQL, what acts on the rows is refused, other tables are left alone, and none is taken for ours', async () => {
  const url = await server.database();
  const place = ['--store', url];
  const ask = async (command: string, ...args: string[]) => {
    const own = new Workspace(ORDERS);
    own.place = place;
    const ran = await own.cliHere(command, ...args);
    await own[Symbol.asyncDispose]();
    return ran;
  };
  await server.query(url, 'CREATE TABLE "order" (id int); CREATE TABLE users (id int)');
  const taken = await ask('serve', '--port', '0');
  assert.equal(taken.code, 3, taken.err);
  assert.match(
    taken.err,
    /The schema “public” has tables of another program with names that this document needs: “order”/,
  );
  assert.equal((await server.query(url, "SELECT 1 FROM pg_class WHERE relname LIKE 'ninefold%'")).length, 0);
  await server.query(url, 'DROP TABLE "order"');
  const own = new Workspace(ORDERS);
  own.place = place;
  await own.customer();
  await own[Symbol.asyncDispose]();
  await server.query(
    url,
    `CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
    CREATE TRIGGER swallow BEFORE INSERT ON "order" FOR EACH ROW EXECUTE FUNCTION swallow()`,
  );
  for (const [command, ...args] of [['serve', '--port', '0'], ['rows', 'list', 'Order'], ['migrate']] as const) {
    const { code, err } = await ask(command, ...args);
    assert.equal(code, 3, err);
    assert.match(err, /has a trigger “swallow” on the table “order” that Ninefold did not make/);
  }
  await server.query(
    url,
    'DROP TRIGGER swallow ON "order"; CREATE RULE none AS ON DELETE TO "order" DO INSTEAD NOTHING',
  );
  assert.match((await ask('rows', 'list', 'Order')).err, /has a rule “none”/);
  await server.query(url, 'DROP RULE none ON "order"');
  assert.equal((await ask('rows', 'list', 'Order')).code, 0);
});

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import { readAddress } from '../src/store/postgres/address.ts';
import { PostgresStore } from '../src/store/postgres/store.ts';
import { call, type Program, StoreError } from '../src/store/store.ts';
import { ORDERS, Workspace } from './harness.ts';
import { PostgresServer } from './postgres.ts';

const PLAN = compile('orders.md', ORDERS).plan!;

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(async () => {
  await server[Symbol.asyncDispose]();
});

const stringsOf = (url: string): unknown[] => readAddress(url).hosts.map(({ config }) => config.connectionString);

test('an address of several servers is read as libpq reads it', () => {
  assert.deepEqual(stringsOf('postgres://u:p%40@a,b:5433/db?target_session_attrs=read-write&sslmode=require'), [
    'postgres://u:p%40@a/db?sslmode=require',
    'postgres://u:p%40@b:5433/db?sslmode=require',
  ]);
  assert.deepEqual(stringsOf('postgresql://u@/db?host=a,::1,/run/pg&port=5433'), [
    'postgresql://u@a:5433/db',
    'postgresql://u@[::1]:5433/db',
    'postgresql://u@%2Frun%2Fpg:5433/db',
  ]);
  assert.deepEqual(stringsOf('postgres://u@a,b/db?port=1,2'), ['postgres://u@a:1/db', 'postgres://u@b:2/db']);
  assert.deepEqual(stringsOf('postgres://u@[::1]:1,[::2]/db'), ['postgres://u@[::1]:1/db', 'postgres://u@[::2]/db']);
  assert.equal(readAddress('postgres://u:secret@a:1,b/db').where, 'The database “db” at a:1,b:5432');
  for (const [url, says] of [
    ['postgres://a,b/db?target_session_attrs=standby', /is read-write, primary or any, not “standby”/],
    ['postgres://a,b,c/db?port=1,2', /has 3 hosts and 2 ports/],
    ['postgres://u:secret@a:x,b/db', /not a URL/],
    ['mysql://a,b/db', /begins with postgres:\/\//],
    ['a,b', /not a URL/],
  ] as const)
    assert.throws(
      () => readAddress(url),
      (error: unknown) => error instanceof StoreError && says.test(error.message) && !error.message.includes('secret'),
      url,
    );
});

test('the server that accepts changes is found among others, and what is not told holds no password', async () => {
  const url = await server.database();
  const { username, password, pathname, port } = new URL(url);
  // Nobody listens at the first, and its place is taken at once.
  const several = `postgres://${username}:${password}@127.0.0.1:1,127.0.0.1:${port}${pathname}?target_session_attrs=read-write`;
  const store = await PostgresStore.open(several, PLAN);
  try {
    const meta = store.prepare({ kind: 'system', name: 'read meta' });
    const secret = await store.write(function* (): Program<unknown> {
      return yield* call(meta, ['secret']);
    });
    assert.ok(secret);
  } finally {
    await store.close();
  }
  await server.query(url, `ALTER DATABASE ${pathname.slice(1)} SET default_transaction_read_only = on`);
  const own = new Workspace(ORDERS);
  own.place = ['--store', several];
  const { code, err } = await own.cliHere('rows', 'list', 'Order');
  await own[Symbol.asyncDispose]();
  assert.equal(code, 3);
  assert.match(err, /at 127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)/);
  assert.match(err, /accepts no changes: default_transaction_read_only is on/);
  assert.ok(!err.includes(password), err);
});

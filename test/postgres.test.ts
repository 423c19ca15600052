import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { META_TABLE } from '../src/store/postgres/create.ts';
import { ORDERS, type Ran, Workspace } from './harness.ts';
import { PostgresServer } from './postgres.ts';
import { IN_WHOLE } from './share.ts';

let server: PostgresServer;
const space = new Workspace(ORDERS);

before(async () => {
  server = await PostgresServer.shared();
});
after(async () => {
  await space[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** What a command says of a store that can’t be used. */
async function refused(url: string): Promise<string> {
  space.place = ['--store', url];
  const ran: Ran = await space.cli('rows', 'list', 'Order');
  assert.equal(ran.code, 3, ran.err);
  assert.equal(ran.out, '');
  return ran.err;
}

test('a store that can’t be used is refused in a sentence, and no password is told', async () => {
  const wrong = await refused(server.url('postgres', 'a-wrong-one'));
  assert.match(wrong, /does not accept this user and password/);
  assert.doesNotMatch(wrong, /a-wrong-one/);
  assert.match(await refused(server.url('nowhere')), /does not exist\. Create it first/);
  const away = await refused('postgres://ninefold:secret-word@127.0.0.1:1/x');
  assert.match(away, /The database “x” at 127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)/);
  assert.doesNotMatch(away, /secret-word/);
  assert.match(await refused('mysql://127.0.0.1/x'), /The address of a store begins with postgres:\/\//);
  assert.match(await refused('x'), /not a URL such as postgres:\/\/user@host:5432\/database/);
  await server.query('postgres', "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
  assert.match(await refused(server.url('latin')), /has the encoding LATIN1\. Create a database with ENCODING 'UTF8'/);
});

test('a database that is not durable is refused', async () => {
  const url = await server.database();
  await server.query(
    url,
    `ALTER ROLE ninefold IN DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`,
  );
  assert.match(await refused(url), /is not durable: synchronous_commit is off.*Switch it on\./);
  await using other = await PostgresServer.start({ fsync: 'off', full_page_writes: 'off' });
  assert.match(await refused(await other.database()), /is not durable: fsync, full_page_writes are off/);
});

test('several nodes begin at once on an empty database, or after one that was killed before it had made its tables', async () => {
  const empty = await server.database();
  const begun = await server.database();
  for (const sql of META_TABLE) await server.query(begun, sql);
  await using own = new Workspace(ORDERS);
  for (const [url, nodes] of [
    [empty, 3],
    [begun, 1],
  ] as const) {
    own.place = ['--store', url];
    await Promise.all(Array.from({ length: nodes }, async () => (await own.serve()).stop()));
  }
});

test('a password from the environment is used, and the start says where rows are without it', IN_WHOLE, async () => {
  const url = new URL(await server.database());
  const { password } = url;
  url.password = '';
  await using own = new Workspace(ORDERS);
  own.place = ['--store', url.href];
  const service = await own.serve({ env: { PGPASSWORD: password } });
  assert.match(service.out, /Rows are in postgres:\/\/ninefold@127\.0\.0\.1:\d+\/test_[\d_]+\./);
  assert.ok(!`${service.out}${service.err}`.includes(password));
  await service.stop();
  const without = await refused(url.href);
  assert.match(without, /requires a password: give it in PGPASSWORD/);
});

test('both places at once are wrong use', async () => {
  space.place = ['--data', space.data, '--store', server.url('postgres')];
  const ran = await space.cli('rows', 'list', 'Order');
  assert.equal(ran.code, 2, ran.err);
});

for (const allowed of ['1 to 4000 characters', '`/^[^x]+x?$/`'])
  test(`text that is too long for an index is unique all the same: ${allowed}`, async () => {
    await using own = new Workspace(
      ORDERS.replace('1 to 80 characters     | operator |          |', `${allowed} | operator | yes      |`),
    );
    own.place = ['--store', await server.database()];
    // No two characters alike in a row, and four bytes each: nothing that could be packed.
    const name = Array.from({ length: 3900 }, (_, n) => String.fromCodePoint(0x1_0000 + ((n * 7919) % 60_000))).join(
      '',
    );
    const add = (id: string, said: string) =>
      own.cli('rows', 'add', 'Customer', `id=${id}`, `name=${said}`, `email=${id.slice(-4)}@example.com`);
    assert.equal((await add('00000000-0000-4000-8000-000000000001', name)).code, 0);
    const taken = await add('00000000-0000-4000-8000-000000000002', name);
    assert.equal(taken.code, 1, taken.err);
    assert.equal((await add('00000000-0000-4000-8000-000000000003', `${name}x`)).code, 0);
  });

test('a command with another document is refused, and nothing is changed', async () => {
  const url = await server.database();
  await using own = new Workspace(ORDERS);
  own.place = ['--store', url];
  await own.customer();
  own.write(ORDERS.replace('| note     | string', '| remark   | string').replaceAll('note', 'remark'));
  const ran = await own.cli('rows', 'list', 'Order');
  assert.equal(ran.code, 3, ran.err);
  assert.match(
    ran.err,
    /The rows have the shape of another document\. With this document, Order.note is removed, with its values/,
  );
});

test('a node that starts, and a command, wait for nobody who is writing, and nobody for them', IN_WHOLE, async () => {
  const url = await server.database();
  await using own = new Workspace(ORDERS);
  own.place = ['--store', url];
  await own.customer();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `SELECT format('%I', tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
    );
    assert.ok(rows.length > 10);
    await client.query('BEGIN');
    await client.query(`LOCK TABLE ${rows.map(({ name }) => name).join(', ')} IN ROW EXCLUSIVE MODE`);
    await server.query(url, `ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET lock_timeout = '1s'`);
    const listed = await own.cli('rows', 'list', 'Customer');
    assert.equal(listed.code, 0, listed.err);
    const service = await own.serve();
    assert.equal((await service.request('GET', '/orders')).status, 401);
  } finally {
    await client.end();
  }
});

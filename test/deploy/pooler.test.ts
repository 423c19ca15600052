import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { edited, PATIENT, until, Workspace } from '../harness.ts';
import { PostgresServer } from '../postgres.ts';
import { Receiver } from '../receiver.ts';
import { IN_WHOLE, WHOLE } from '../share.ts';
import { Pooler, withoutPooler } from './pooler.ts';

const missing = WHOLE && withoutPooler();
const OPTIONS = !WHOLE ? IN_WHOLE : missing ? { skip: missing } : {};

let server: PostgresServer;

before(async () => {
  if (WHOLE && !missing) server = await PostgresServer.start({ max_connections: '100' });
});

after(async () => {
  await server?.[Symbol.asyncDispose]();
});

/** Has a pooler open so many connections, which it then keeps for others. */
async function warmed(url: string, count: number): Promise<void> {
  const clients = Array.from({ length: count }, () => new pg.Client({ connectionString: url }));
  await Promise.all(clients.map((client) => client.connect()));
  await Promise.all(clients.map((client) => client.query('SELECT pg_sleep(0.1)')));
  await Promise.all(clients.map((client) => client.end()));
}

test(
  'behind a pooler that keeps sessions, nodes serve, notify one another, and leave nothing behind',
  OPTIONS,
  async () => {
    const direct = await server.database();
    await using pooler = await Pooler.start(direct, 'session', { default_pool_size: '40' });
    await using space = new Workspace(PATIENT);
    space.place = ['--store', pooler.url];
    await using receiver = await new Receiver().up();
    const one = await space.serve({ args: ['--allow-private'] });
    const two = await space.serve({ args: ['--allow-private'] });
    const key = await space.key(await space.customer());
    await space.receiver(receiver.url);
    const order = await one.opened(key, 'AAA-0001');
    assert.equal((await two.request('GET', `/orders/${order}`, { key })).status, 200);
    await until(() => receiver.got.length === 1, 'an event told', 60);
    // Whoever listens looks now and then whether the server is the one to use still.
    const listening =
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE query IN ('LISTEN ninefold', 'SELECT pg_is_in_recovery()')";
    assert.deepEqual(await server.query(direct, listening), [{ n: 2 }]);

    // What a killed node held, it holds no more: the pooler gives its connections back as they were.
    await one.kill();
    assert.equal(await two.stop(), 0, two.err);
    const backup = join(space.dir, 'backup');
    const made = await space.cli('backup', '--to', backup);
    assert.equal(made.code, 0, made.err);
    // The killed one counts as running for some seconds.
    const restores = async (): Promise<boolean> =>
      (await space.cli('restore', '--from', backup, '--replace')).code === 0;
    await until(restores, 'the backup restored', 60);
    const held = "SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory'";
    assert.deepEqual(await server.query(direct, held), [{ n: 0 }]);

    // A node of the document before is sent away by a migration, as it is without a pooler.
    const old = await space.serve();
    space.write(edited(PATIENT, ['at most 500 characters', 'at most 400 characters']));
    const moved = await space.cli('migrate');
    assert.equal(moved.code, 0, moved.err + moved.out);
    const refused = await old.request('GET', `/orders/${order}`, { key });
    assert.equal(refused.status, 503);
  },
);

for (const [mode, settings] of [
  ['transaction', {}],
  ['transaction', { server_round_robin: '1' }],
  ['transaction', { default_pool_size: '1' }],
  ['statement', {}],
] as const)
  test(`behind a pooler of ${mode}s, nothing is begun: ${JSON.stringify(settings)}`, OPTIONS, async () => {
    const direct = await server.database();
    await using pooler = await Pooler.start(direct, mode, settings);
    await warmed(pooler.url, 5);
    await using space = new Workspace(PATIENT);
    space.place = ['--store', pooler.url];
    const add = ['add', 'Customer', 'id=0195c2a0-0000-7000-8000-000000000001', 'name=Ada', 'email=a@b.example'];
    for (const [command, ...args] of [
      ['serve', '--port', '0'],
      ['rows', ...add],
      ['migrate'],
      ['backup', '--to', join(space.dir, 'backup')],
    ] as const) {
      const { code, err } = await space.cliHere(command, ...args);
      assert.equal(code, 3, `${command}: ${err}`);
      assert.match(err, /pools transactions or statements, and Ninefold needs sessions/, command);
    }
    const tables = "SELECT count(*)::int AS n FROM pg_tables WHERE tablename LIKE 'ninefold%'";
    assert.deepEqual(await server.query(direct, tables), [{ n: 0 }]);
  });

test('a pooler with too few connections is told apart from a database that is away', OPTIONS, async () => {
  await using pooler = await Pooler.start(await server.database(), 'session', { default_pool_size: '1' });
  await using space = new Workspace(PATIENT);
  space.place = ['--store', pooler.url];
  const { code, err } = await space.serveRefused('--port', '0');
  assert.equal(code, 3);
  assert.match(err, /no second connection to give/);
});

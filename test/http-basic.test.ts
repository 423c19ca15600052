import './whole-alone.ts';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import type { Plan } from '../src/plan/step.ts';
import { Engine } from '../src/runtime/engine/engine.ts';
import { Operator } from '../src/runtime/operator.ts';
import { Service } from '../src/runtime/service.ts';
import { PostgresStore } from '../src/store/postgres/store.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import type { Store } from '../src/store/store.ts';
import { edited } from './harness.ts';
import { hashesBegun } from './hashes.ts';
import { PostgresServer } from './postgres.ts';

const READINGS = readFileSync(new URL('../docs/documents/readings.md', import.meta.url), 'utf8');
/** The readings, with time and requests enough for a busy machine. */
const PLAN = compile(
  'readings.md',
  edited(
    READINGS,
    ['| 10 seconds             |', '| 120 seconds            |'],
    ['| 60 requests per minute |', '| 9000 requests per hour |'],
  ),
).plan as Plan;

const RIGHT = 'correct horse battery';

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

/** Services that share their rows: of SQLite one, of PostgreSQL two. */
const PLACES: Readonly<Record<string, () => Promise<Store[]>>> = {
  SQLite: async () => [new SqliteStore(':memory:', PLAN)],
  PostgreSQL: async () => {
    const url = await server.database();
    return [await PostgresStore.open(url, PLAN), await PostgresStore.open(url, PLAN)];
  },
};

const authorization = (name: string, password: string): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;

for (const [name, open] of Object.entries(PLACES))
  describe(`HTTP Basic on ${name}`, () => {
    const services: Service[] = [];
    let operator: Operator;
    const logged: string[] = [];

    before(async () => {
      const stores = await open();
      for (const store of stores) {
        const log = (line: unknown): unknown => logged.push(JSON.stringify(line));
        const service = new Service({ host: '127.0.0.1', port: 0, admin: null, url: null, secrets: () => '', log });
        await service.start(PLAN, store);
        services.push(service);
      }
      operator = new Operator(await Engine.start(PLAN, stores[0]!));
      for (const caretaker of ['Ada', 'Bob', 'Cyd'])
        await operator.add(
          'Caretaker',
          new Map([
            ['name', caretaker],
            ['password', RIGHT],
          ]),
        );
    });
    after(async () => {
      for (const service of services) await service.stop();
    });

    const send = async (
      user: string,
      password: string,
      { node = 0, method = 'GET', path = '/me', body = null as object | null } = {},
    ): Promise<number> => {
      const response = await fetch(`http://127.0.0.1:${services.at(node)!.port}${path}`, {
        method,
        headers: {
          authorization: authorization(user, password),
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        body: body && JSON.stringify(body),
      });
      await response.text();
      return response.status;
    };

    test('an unknown name costs one hash, as a wrong password does; a right one is hashed once', async () => {
      for (const [user, password] of [
        ['Nobody', RIGHT],
        ['Ada', 'correct horse batterz'],
        ['Ada', 'correct horse batterz'],
      ] as const)
        assert.equal(await hashesBegun(async () => assert.equal(await send(user, password), 401)), 1);
      const all = () => Promise.all(Array.from({ length: 8 }, () => send('ADA', RIGHT)));
      assert.equal(await hashesBegun(async () => assert.deepEqual(await all(), Array(8).fill(200))), 1);
      assert.equal(await hashesBegun(async () => assert.equal(await send('ada', RIGHT), 200)), 0);
    });

    test('a password that has changed is refused on every node from the next request on', async () => {
      for (const node of [0, -1]) assert.equal(await send('Bob', RIGHT, { node }), 200);
      const change = { method: 'PUT', path: '/me/password', body: { password: 'another password' } };
      assert.equal(await send('Bob', RIGHT, change), 204);
      for (const node of [-1, 0]) assert.equal(await send('Bob', RIGHT, { node }), 401);
      for (const node of [-1, 0]) assert.equal(await send('Bob', 'another password', { node }), 200);
    });

    test('a row that is closed or removed is refused on every node, with the same work', async () => {
      for (const node of [0, -1]) assert.equal(await send('Cyd', RIGHT, { node }), 200);
      assert.equal(await send('Cyd', RIGHT, { method: 'DELETE' }), 204);
      for (const node of [-1, 0])
        assert.equal(await hashesBegun(async () => assert.equal(await send('Cyd', RIGHT, { node }), 401)), 1);
      const [ada] = (await operator.list('Caretaker')).filter((row) => row.name === 'Ada');
      assert.equal(await send('Ada', RIGHT, { node: -1 }), 200);
      await operator.remove('Caretaker', String(ada?.id));
      for (const node of [-1, 0]) assert.equal(await send('Ada', RIGHT, { node }), 401);
    });

    test('two requests that store hashes of the same password at once are both accepted', async () => {
      const again = { method: 'PUT', path: '/me/password', body: { password: 'another password' } };
      const both = await Promise.all([0, -1, 0, -1].map((node) => send('Bob', 'another password', { node, ...again })));
      assert.deepEqual(both, [204, 204, 204, 204]);
    });

    test('no line of the log has a password', () => {
      const secret = /battery|another password|Basic [A-Za-z0-9]/;
      assert.deepEqual(
        logged.filter((line) => secret.test(line)),
        [],
      );
    });
  });

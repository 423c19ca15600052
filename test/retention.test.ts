import './whole-alone.ts';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import Database from 'better-sqlite3';
import pg from 'pg';
import { PATIENT, until, Workspace } from './harness.ts';
import { PostgresServer } from './postgres.ts';
import { Receiver } from './receiver.ts';
import { IN_WHOLE } from './share.ts';

const DAY = 24 * 60 * 60 * 1000;

/** The tables of a service that is not asked through it. */
interface Tables {
  query(sql: string): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>;
  end(): Promise<void>;
}

function sqlite(space: Workspace): Tables {
  const db = new Database(join(space.data, 'ninefold.sqlite'));
  return {
    query: async (sql) => {
      const statement = db.prepare(sql);
      if (statement.reader) return statement.all() as Record<string, unknown>[];
      statement.run();
      return [];
    },
    end: async () => void db.close(),
  };
}

async function postgres(url: string): Promise<Tables> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return { query: async (sql) => (await client.query(sql)).rows as Record<string, unknown>[], end: () => client.end() };
}

let server: PostgresServer | null = null;
after(() => server?.[Symbol.asyncDispose]());

/** More than are forgotten at once. */
const OVER = 1200;

for (const store of ['SQLite', 'PostgreSQL'])
  test(
    `events are forgotten so long after their delivery as the document says, and no others, in ${store}`,
    store === 'SQLite' ? {} : IN_WHOLE,
    async () => {
      await using space = new Workspace(PATIENT);
      let url = '';
      if (store === 'PostgreSQL') {
        server = await PostgresServer.shared();
        url = await server.database();
        space.place = ['--store', url];
      }
      await using receiver = await new Receiver().up();
      const key = await space.key(await space.customer());
      await space.receiver(receiver.url, '--events', 'order.opened');
      const open = (): Promise<Tables> | Tables => (store === 'SQLite' ? sqlite(space) : postgres(url));
      let tables = await open();
      const now = Date.now();
      const [{ id: to } = {}] = await tables.query('SELECT id FROM ninefold_receiver');
      // An event of each kind: over, not yet, still to be delivered, and one that nobody was told of.
      const add = async (name: string, at: number, state: string | null, ended: number | null): Promise<void> => {
        await tables.query(
          `INSERT INTO ninefold_event (id, type, resource, "row", at, packed) VALUES ('${name}', 'order.opened', 'Order', 'x', ${at}, '{}')`,
        );
        if (state === null) return;
        await tables.query(
          `INSERT INTO ninefold_delivery (event, receiver, line, state, attempts, due, last_at) SELECT seq, '${to}', '${name}', '${state}', 1, ${state === 'pending' ? now + DAY : 'NULL'}, ${ended ?? 'NULL'} FROM ninefold_event WHERE id = '${name}'`,
        );
      };
      await tables.query('BEGIN');
      for (let i = 0; i < OVER; i++)
        await add(`over ${i}`, now - 60 * DAY, i % 2 ? 'delivered' : 'given up', now - 31 * DAY);
      for (let i = 0; i < OVER; i++) await add(`untold ${i}`, now - 31 * DAY, null, null);
      await add('not yet', now - 60 * DAY, 'delivered', now - 29 * DAY);
      await add('pending', now - 60 * DAY, 'pending', now - 40 * DAY);
      await add('young and untold', now - 29 * DAY, null, null);
      for (let i = 0; i < OVER; i++)
        await tables.query(
          `INSERT INTO ninefold_call (id, handler, takes, created, state) VALUES ('c${i}', 'h', '{}', 0, '${i ? 'done' : 'pending'}')`,
        );
      await tables.query('COMMIT');
      // Nobody else has the file open while a service starts.
      await tables.end();
      const service = await space.serve();
      await service.opened(key, 'AAA-0001');
      await until(() => receiver.accepted.some(({ id }) => id.startsWith('evt_')), 'the delivery');
      tables = await open();
      const left = async (): Promise<string[]> =>
        (await tables.query('SELECT id FROM ninefold_event ORDER BY seq')).map(({ id }) =>
          String(id).replace(/^evt_.*/, 'the newest'),
        );
      await until(async () => (await left()).length <= 4, 'the others forgotten');
      assert.deepEqual(await left(), ['not yet', 'pending', 'young and untold', 'the newest']);
      assert.equal((await tables.query('SELECT id FROM ninefold_delivery')).length, 3);
      assert.deepEqual(await tables.query('SELECT id FROM ninefold_call'), [{ id: 'c0' }]);
      // What is forgotten can’t be delivered again, and what is kept can.
      assert.match((await space.cli('events', 'replay', 'over 1')).err, /nothing to replay/);
      assert.equal((await space.cli('events', 'replay', 'not yet')).code, 0);
      await tables.end();
      assert.equal(await service.stop(), 0, service.err);
    },
  );

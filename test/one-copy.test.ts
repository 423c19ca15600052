import './whole-alone.ts';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import Database from 'better-sqlite3';
import { ANSWER_BODY } from '../src/store/sql/answers.ts';
import { PATIENT, type Service, until, Workspace } from './harness.ts';
import { SKELETONS, unpacker } from './packed.ts';
import { PostgresServer } from './postgres.ts';
import { Receiver } from './receiver.ts';

// A kept answer whose body is the data of an event refers to the event. Whatever happens to the store, a repeated request
// gets the same bytes, and a receiver too.

let server: PostgresServer | null = null;
after(() => server?.[Symbol.asyncDispose]());

const OLDER_ANSWERS = {
  SQLite: `(seq INTEGER PRIMARY KEY, endpoint TEXT NOT NULL, caller ANY NOT NULL, key TEXT NOT NULL,
    fingerprint BLOB NOT NULL, status INTEGER NOT NULL, headers TEXT NOT NULL, body TEXT NOT NULL,
    expires INTEGER NOT NULL, UNIQUE (key, caller, endpoint)) STRICT`,
  PostgreSQL: `(endpoint text COLLATE "C" NOT NULL, caller text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL,
    fingerprint bytea NOT NULL, status int NOT NULL, headers text NOT NULL, body text NOT NULL, expires bigint NOT NULL,
    PRIMARY KEY (key, caller, endpoint))`,
} as const;

type StoreName = keyof typeof OLDER_ANSWERS;

class Stored {
  readonly space: Workspace;
  readonly store: StoreName;
  private readonly url: string | null;

  private constructor(space: Workspace, store: StoreName, url: string | null) {
    this.space = space;
    this.store = store;
    this.url = url;
  }

  static async in(store: StoreName, document: string): Promise<Stored> {
    const space = new Workspace(document);
    if (store === 'SQLite') return new Stored(space, store, null);
    server ??= await PostgresServer.shared();
    const url = await server.database();
    space.place = ['--store', url];
    return new Stored(space, store, url);
  }

  async query<T = Record<string, unknown>>(sql: string): Promise<T[]> {
    if (this.url !== null) return server!.query(this.url, sql) as Promise<T[]>;
    const db = new Database(join(this.space.data, 'ninefold.sqlite'));
    try {
      const statement = db.prepare(sql);
      if (statement.reader) return statement.all() as T[];
      statement.run();
      return [];
    } finally {
      db.close();
    }
  }

  /** The tables as they were when each answer had a body of its own, and nothing was packed. */
  async makeOlder(): Promise<void> {
    const unpacked = unpacker(await this.query(SKELETONS));
    for (const [table, key, column] of [
      ['ninefold_event', 'seq', 'packed'],
      ['ninefold_answer', 'seq', 'headers'],
      ['ninefold_answer', 'seq', 'own_body'],
    ] as const)
      for (const row of await this.query<Record<string, string>>(
        `SELECT ${key}, ${column} FROM ${table} WHERE ${column} IS NOT NULL`,
      )) {
        const text = unpacked(row[column]!).replaceAll("'", "''");
        await this.query(`UPDATE ${table} SET ${column} = '${text}' WHERE ${key} = ${row[key]}`);
      }
    const columns = 'endpoint, caller, key, fingerprint, status, headers';
    for (const sql of [
      `CREATE TABLE before ${OLDER_ANSWERS[this.store]}`,
      `INSERT INTO before (${columns}, body, expires) SELECT ${columns}, ${ANSWER_BODY}, expires FROM ninefold_answer a`,
      'DROP TABLE ninefold_answer',
      'ALTER TABLE before RENAME TO ninefold_answer',
      ...(this.store === 'SQLite' ? [] : ['ALTER INDEX before_pkey RENAME TO ninefold_answer_pkey']),
      'CREATE INDEX ninefold_answer_expires ON ninefold_answer (expires)',
      'ALTER TABLE ninefold_event RENAME COLUMN packed TO data',
      'DROP TABLE ninefold_skeleton',
    ])
      await this.query(sql);
  }

  /** Whether the data of the last event is packed. */
  async isPacked(): Promise<boolean> {
    const [last] = await this.query<{ packed: string }>('SELECT packed FROM ninefold_event ORDER BY seq DESC LIMIT 1');
    return last!.packed[0] === '\u0001';
  }

  async own(): Promise<Array<boolean>> {
    const rows = await this.query<{ own: unknown }>(
      'SELECT own_body IS NOT NULL AS own FROM ninefold_answer ORDER BY seq',
    );
    return rows.map(({ own }) => Boolean(own));
  }
}

const BODY = { sku: 'AAA-0001', quantity: 2, note: 'ä "quoted" \u2028' };

interface Told {
  readonly status: number;
  readonly text: string;
  readonly location: string | null;
}

const told = ({ status, text, headers }: Awaited<ReturnType<Service['request']>>): Told => ({
  status,
  text,
  location: headers.get('location'),
});

for (const store of ['SQLite', 'PostgreSQL'] as const)
  test(`${store}: a repeated request and a receiver get the same bytes, from an older table and from a backup`, async () => {
    const stored = await Stored.in(store, PATIENT);
    await using space = stored.space;
    await using receiver = await new Receiver().up();
    const key = await space.key(await space.customer());
    await space.receiver(receiver.url, '--events', 'order.opened');
    let service = await space.serveHere();
    // The form of an order’s data is packed once it has been seen some times.
    for (let i = 1; i === 1 || !(await stored.isPacked()); i++)
      await service.open(key, { ...BODY, sku: `BBB-${String(i).padStart(4, '0')}` });
    const [{ before = 0 } = {}] = await stored.query<{ before: number }>(
      'SELECT count(*) AS before FROM ninefold_event',
    );
    const events = Number(before);
    const open = async (): Promise<Told[]> => [
      told(await service.open(key, BODY, 'one')),
      // A refusal, which has no event.
      told(await service.open(key, { ...BODY, quantity: 3 }, 'two')),
    ];
    const first = await open();
    assert.deepEqual(
      first.map(({ status }) => status),
      [201, 409],
    );
    const made = (body: string): boolean => body.includes('AAA-0001');
    const sent = (): string[] => receiver.accepted.map(({ body }) => body).filter(made);
    await until(() => sent().length === 1 && receiver.accepted.length === events + 1, 'the deliveries');
    assert.ok(sent()[0]!.endsWith(`"data":${first[0]!.text}}`));
    assert.equal(await stored.isPacked(), true);
    assert.deepEqual(await open(), first);
    assert.deepEqual((await stored.own()).slice(-2), [false, true]);

    const again = async (): Promise<void> => {
      await service.stop();
      service = await space.serveHere();
      assert.deepEqual(await open(), first);
    };
    /** Sends the event of the order again, and sees that the receiver gets the same bytes. */
    const resent = async (where: Stored): Promise<void> => {
      const [event] = await where.query<{ id: string }>('SELECT id FROM ninefold_event ORDER BY seq DESC LIMIT 1');
      const count = sent().length;
      const replayed = await where.space.cli('events', 'replay', event!.id, '--json');
      assert.equal(replayed.code, 0, replayed.err);
      await until(() => sent().length > count, 'the delivery again');
      assert.equal(sent().at(-1), sent()[0]);
    };
    await resent(stored);
    const backup = join(space.dir, 'backup');
    assert.equal((await space.cli('backup', '--to', backup)).code, 0);
    await service.stop();
    await stored.makeOlder();
    await again();
    assert.ok((await stored.own()).every((own) => own));
    await resent(stored);
    await service.stop();

    const fresh = await Stored.in(store === 'SQLite' ? 'PostgreSQL' : 'SQLite', PATIENT);
    await using other = fresh.space;
    const restored = await other.cli('restore', '--from', backup);
    assert.equal(restored.code, 0, restored.err);
    const there = await other.serveHere();
    assert.deepEqual(told(await there.open(key, BODY, 'one')), first[0]);
    await resent(fresh);
  });

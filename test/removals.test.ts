import './whole-alone.ts';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import Database from 'better-sqlite3';
import { BOARDS } from './boards.ts';
import { type Service, Workspace } from './harness.ts';
import { PostgresServer } from './postgres.ts';
import { times } from './share.ts';

/**
 * So many cards go with a board: on SQLite, requests come in between only where the removal takes its time; on
 * PostgreSQL, they do so whenever it waits for its database.
 */
const CARDS = { SQLite: 2000, PostgreSQL: times(500, 2000) } as const;
/** So many replies go one after the other: more than a trigger or a function may call itself. */
const REPLIES = times(1500, 5000);
const EVENTS = 'board.removed,card.removed,note.removed,pin.changed';

let server: PostgresServer;

before(async () => {
  server = await PostgresServer.shared();
});
after(async () => {
  await server[Symbol.asyncDispose]();
});

const many = <T>(count: number, one: (n: number) => T): T[] => Array.from({ length: count }, (_, i) => one(i + 1));

/** Adds rows, as many at a time as a request may have. */
async function add(service: Service, path: string, rows: readonly unknown[]): Promise<void> {
  for (let at = 0; at < rows.length; at += 1000) {
    const { status, text } = await service.request('POST', path, { body: { rows: rows.slice(at, at + 1000) } });
    assert.equal(status, 204, text);
  }
}

const counts = async (service: Service): Promise<unknown> => (await service.request('GET', '/counts')).body;
const removed = async (service: Service, path: string): Promise<number> =>
  (await service.request('DELETE', path)).status;

/** Reads until something has ended; gives how many reads were answered before. */
async function reading(service: Service, path: string, until: Promise<unknown>): Promise<number> {
  let ended = false;
  until.finally(() => {
    ended = true;
  });
  for (let reads = 0; ; reads++) {
    const { status } = await service.request('GET', path);
    if (ended) return reads;
    assert.equal(status, 200);
  }
}

/** Makes replies, each to the one before it, in a database that no service has open. */
function reply(space: Workspace): void {
  const db = new Database(join(space.data, 'ninefold.sqlite'));
  db.exec(`WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < ${REPLIES})
    INSERT INTO reply (id, "to", ninefold_revision) SELECT id, nullif(id - 1, 0), 1 FROM n`);
  db.close();
}

/** A chain of rows goes however long it is, and rows that keep one another go as if one after the other. */
async function removeChains(service: Service): Promise<void> {
  assert.equal(await removed(service, '/replies/1'), 204, service.err.slice(-2000));
  // The first of these two is removed first, and the second keeps it.
  await add(service, '/tasks', [{ id: 2 }]);
  await add(service, '/tasks', [{ id: 3, after: 2 }]);
  assert.equal(await removed(service, '/tasks'), 409);
  await add(service, '/tasks', [{ id: 1, after: 3 }]);
  assert.equal(await removed(service, '/tasks'), 409);
  assert.deepEqual(await counts(service), { ...LEFT, replies: 0, tasks: 3 });
}

const LEFT = { boards: 1, cards: 5, notes: 10, pinned: 1 };

for (const store of ['SQLite', 'PostgreSQL'] as const)
  test(`a row goes with thousands that go with it, while others read (${store})`, async () => {
    await using space = new Workspace(BOARDS, 'boards.md');
    const url = store === 'SQLite' ? null : await server.database();
    if (url !== null) space.place = ['--store', url];
    const added = await space.cli('receivers', 'add', 'http://127.0.0.1:9/', '--allow-private', '--events', EVENTS);
    assert.equal(added.code, 0, added.err);
    // The receiver has made the database.
    if (url === null) reply(space);
    const service = await space.serve();
    await add(
      service,
      '/boards',
      many(2, (id) => ({ id })),
    );
    await add(
      service,
      '/cards',
      many(CARDS[store], (id) => ({ id, board: id > 5 ? 1 : 2, title: 'x'.repeat(id % 200 || 1) })),
    );
    await add(
      service,
      '/notes',
      many(20, (id) => ({ id, card: (id % 10) + 1 })),
    );
    await add(
      service,
      '/pins',
      many(3, (id) => ({ id, card: 9 + (id % 2), other: id === 3 ? 2 : 9 })),
    );
    const removal = removed(service, '/boards/1');
    const reads = await reading(service, '/boards/2', removal);
    assert.equal(await removal, 204, service.err.slice(-2000));
    // A node of PostgreSQL waits for its database, so that others come in between in any case.
    assert.ok(reads > 1, `${reads} reads`);
    assert.deepEqual(await counts(service), { ...LEFT, replies: url === null ? REPLIES : 0, tasks: 0 });
    if (url === null) await removeChains(service);
    await service.stop();
    const sql = `SELECT e.type, e."row", d.state FROM ninefold_event e JOIN ninefold_delivery d ON d.event = e.seq ORDER BY e.seq`;
    const told = url === null ? space.select(sql) : await server.query(url, sql);
    const names = (told as Array<{ type: string; row: string }>).map(({ type, row }) => `${type} ${row}`);
    assert.equal(names.length, CARDS[store] - 5 + 10 + 1 + 3);
    assert.deepEqual(names.slice(0, 4), ['note.removed 5', 'note.removed 15', 'card.removed 6', 'note.removed 6']);
    assert.deepEqual(names.slice(-5), [
      `card.removed ${CARDS[store]}`,
      'board.removed 1',
      'pin.changed 2',
      'pin.changed 1',
      'pin.changed 3',
    ]);
  });

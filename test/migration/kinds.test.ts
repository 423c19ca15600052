import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { compile } from '../../src/compiler/compile.ts';
import { SCALAR_KINDS } from '../../src/expression/values/kinds.ts';
import type { Plan } from '../../src/plan/step.ts';
import { BACKUP_TABLES, NOT_IN_BACKUP } from '../../src/store/migration/backup-tables.ts';
import { backupPostgres } from '../../src/store/postgres/backup.ts';
import { restorePostgres } from '../../src/store/postgres/restore.ts';
import { PostgresStore } from '../../src/store/postgres/store.ts';
import { shapeOf } from '../../src/store/shape.ts';
import { backupDatabase } from '../../src/store/sqlite/backup.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { openTables } from '../../src/store/sqlite/tables.ts';
import { storedColumns } from '../../src/store/tables.ts';
import { documents } from '../fixtures.ts';
import { PostgresServer } from '../postgres.ts';
import { share } from '../share.ts';
import { fill, ROWS } from './filled.ts';
import { contents, planOf, STOCK, stock } from './stock.ts';

// Whatever is stored is the same after it has been in PostgreSQL: every kind of column, and every table of the service.

let server: PostgresServer;
const dir = mkdtempSync(join(tmpdir(), 'ninefold-kinds-'));

before(async () => {
  server = await PostgresServer.shared();
});
after(async () => {
  rmSync(dir, { recursive: true });
  await server[Symbol.asyncDispose]();
});

/** Two resources that refer to each other, and one to itself. */
const CIRCLES = stock(
  [
    '| Field | Type   | Allowed values      | Given by | Unique   |',
    '| Field | Type | Format | Allowed values | Given by | Presence | Unique |',
  ],
  ['| ----- | ------ | ------------------- | -------- | -------- |', '| --- | --- | --- | --- | --- | --- | --- |'],
  [
    '| id    | string | at most 20 characters | operator | identity |',
    '| id | string | | at most 20 characters | operator | | identity |',
  ],
  [
    '| name  | string | at most 80 characters | operator | yes |',
    `| name | string | | at most 80 characters | operator | | yes |
| best | Item | | any | operator | optional | |
| parent | Maker | | any | operator | optional | |
| sizes | list of integer | | 1 to 3 items, each 1 to 5000 | operator | optional | |
| took | duration | | any | operator | optional | |
| passed | string | password | 12 to 200 characters | operator | optional | |`,
  ],
  ['- Shown: id, name\n', '- Shown: id, name, best as id, parent as id, sizes, took\n- Keeps: best, parent\n'],
  [
    '- Text: trimmed\n',
    '- Text: trimmed\n- Durations: ISO 8601, milliseconds\n- Passwords: scrypt (RFC 7914), N 8192, r 8, p 10\n',
  ],
);

/** Everything that is to be the same, with what numbers come next. Of a copy: a backup that is opened as a database is none. */
function carried(backup: string): unknown {
  const path = `${backup}.look`;
  copyFileSync(backup, path);
  const db = openDatabase(path);
  const numbers = db.prepare('SELECT name, seq FROM sqlite_sequence ORDER BY name').raw().all();
  const meta = db.prepare("SELECT * FROM ninefold_meta WHERE key <> 'lock' ORDER BY key").raw().all();
  db.close();
  const rows = contents(path)
    .rows.filter(({ table }) => table !== 'ninefold_counter')
    .map(({ table, rows: all }) => ({
      table,
      rows: all
        .map(({ seq, hash, ...row }) => (table === 'ninefold_answer' ? row : { seq, hash, ...row }))
        .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    }));
  return { numbers, meta, rows };
}

/** They have columns of most kinds, and references in circles. */
const MADE = [
  { name: 'stock.md', text: STOCK },
  { name: 'circles.md', text: CIRCLES },
];
const DOCUMENTS = [...documents(), ...MADE];

for (const { name, text } of [...share(documents(), 1).cases, ...MADE])
  test(`${name}: what is stored is the same after it has been in PostgreSQL`, async () => {
    const plan = name === 'circles.md' ? planOf(text) : (compile(name, text).plan as Plan);
    const path = join(dir, `${name}.sqlite`);
    fill(path, plan);
    const [there, back] = [`${path}.there`, `${path}.back`];
    await backupDatabase(path, there, plan);
    const url = await server.database();
    await restorePostgres(there, url, plan, { replace: false, unsealed: false });
    await backupPostgres(url, back, plan);
    assert.deepEqual(carried(back), carried(there));
    const next = await server.query<{ seq: string }>(
      url,
      `INSERT INTO ninefold_event (id, type, resource, "row", at, packed) VALUES ('n', 't', 'R', '', 1, '') RETURNING seq`,
    );
    assert.equal(Number(next[0]!.seq), ROWS * 2 + (ROWS % 2) + 1);
    const kept = await restorePostgres(there, url, plan, { replace: true, unsealed: false });
    assert.match(kept.kept ?? '', /^ninefold_before_/);
    await backupPostgres(url, `${back}.again`, plan);
    assert.deepEqual(carried(`${back}.again`), carried(there), 'also in the place of what was there');
  });

test('these documents have columns of every kind', () => {
  const kinds = new Set(
    DOCUMENTS.flatMap(({ name, text }) =>
      (compile(name, text).plan as Plan).resources.flatMap((resource) =>
        storedColumns(resource).map(({ kind }) => kind),
      ),
    ),
  );
  assert.deepEqual([...kinds].sort(), [...SCALAR_KINDS, 'list', 'set', 'map'].sort());
});

test('every table and column of the service’s own in either store is carried, or said why not', async () => {
  const plan = planOf(STOCK);
  const path = join(dir, 'own.sqlite');
  const db = openDatabase(path);
  openTables(db, plan);
  const sqlite = db
    .prepare(
      "SELECT t.name, c.name, c.type FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name LIKE 'ninefold!_%' ESCAPE '!'",
    )
    .raw()
    .all() as [string, string, string][];
  db.close();
  const url = await server.database();
  await (await PostgresStore.open(url, plan)).close();
  const postgres = await server.query<{ t: string; c: string; k: string }>(
    url,
    `SELECT table_name AS t, column_name AS c, data_type AS k FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name LIKE 'ninefold!_%' ESCAPE '!'`,
  );
  const said = (store: 'sqlite' | 'postgres', table: string, column: string): string | null => {
    const left: Readonly<Record<string, string>> = NOT_IN_BACKUP[store];
    if (Object.hasOwn(left, table) || Object.hasOwn(left, `${table}.${column}`)) return null;
    return BACKUP_TABLES[table]?.[column] ?? 'nothing';
  };
  const types = {
    text: ['TEXT', 'text'],
    integer: ['INTEGER', 'bigint', 'integer'],
    bytes: ['BLOB', 'bytea'],
    uuid: ['BLOB', 'uuid'],
    any: ['ANY', 'text'],
  } as Record<string, string[]>;
  for (const [table, column, type] of sqlite) {
    const kind = said('sqlite', table, column);
    if (kind !== null)
      assert.ok(types[kind]?.includes(type), `SQLite: ${table}.${column} is ${type}, and said to be ${kind}`);
  }
  for (const { t, c, k } of postgres) {
    const kind = said('postgres', t, c);
    if (kind !== null) assert.ok(types[kind]?.includes(k), `PostgreSQL: ${t}.${c} is ${k}, and said to be ${kind}`);
  }
  const both = [sqlite.map(([t, c]) => `${t}.${c}`), postgres.map(({ t, c }) => `${t}.${c}`)];
  for (const [table, columns] of Object.entries(BACKUP_TABLES))
    for (const column of Object.keys(columns))
      for (const has of both) assert.ok(has.includes(`${table}.${column}`), `${table}.${column} is in both`);
});

test('a backup numbers events by their places in the stream, and what refers to them goes with them', async () => {
  const plan = planOf(STOCK);
  const url = await server.database();
  await (await PostgresStore.open(url, plan)).close();
  const run = (sql: string): Promise<unknown> => server.query(url, sql);
  await run(`INSERT INTO ninefold_event (id, type, resource, "row", at, packed)
    SELECT 'e' || n, 't', 'R', '', n, '' FROM generate_series(1, 8) AS n`);
  await run("INSERT INTO ninefold_receiver VALUES ('r', 'https://x', '', 'v', 0, 1)");
  await run("INSERT INTO ninefold_delivery (event, receiver, line) SELECT seq, 'r', id FROM ninefold_event");
  // 2 was committed last of those that have a place, 6 and 7 have none yet, and nobody streams 1, 3 and 8.
  await run(`INSERT INTO ninefold_streamed VALUES (4, 1, null, 1), (5, 1, null, 2), (2, 1, null, 3), (7, 1, null, null),
    (6, 1, null, null)`);
  await run("UPDATE ninefold_meta SET value = '3' WHERE key = 'streamed'");
  const to = join(dir, 'numbered.sqlite');
  await backupPostgres(url, to, plan);
  const db = openDatabase(to);
  const all = (sql: string): unknown[] => db.prepare(sql).raw().all();
  const streamed =
    'SELECT e.id, s.event FROM ninefold_streamed s JOIN ninefold_event e ON e.seq = s.event ORDER BY s.event';
  assert.deepEqual(all(streamed), [
    ['e4', 1],
    ['e5', 2],
    ['e2', 3],
    ['e6', 4],
    ['e7', 5],
  ]);
  const others =
    'SELECT id, seq FROM ninefold_event WHERE seq NOT IN (SELECT event FROM ninefold_streamed) ORDER BY id';
  assert.deepEqual(all(others), [
    ['e1', 9],
    ['e3', 10],
    ['e8', 8],
  ]);
  const wrong = 'SELECT d.id FROM ninefold_delivery d JOIN ninefold_event e ON e.seq = d.event WHERE e.id <> d.line';
  assert.deepEqual(all(wrong), []);
  assert.deepEqual(all("SELECT seq FROM sqlite_sequence WHERE name = 'ninefold_event'"), [[10]]);
  db.close();
  const again = await server.database();
  await restorePostgres(to, again, plan, { replace: false, unsealed: false });
  const next = await server.query(again, "SELECT value FROM ninefold_meta WHERE key = 'streamed'");
  assert.deepEqual(next, [{ value: '10' }], 'what is streamed next comes after every place that was given');
});

test('rows whose shape is written down are told by that', async () => {
  const plan = planOf(STOCK);
  const url = await server.database();
  await (await PostgresStore.open(url, plan)).close();
  const keep = async (of: Plan): Promise<void> => {
    const shape = JSON.stringify(shapeOf(of));
    const sql = 'INSERT INTO ninefold_meta VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value';
    await server.query(url, sql, ['shape', shape]);
  };
  await keep(plan);
  await backupPostgres(url, join(dir, 'shape.sqlite'), plan);
  await keep(
    planOf(
      stock([
        '0 to 1000                  | operator    |          |          |\n| spare',
        '0 to 2000                  | operator    |          |          |\n| spare',
      ]),
    ),
  );
  await assert.rejects(
    backupPostgres(url, join(dir, 'other.sqlite'), plan),
    /The rows have the shape of another document\. With this document, Item.amount may hold fewer values/,
  );
});

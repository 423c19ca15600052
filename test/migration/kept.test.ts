import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import Database from 'better-sqlite3';
import type { Plan } from '../../src/plan/step.ts';
import { Engine } from '../../src/runtime/engine/engine.ts';
import { Operator } from '../../src/runtime/operator.ts';
import { OperatorRows } from '../../src/runtime/operator-rows.ts';
import { rowRules } from '../../src/runtime/row-rules.ts';
import { type Answers, NO_ANSWERS, type Rename } from '../../src/store/migration/upgrade.ts';
import { schemaOf } from '../../src/store/sqlite/schema.ts';
import { SqliteStore } from '../../src/store/sqlite/store.ts';
import { upgradeDatabase } from '../../src/store/sqlite/upgrade.ts';
import { quoted, storedColumns, tableName } from '../../src/store/tables.ts';
import { contents, ITEMS, NOW, planOf, Shelf, STOCK, stock } from './stock.ts';

const shelf = new Shelf();
before(() => shelf.fill());
after(() => shelf[Symbol.dispose]());

function upgrade(path: string, plan: Plan, answers: Partial<Answers> = {}, dry = false) {
  const watcher = { planned: () => {}, step: () => {} };
  return upgradeDatabase(path, plan, {
    answers: { ...NO_ANSWERS, ...answers },
    rules: rowRules(plan),
    watcher,
    now: NOW,
    dry,
  });
}

const HINT = stock(
  [
    '| amount | integer ',
    '| hint   | string    |        | at most 9 characters       | operator    | optional |          |\n| amount | integer ',
  ],
  ['name, amount, spare', 'name, hint, amount, spare'],
);

function write(path: string, work: (db: Database.Database) => void): void {
  const db = new Database(path);
  db.pragma('foreign_keys = OFF');
  work(db);
  db.close();
}

test('rows from before shapes were written down are opened with their document, and with no other', async () => {
  const path = shelf.copy();
  write(path, (db) => db.exec(`DELETE FROM ninefold_meta WHERE key IN ('shape', 'shape id')`));
  assert.throws(
    () => upgrade(path, planOf(HINT)),
    /has other fields or rules, and was stored by an older Ninefold without its shape/,
  );
  assert.throws(() => new SqliteStore(path, planOf(HINT)), /Open it once with its own document/);
  await new SqliteStore(path, planOf(STOCK)).close();
  assert.deepEqual(contents(path), contents(shelf.first));
  assert.equal(upgrade(path, planOf(HINT))?.hindrances.length, 0);
});

/** Makes the tables of rows as they were made while the hash of its shape was all that was kept of each. */
function sortRows(db: Database.Database): void {
  for (const [resource, { shape }] of schemaOf(planOf(STOCK))) {
    const [table, ...rest] = shape;
    const sorted = [`${table}, WITHOUT ROWID`, ...rest];
    const name = quoted(tableName(resource.name));
    const made =
      "SELECT type, name FROM sqlite_schema WHERE tbl_name = ? AND type IN ('index', 'trigger') AND sql IS NOT NULL";
    for (const [type, one] of db.prepare(made).raw().all(tableName(resource.name)) as [string, string][])
      db.exec(`DROP ${type} ${quoted(one)}`);
    db.exec(`ALTER TABLE ${name} RENAME TO before; ${sorted.join(';')}`);
    const columns = db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(tableName(resource.name));
    const all = columns.map((one) => quoted(String(one))).join(', ');
    db.exec(`INSERT INTO ${name} (${all}) SELECT ${all} FROM before; DROP TABLE before`);
    const hash = createHash('sha256').update(sorted.join(';\n')).digest('hex');
    db.prepare('UPDATE ninefold_meta SET value = ? WHERE key = ?').run(hash, `table ${tableName(resource.name)}`);
  }
  db.exec(`DELETE FROM ninefold_meta WHERE key IN ('shape', 'shape id')`);
}

test('rows that stand in the order of their identities, as all once did, stay as they are and can be migrated', async () => {
  const path = shelf.copy();
  write(path, sortRows);
  await new SqliteStore(path, planOf(STOCK)).close();
  const store = new SqliteStore(path, planOf(STOCK));
  const engine = await Engine.start(planOf(STOCK), store, null);
  assert.equal((await new Operator(engine).list('Item')).length, 3);
  const all = { filters: [], sort: null, offset: 0, limit: 100 };
  const found = await new OperatorRows(engine).page(engine.resources.get('Item')!, { ...all, containing: 'Nut' });
  assert.equal(found.total, 1);
  await store.close();
  assert.equal(upgrade(path, planOf(HINT))?.hindrances.length, 0);
});

test('whoever has opened the rows before they were migrated reads and writes nothing any more', async () => {
  const path = shelf.copy();
  const plan = planOf(STOCK);
  const store = new SqliteStore(path, plan);
  const operator = new Operator(await Engine.start(plan, store, null));
  assert.equal((await operator.list('Item')).length, 3);
  assert.equal(upgrade(path, planOf(HINT))?.hindrances.length, 0);
  // Within a turn of the event loop all see what was there when it began.
  await setImmediate();
  const moved = { kind: 'shape', message: /migrated to another document meanwhile/ };
  await assert.rejects(operator.list('Item'), moved);
  await assert.rejects(operator.edit('Item', ITEMS[0].id, new Map([['name', 'Screw']])), moved);
  await store.close();
});

test('a trial changes nothing, and leaves nothing behind', () => {
  const path = shelf.copy();
  const before = contents(path);
  assert.equal(upgrade(path, planOf(HINT), {}, true)?.changes.length, 1);
  assert.deepEqual(contents(path), before);
});

test('what is streamed is judged by rows as they are called and are now', () => {
  const path = shelf.copy();
  const names = storedColumns(planOf(STOCK).resources.find(({ name }) => name === 'Item')!).map(({ name }) => name);
  const row: Record<string, unknown> = { id: 'x', amount: 5, status: 'draft' };
  const kept = [row, names.map((name) => row[name] ?? null)];
  write(path, (db) => {
    for (const [i, one] of kept.entries()) {
      db.prepare(
        `INSERT INTO ninefold_event (id, type, resource, row, at, packed) VALUES (?, 'made', 'Item', 'x', 1, '{}')`,
      ).run(`e${i}`);
      db.prepare('INSERT INTO ninefold_streamed (event, recorded, row) VALUES (?, 1, ?)').run(
        i + 1,
        JSON.stringify(one),
      );
    }
  });
  const plan = planOf(
    stock(
      ['| amount | integer   |        | 0 to 1000 ', '| onhand | decimal   |        | 0.0 to 1000.0 '],
      ['name, amount, spare', 'name, onhand, spare'],
    ),
  );
  const renames: Rename[] = [{ resource: 'Item', field: 'amount', to: { resource: 'Item', field: 'onhand' } }];
  assert.equal(upgrade(path, plan, { renames })?.hindrances.length, 0);
  const streamed = contents(path).rows.find(({ table }) => table === 'ninefold_streamed')!.rows;
  for (const { row: one } of streamed)
    assert.deepEqual(JSON.parse(one as string), { id: 'x', onhand: 50, status: 'draft' });
});

test('what is known by the name of a resource or a field bears the new one', () => {
  const path = shelf.copy();
  write(path, (db) =>
    db.exec(`INSERT INTO ninefold_key (id, hash, holder, scopes, created, mark) VALUES ('k', x'00', 'acme', '[]', 1, 'Maker'), ('l', x'00', 'acme', '[]', 1, 'Maker/Other'), ('m', x'00', 'acme', '[]', 1, 'Makers');
      INSERT INTO ninefold_event (id, type, resource, row, at, packed) VALUES ('e', 'made', 'Maker', 'acme', 1, '{}');
      INSERT INTO ninefold_receiver (id, url, secret, version, allow_private, created) VALUES ('Maker acme', 'https://a.example', '', '1', 0, 1);
      INSERT INTO ninefold_subscription VALUES ('made', 'Maker acme');
      INSERT INTO ninefold_delivery (event, receiver, line) VALUES (1, 'Maker acme', 'Maker acme')`),
  );
  const plan = planOf(
    stock(
      ['### Maker', '### Brand'],
      ['| maker  | Maker     |', '| maker  | Brand     |'],
      ['List `makers`: Maker,', 'List `makers`: Brand,'],
    ),
  );
  const renames: Rename[] = [{ resource: 'Maker', field: null, to: { resource: 'Brand', field: null } }];
  assert.equal(upgrade(path, plan, { renames })?.hindrances.length, 0);
  const of = (table: string, column: string): unknown[] =>
    contents(path)
      .rows.find((one) => one.table === table)!
      .rows.map((row) => row[column]);
  assert.deepEqual(of('ninefold_key', 'mark'), ['Brand', 'Brand/Other', 'Makers']);
  assert.deepEqual(of('ninefold_event', 'resource'), ['Brand']);
  assert.deepEqual(of('ninefold_receiver', 'id'), ['Brand acme']);
  assert.deepEqual(
    [...of('ninefold_delivery', 'line'), ...of('ninefold_delivery', 'receiver')],
    ['Brand acme', 'Brand acme'],
  );
  assert.deepEqual(of('ninefold_subscription', 'receiver'), ['Brand acme']);
});

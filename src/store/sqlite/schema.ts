import { layoutOf } from '../../expression/javascript.ts';
import type { Expr } from '../../expression/tree/expression.ts';
import type { Plan, ResourcePlan } from '../../plan/step.ts';
import { type IndexKey, listKeys, lookedUp, lookupName } from '../lookups.ts';
import type { StoreDialect } from '../sql/dialect.ts';
import { inlined } from '../sql/inlined.ts';
import { type ItemsTable, itemsTables } from '../sql/items.ts';
import { columnName, quoted, SHOWN, storedColumns, tableName, timedThings, uniqueColumns } from '../tables.ts';
import { columnType, sqliteDialect } from './dialect.ts';
import { type SearchTable, searchTable } from './search.ts';

/** The condition of an index; numbers beyond the exact range are left to the database. */
const indexCondition = (expr: Expr, resource: string, dialect: StoreDialect): string =>
  inlined(expr, resource, dialect, { alias: null, layout: NOTHING, now: 0, plainly: true });

const NOTHING = layoutOf('A unique rule’s condition may depend on its row alone');

/** The statements that make the table of a resource. */
export interface TableStatements {
  /** The table with its constraints. They are part of the shape, so that only a migration changes them. */
  readonly shape: readonly string[];
  /** The column for the cached JSON of rows, and the trigger that clears it; null where no JSON is cached. */
  readonly room: { readonly column: string; readonly watch: string } | null;
  /** The tables of items, each with its triggers, if there are any. They can be made and filled at any time. */
  readonly items?: ReadonlyArray<{ readonly name: string; readonly made: readonly string[] }>;
  /** The full-text index, which can be made and filled at any time; absent where the resource has none. */
  readonly search?: SearchTable;
  /** The indexes for fast lookups, by name. A new document may add and drop them without a change of rows. */
  readonly lookups: ReadonlyMap<string, string>;
}

/** The statements that make each resource's table, its constraints and its indexes. */
export function schemaOf(plan: Plan): Map<ResourcePlan, TableStatements> {
  const dialect = sqliteDialect(plan.resources);
  const keys = listKeys(plan);
  return new Map(
    plan.resources.map((resource) => [resource, tableStatements(resource, keys.get(resource.name) ?? [], dialect)]),
  );
}

function tableStatements(
  resource: ResourcePlan,
  listed: readonly IndexKey[][],
  dialect: StoreDialect,
): TableStatements {
  const name = tableName(resource.name);
  const stored = storedColumns(resource);
  const kept = stored.filter((column) => column.name !== SHOWN);
  const columns = kept.map((column) => {
    const nulls = column.nullable ? '' : ' NOT NULL';
    const key = column.name === resource.identity ? ' PRIMARY KEY' : '';
    const target = column.reference;
    const references = target ? ` REFERENCES ${dialect.table(target)} (${quoted(dialect.identity(target))})` : '';
    return `${quoted(columnName(column.name))} ${columnType(column.kind)}${nulls}${key}${references}`;
  });
  // Rows are stored in the order in which they are inserted, and found through an index of identities. A tree of whole
  // rows would have few rows on each page of each level, and the reader of a list would search for every row from the
  // root.
  const shape = [`CREATE TABLE ${quoted(name)} (\n  ${columns.join(',\n  ')}\n) STRICT`];
  const indexed = (fields: readonly string[]): string =>
    `ON ${quoted(name)} (${fields.map((one) => quoted(columnName(one))).join(', ')})`;
  for (const [i, rule] of resource.uniques.entries()) {
    const where = rule.condition && ` WHERE ${indexCondition(rule.condition, resource.name, dialect)}`;
    shape.push(
      `CREATE UNIQUE INDEX ${quoted(`ninefold_unique_${name}_${i + 1}`)} ${indexed(uniqueColumns(rule))}${where ?? ''}`,
    );
  }
  // Rows with equal keys are in the order of their identities.
  const found = (fields: readonly string[]): string => indexed([...new Set([...fields, resource.identity])]);
  const lookups = new Map<string, string>();
  for (const timed of timedThings(resource)) {
    const index = `ninefold_${timed.what === 'move' ? 'due' : 'at'}_${name}_${timed.name}`;
    const coming = `WHERE ${quoted(columnName(timed.column))} > 0`;
    lookups.set(index, `CREATE INDEX ${quoted(index)} ${found([timed.column])} ${coming}`);
  }
  for (const keys of lookedUp(resource, listed)) {
    const index = lookupName(name, keys);
    // SQLite has NULL before all values in every index, and reads one in two parts where a list has NULL at its end.
    const { identity } = resource;
    const tied = keys.some(({ field }) => field === identity) ? [] : [{ ...keys.at(-1)!, field: identity }];
    const ways = [...keys, ...tied].map(
      ({ field, isTurned }) => `${quoted(columnName(field))}${isTurned ? ' DESC' : ''}`,
    );
    lookups.set(index, `CREATE INDEX ${quoted(index)} ON ${quoted(name)} (${ways.join(', ')})`);
  }
  const items = itemsTables(resource, dialect, columnType, ' STRICT, WITHOUT ROWID').map((one) => ({
    name: one.name,
    made: [...one.made, ...keepersOf(resource, one)],
  }));
  const search = searchTable(resource);
  const room = kept.length < stored.length ? roomFor(resource) : null;
  return { shape, room, ...(items.length > 0 && { items }), ...(search && { search }), lookups };
}

/**
 * The cached JSON of rows has a column of its own, which is no part of the shape: the column can be added to any table,
 * and its values can be cleared. A trigger clears the JSON when a statement changes a field and not the JSON, by hand
 * or in a Ninefold that does not know the column. Ninefold’s own changes always write a different JSON, since it has
 * the revision.
 */
function roomFor(resource: ResourcePlan): TableStatements['room'] {
  const table = quoted(tableName(resource.name));
  const shown = quoted(columnName(SHOWN));
  const identity = quoted(columnName(resource.identity));
  const fields = resource.columns.map((column) => quoted(columnName(column.name)));
  const changed = fields.map((field) => `NEW.${field} IS NOT OLD.${field}`).join(' OR ');
  return {
    column: `ALTER TABLE ${table} ADD COLUMN ${shown} TEXT`,
    watch: `CREATE TRIGGER IF NOT EXISTS ${quoted(`ninefold_stale_${tableName(resource.name)}`)} AFTER UPDATE ON ${table}
WHEN NEW.${shown} IS OLD.${shown} AND NEW.${shown} IS NOT NULL AND (${changed})
BEGIN UPDATE ${table} SET ${shown} = NULL WHERE ${identity} = NEW.${identity}; END`,
  };
}

/** The triggers that keep a table of items. */
function keepersOf(resource: ResourcePlan, { name, itemsOf, field }: ItemsTable): string[] {
  const column = quoted(columnName(field));
  const identity = quoted(columnName(resource.identity));
  const trigger = (what: string, on: string, body: string): string =>
    `CREATE TRIGGER ${quoted(`${name} ${what}`)} AFTER ${on} BEGIN ${body} END`;
  const table = `ON ${quoted(tableName(resource.name))}`;
  const cleared = `DELETE FROM ${quoted(name)} WHERE holder = OLD.${identity};`;
  const filled = `INSERT INTO ${quoted(name)} (holder, item) ${itemsOf('NEW')};`;
  return [
    trigger('inserted', `INSERT ${table}`, filled),
    trigger('updated', `UPDATE OF ${column} ${table} WHEN NEW.${column} IS NOT OLD.${column}`, `${cleared} ${filled}`),
    trigger('deleted', `DELETE ${table}`, cleared),
  ];
}

/** Columns of receivers that older tables lack: they are added when such a table is opened. */
export const RECEIVER_COLUMNS: readonly string[] = ['paused INTEGER', 'old_secret TEXT', 'old_until INTEGER'];

/**
 * Columns of deliveries that older tables lack. `data` is the payload for a receiver whose payload differs from the
 * event’s, and `tried` are the attempts, as JSON.
 */
export const DELIVERY_COLUMNS: readonly string[] = ['data TEXT', 'tried TEXT'];

/** The service's own tables. */
export const SYSTEM_TABLES: readonly string[] = [
  'CREATE TABLE IF NOT EXISTS ninefold_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID',
  `CREATE TABLE IF NOT EXISTS ninefold_key (
  id TEXT PRIMARY KEY, hash BLOB NOT NULL, holder ANY NOT NULL, scopes TEXT NOT NULL,
  created INTEGER NOT NULL, revoked INTEGER, mark TEXT NOT NULL DEFAULT '') STRICT, WITHOUT ROWID`,
  'CREATE INDEX IF NOT EXISTS ninefold_key_holder ON ninefold_key (holder)',
  // Answers are stored in the order in which they are inserted. Their keys, which have no order, are found by a hash. An
  // answer whose body is the data of an event refers to the event, and has no body of its own.
  `CREATE TABLE IF NOT EXISTS ninefold_answer (
  seq INTEGER PRIMARY KEY, hash INTEGER, endpoint TEXT NOT NULL, caller ANY NOT NULL, key TEXT NOT NULL,
  fingerprint BLOB NOT NULL, status INTEGER NOT NULL, headers TEXT NOT NULL, own_body TEXT,
  event INTEGER REFERENCES ninefold_event (seq), expires INTEGER NOT NULL) STRICT`,
  'CREATE INDEX IF NOT EXISTS ninefold_answer_hash ON ninefold_answer (hash)',
  'CREATE INDEX IF NOT EXISTS ninefold_answer_event ON ninefold_answer (event) WHERE event IS NOT NULL',
  'CREATE INDEX IF NOT EXISTS ninefold_answer_expires ON ninefold_answer (expires)',
  `CREATE TABLE IF NOT EXISTS ninefold_receiver (
  id TEXT PRIMARY KEY, url TEXT NOT NULL, secret TEXT NOT NULL, version TEXT NOT NULL,
  allow_private INTEGER NOT NULL, created INTEGER NOT NULL, ${RECEIVER_COLUMNS.join(', ')}) STRICT, WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS ninefold_subscription (
  event TEXT NOT NULL, receiver TEXT NOT NULL REFERENCES ninefold_receiver (id) ON DELETE CASCADE,
  PRIMARY KEY (event, receiver)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS ninefold_event (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, type TEXT NOT NULL, resource TEXT NOT NULL,
  row TEXT NOT NULL, at INTEGER NOT NULL, packed TEXT NOT NULL) STRICT`,
  'CREATE TABLE IF NOT EXISTS ninefold_skeleton (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT',
  `CREATE TABLE IF NOT EXISTS ninefold_streamed (
  event INTEGER PRIMARY KEY REFERENCES ninefold_event (seq), recorded INTEGER NOT NULL, row TEXT) STRICT`,
  `CREATE TABLE IF NOT EXISTS ninefold_delivery (
  id INTEGER PRIMARY KEY AUTOINCREMENT, event INTEGER NOT NULL REFERENCES ninefold_event (seq),
  receiver TEXT NOT NULL REFERENCES ninefold_receiver (id) ON DELETE CASCADE, line TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'pending', attempts INTEGER NOT NULL DEFAULT 0, due INTEGER,
  last_at INTEGER, last_result TEXT, ${DELIVERY_COLUMNS.join(', ')}) STRICT`,
  `CREATE INDEX IF NOT EXISTS ninefold_delivery_due ON ninefold_delivery (due) WHERE state = 'pending' AND due IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS ninefold_delivery_receiver ON ninefold_delivery (receiver, due)
  WHERE state = 'pending' AND due IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS ninefold_delivery_line ON ninefold_delivery (receiver, line, id) WHERE state = 'pending'`,
  'CREATE INDEX IF NOT EXISTS ninefold_delivery_event ON ninefold_delivery (event)',
  `CREATE INDEX IF NOT EXISTS ninefold_delivery_ended ON ninefold_delivery (last_at) WHERE state <> 'pending'`,
  `CREATE TABLE IF NOT EXISTS ninefold_sequence (
  name TEXT NOT NULL, per ANY NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (name, per)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS ninefold_call (
  id TEXT PRIMARY KEY, handler TEXT NOT NULL, takes TEXT NOT NULL, created INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'pending', attempts INTEGER NOT NULL DEFAULT 0, due INTEGER,
  last_at INTEGER, last_result TEXT) STRICT, WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS ninefold_call_due ON ninefold_call (due) WHERE state = 'pending'`,
  // Bytes of fields: of a file that a row has, `until` is null; any other file is removed at that instant.
  'CREATE TABLE IF NOT EXISTS ninefold_file (id BLOB PRIMARY KEY, until INTEGER) STRICT, WITHOUT ROWID',
  'CREATE INDEX IF NOT EXISTS ninefold_file_until ON ninefold_file (until) WHERE until IS NOT NULL',
  `CREATE TABLE IF NOT EXISTS ninefold_chunk (
  seq INTEGER PRIMARY KEY, file BLOB NOT NULL, place INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT`,
  'CREATE UNIQUE INDEX IF NOT EXISTS ninefold_chunk_place ON ninefold_chunk (file, place)',
  // `due`: the next due instant. `pending_until`: when the service began to run the instants that were due.
  `CREATE TABLE IF NOT EXISTS ninefold_schedule (
  name TEXT PRIMARY KEY, rule TEXT NOT NULL, due INTEGER NOT NULL, pending_until INTEGER,
  last_due INTEGER, last_at INTEGER, last_result TEXT) STRICT, WITHOUT ROWID`,
  // Links to the console that wait to be opened (`until` they expire), commands that ended sessions (`until` they came),
  // and receivers that were removed since their address is gone (`until` that is shown no more).
  `CREATE TABLE IF NOT EXISTS ninefold_console (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, until INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS ninefold_counter (
  policy INTEGER NOT NULL, key TEXT NOT NULL, count INTEGER NOT NULL, ends_at INTEGER NOT NULL,
  PRIMARY KEY (policy, key)) STRICT, WITHOUT ROWID`,
];

import { createHash } from 'node:crypto';
import type Database from 'better-sqlite3';
import { systemRandom } from '../../expression/values/random.ts';
import type { Plan } from '../../plan/step.ts';
import { addTo } from '../../text/lists.ts';
import { mustFit } from '../migration/compare.ts';
import { takeAnswers } from '../migration/kept-answers.ts';
import type { MigrationStep } from '../migration/rewriter.ts';
import { type StoredShape, shapeId, shapeOf } from '../shape.ts';
import { StoreError } from '../store.ts';
import { columnName, quoted, SHOWN, tableName } from '../tables.ts';
import { takeAsOurs } from './identity.ts';
import { DELIVERY_COLUMNS, RECEIVER_COLUMNS, SYSTEM_TABLES, schemaOf, type TableStatements } from './schema.ts';

/** The stored shape; null if nothing is stored, and `unknown` for a store from before shapes were recorded. */
export function storedShape(db: Database.Database): StoredShape | 'unknown' | null {
  const meta = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'ninefold_meta'").get();
  if (!meta) return null;
  const shape = db.prepare("SELECT value FROM ninefold_meta WHERE key = 'shape'").pluck().get();
  if (shape !== undefined) return JSON.parse(shape as string) as StoredShape;
  const tables = db.prepare("SELECT count(*) FROM ninefold_meta WHERE key LIKE 'table %'").pluck().get();
  return tables === 0 ? null : 'unknown';
}

/** The query for the hash of the stored shape. */
export const SHAPE_ID = "SELECT value FROM ninefold_meta WHERE key = 'shape id'";

/** Records the new shape of the rows. */
export function writeShape(db: Database.Database, plan: Plan, shape: StoredShape): void {
  const write = db.prepare('INSERT OR REPLACE INTO ninefold_meta VALUES (?, ?)');
  for (const [resource, statements] of schemaOf(plan)) write.run(hashKey(resource), hashOf(statements));
  write.run('shape', JSON.stringify(shape));
  write.run('shape id', shapeId(shape));
}

const hashKey = ({ name }: { readonly name: string }): string => `table ${tableName(name)}`;
const hashOf = ({ shape }: Pick<TableStatements, 'shape'>): string =>
  createHash('sha256').update(shape.join(';\n')).digest('hex');
/**
 * The hash of a table that is stored in the order of its identities, as all tables were while only hashes were
 * recorded.
 */
const hashBefore = ({ shape: [table, ...rest] }: TableStatements): string =>
  hashOf({ shape: [`${table}, WITHOUT ROWID`, ...rest] });

/**
 * Makes the tables of an empty store. Throws, without any change, if there are rows of another shape than the plan’s.
 */
export function openTables(db: Database.Database, plan: Plan, random = systemRandom): void {
  const next = shapeOf(plan);
  db.transaction(() => {
    const stored = storedShape(db);
    prepareSystem(db, plan);
    runWork(db, takeAnswers(plan));
    if (stored === 'unknown') mustBeMadeFor(db, plan);
    else if (stored) mustFit(stored, next);
    if (stored === null || stored === 'unknown') {
      makeTables(db, plan);
      writeShape(db, plan, next);
    }
    const lookups = storedLookups(db);
    for (const [resource, statements] of schemaOf(plan)) {
      makeRoom(db, tableName(resource.name), statements.room);
      makeLookups(db, lookups.get(tableName(resource.name)) ?? [], statements.lookups);
    }
    makeItems(db, plan);
    takeAsOurs(db, plan);
    const read = db.prepare('SELECT value FROM ninefold_meta WHERE key = ?').pluck();
    if (read.get('secret') === undefined)
      db.prepare('INSERT INTO ninefold_meta VALUES (?, ?)').run('secret', random(32).toString('base64'));
  }).immediate();
}

/** Makes the tables that are missing. */
function makeTables(db: Database.Database, plan: Plan): void {
  const there = db.prepare('SELECT value FROM ninefold_meta WHERE key = ?').pluck();
  for (const [resource, statements] of schemaOf(plan))
    if (there.get(hashKey(resource)) === undefined) for (const sql of newTable(statements)) db.exec(sql);
}

/**
 * A new table has the column for cached JSON from the start: SQLite reads the whole schema again for each added column.
 */
function newTable({ shape, room }: TableStatements): readonly string[] {
  const [table = '', ...rest] = shape;
  return room ? [table.replace(/\n\) STRICT$/, `,\n  ${quoted(columnName(SHOWN))} TEXT\n) STRICT`), ...rest] : shape;
}

/** For a store from before shapes were recorded, only a hash tells for which tables it was made. */
function mustBeMadeFor(db: Database.Database, plan: Plan): void {
  const hashes = db.prepare("SELECT key, value FROM ninefold_meta WHERE key LIKE 'table %'").raw().all();
  const wanted = new Map(
    [...schemaOf(plan)].map(([resource, one]) => [hashKey(resource), [hashOf(one), hashBefore(one)]]),
  );
  for (const [key, hash] of hashes as [string, string][])
    if (!wanted.get(key)?.includes(hash))
      throw new StoreError(
        'failed',
        `The stored ${key} has other fields or rules, and was stored by an older Ninefold without its shape. Open it once with its own document (\`ninefold rows FILE list RESOURCE\` is enough). After that, it can be migrated.`,
      );
}

/** Runs a piece of a migration, statement by statement; calls `step` before each statement that changes something. */
export function runWork<T>(
  db: Database.Database,
  work: MigrationStep<T>,
  step: (what: string, sql: string) => void = () => {},
): T {
  let next = work.next([]);
  while (!next.done) {
    const { what, sql } = next.value;
    const text = sql.text(() => '?');
    if (what !== null) step(what, text);
    const statement = db.prepare(text);
    const rows = statement.reader ? (statement.raw(true).all(...sql.values) as unknown[][]) : [];
    if (!statement.reader) statement.run(...sql.values);
    next = work.next(rows);
  }
  return next.value;
}

/** Makes the missing ones of the service’s own tables. */
export function prepareSystem(db: Database.Database, plan: Plan): void {
  const putAnswersBack = setAnswersAside(db);
  for (const sql of SYSTEM_TABLES) db.exec(sql);
  putAnswersBack();
  packEvents(db);
  widen(db, 'ninefold_receiver', RECEIVER_COLUMNS);
  widen(db, 'ninefold_delivery', DELIVERY_COLUMNS);
  markKeys(db, plan);
}

/** Adds columns that older tables lack. */
function widen(db: Database.Database, table: string, columns: readonly string[]): void {
  const there = db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table);
  for (const column of columns)
    if (!there.includes(column.split(' ')[0])) db.exec(`ALTER TABLE ${table} ADD COLUMN ${column}`);
}

/** Changes an older table of kept answers, which has a unique index of their keys and all of their bodies. */
function setAnswersAside(db: Database.Database): () => void {
  const columns = db.prepare("SELECT name FROM pragma_table_info('ninefold_answer')").pluck().all() as string[];
  if (columns.length === 0 || columns.includes('own_body')) return () => {};
  db.exec('DROP INDEX ninefold_answer_expires; ALTER TABLE ninefold_answer RENAME TO ninefold_answer_before');
  const names = columns.map((name) => (name === 'body' ? 'own_body' : name)).join(', ');
  const order = columns.includes('seq') ? 'seq' : 'expires';
  return () =>
    db.exec(`INSERT INTO ninefold_answer (${names}) SELECT ${columns.join(', ')} FROM ninefold_answer_before
      ORDER BY ${order}; DROP TABLE ninefold_answer_before`);
}

/**
 * Names the column for the data of events as one that may be packed. A packed text begins with U+0001, which a plain one
 * repeats.
 */
function packEvents(db: Database.Database): void {
  if (!db.prepare("SELECT 1 FROM pragma_table_info('ninefold_event') WHERE name = 'data'").get()) return;
  db.exec(`ALTER TABLE ninefold_event RENAME COLUMN data TO packed;
    UPDATE ninefold_answer SET own_body = char(1) || own_body WHERE substr(own_body, 1, 1) = char(1)`);
}

/** Keys from the time before a service could have several schemes belong to the first scheme. */
function markKeys(db: Database.Database, plan: Plan): void {
  const columns = db.prepare("SELECT name FROM pragma_table_info('ninefold_key')").pluck().all();
  if (!columns.includes('mark')) db.exec("ALTER TABLE ninefold_key ADD COLUMN mark TEXT NOT NULL DEFAULT ''");
  const [first] = plan.schemes;
  if (first) db.prepare("UPDATE ninefold_key SET mark = ? WHERE mark = ''").run(first.mark);
}

/** Adds the column for cached JSON to an older table; a row gets its JSON when it is next written. */
export function makeRoom(db: Database.Database, table: string, room: TableStatements['room']): void {
  if (!room) return;
  const columns = db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table);
  if (!columns.includes(columnName(SHOWN))) db.exec(room.column);
  db.exec(room.watch);
}

/** Makes and fills the tables of items and the full-text indexes that are missing. */
export function makeItems(db: Database.Database, plan: Plan): void {
  const there = new Set(db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all());
  for (const { items = [], search } of schemaOf(plan).values())
    for (const { name, made } of search ? [...items, search] : items)
      if (!there.has(name)) for (const sql of made) db.exec(sql);
}

/** The existing indexes of lists and timers, by table. */
function storedLookups(db: Database.Database): Map<string, string[]> {
  const all = db
    .prepare(`SELECT tbl_name, name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL`)
    .raw()
    .all() as [table: string, name: string][];
  const out = new Map<string, string[]>();
  for (const [table, name] of all) if (/^ninefold_(?:due|at|lookup)_/.test(name)) addTo(out, table, name);
  return out;
}

/** Makes the indexes that lists and timers need, and drops those that nothing needs any more. */
function makeLookups(db: Database.Database, there: readonly string[], wanted: ReadonlyMap<string, string>): void {
  for (const name of there) if (!wanted.has(name)) db.exec(`DROP INDEX ${quoted(name)}`);
  for (const [name, sql] of wanted) if (!there.includes(name)) db.exec(sql);
}

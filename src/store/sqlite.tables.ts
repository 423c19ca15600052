import { createHash, randomBytes } from 'node:crypto';
import type Database from 'better-sqlite3';
import type { Plan } from '../plan/step.ts';
import { SYSTEM_TABLES, schemaOf, type TableStatements } from './sqlite.schema.ts';
import { StoreError } from './store.ts';
import { columnName, quoted, SHOWN, tableName } from './tables.ts';

/**
 * Makes the tables that are missing. A table that is there has to have been made for the same fields and rules:
 * otherwise this throws, and nothing is changed.
 */
export function openTables(db: Database.Database, plan: Plan): void {
  db.transaction(() => {
    const takeAnswers = setAnswersAside(db);
    for (const sql of SYSTEM_TABLES) db.exec(sql);
    takeAnswers();
    markKeys(db, plan);
    const read = db.prepare('SELECT value FROM ninefold_meta WHERE key = ?').pluck();
    const write = db.prepare('INSERT INTO ninefold_meta VALUES (?, ?)');
    const lookups = storedLookups(db);
    for (const [resource, statements] of schemaOf(plan)) {
      const shape = createHash('sha256').update(statements.shape.join(';\n')).digest('hex');
      const key = `table ${tableName(resource.name)}`;
      const known = read.get(key);
      if (known === undefined) {
        for (const sql of statements.shape) db.exec(sql);
        write.run(key, shape);
      } else if (known !== shape)
        throw new StoreError(
          'failed',
          `The stored table of ${resource.name} was made for other fields or rules, and changing stored tables is not supported yet. Serve the document with another --data directory, or undo the change to ${resource.name}.`,
        );
      makeRoom(db, tableName(resource.name), statements.room);
      makeLookups(db, lookups.get(tableName(resource.name)) ?? [], statements.lookups);
    }
    if (read.get('secret') === undefined) write.run('secret', randomBytes(32).toString('base64'));
  }).immediate();
}

/** Answers that were kept in the order of their keys come into the order in which they were given. */
function setAnswersAside(db: Database.Database): () => void {
  const columns = db.prepare("SELECT name FROM pragma_table_info('ninefold_answer')").pluck().all();
  if (columns.length === 0 || columns.includes('seq')) return () => {};
  db.exec('DROP INDEX ninefold_answer_expires; ALTER TABLE ninefold_answer RENAME TO ninefold_answer_before');
  const all = columns.join(', ');
  return () =>
    db.exec(`INSERT INTO ninefold_answer (${all}) SELECT ${all} FROM ninefold_answer_before ORDER BY expires;
      DROP TABLE ninefold_answer_before`);
}

/** Keys from before there could be several schemes are those of the first one. */
function markKeys(db: Database.Database, plan: Plan): void {
  const columns = db.prepare("SELECT name FROM pragma_table_info('ninefold_key')").pluck().all();
  if (!columns.includes('mark')) db.exec("ALTER TABLE ninefold_key ADD COLUMN mark TEXT NOT NULL DEFAULT ''");
  const [first] = plan.schemes;
  if (first) db.prepare("UPDATE ninefold_key SET mark = ? WHERE mark = ''").run(first.mark);
}

/** A table from before rows had ready text gets room for it; what was stored has none until it is written again. */
function makeRoom(db: Database.Database, table: string, room: TableStatements['room']): void {
  if (!room) return;
  const columns = db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table);
  if (!columns.includes(columnName(SHOWN))) db.exec(room.column);
  db.exec(room.watch);
}

/** The indexes that lists and timers have wanted so far, by table. */
function storedLookups(db: Database.Database): Map<string, string[]> {
  const all = db
    .prepare(`SELECT tbl_name, name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL`)
    .raw()
    .all() as [table: string, name: string][];
  const out = new Map<string, string[]>();
  for (const [table, name] of all)
    if (/^ninefold_(?:due|at|lookup)_/.test(name)) out.set(table, [...(out.get(table) ?? []), name]);
  return out;
}

/** Makes the indexes that the document's lists and timers want, and drops those that nothing wants any more. */
function makeLookups(db: Database.Database, there: readonly string[], wanted: ReadonlyMap<string, string>): void {
  for (const name of there) if (!wanted.has(name)) db.exec(`DROP INDEX ${quoted(name)}`);
  for (const [name, sql] of wanted) if (!there.includes(name)) db.exec(sql);
}

import { closeSync, openSync, readSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Plan } from '../../plan/step.ts';
import { StoreError } from '../store.ts';
import { columnName, SHOWN, storedColumns, tableName } from '../tables.ts';

/** The application ID in the header of Ninefold’s SQLite databases: “NINE”. */
const APPLICATION_ID = 0x4e494e45;

/** Number of foreign tables that a message lists. */
const NAMED = 3;

/** How long to wait for another process that holds the database exclusively, in milliseconds. */
const WAIT_MS = 2000;

const foreign = (path: string, what: string): StoreError =>
  new StoreError(
    'failed',
    `“${path}” is the database of another program: ${what}. Nothing in it was changed. Give Ninefold a directory of its own with --data, or move the file away`,
  );

/**
 * Throws StoreError if a database is neither empty nor made by Ninefold, before anything is written. The check is
 * read-only: SQLite does not even write if a log or a journal exists. Unreadable files pass, and fail when they are
 * opened. `damaged` is the plan of a store that may be incomplete: one of its tables is enough.
 */
export function mustBeOurs(path: string, damaged: Plan | null = null): void {
  const sizeOf = (suffix: string): number | null => statSync(path + suffix, { throwIfNoEntry: false })?.size ?? null;
  if (!sizeOf('')) return;
  const readonly = ['-wal', '-journal'].some((suffix) => sizeOf(suffix) !== null);
  let db: Database.Database | null = null;
  try {
    db = new Database(path, { readonly, fileMustExist: true, timeout: WAIT_MS });
    mustBeMadeHere(db, path, damaged);
  } catch (error) {
    if (error instanceof StoreError) throw error;
  } finally {
    db?.close();
  }
}

const TABLES = `SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`;

/** The offset of the application ID in a file, in bytes. */
const NUMBER_AT = 68;

/**
 * Whether a file has Ninefold’s application ID in its header, whatever lies beside the file. Not for a file that this
 * process has open: closing it would release the locks of all connections.
 */
export function bearsOurNumber(path: string): boolean {
  const head = Buffer.alloc(NUMBER_AT + 4);
  try {
    const file = openSync(path, 'r');
    try {
      readSync(file, head, 0, head.length, 0);
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
  return head.readUInt32BE(NUMBER_AT) === APPLICATION_ID;
}

function mustBeMadeHere(db: Database.Database, path: string, damaged: Plan | null): void {
  const id = db.pragma('application_id', { simple: true }) as number;
  const tables = db.prepare(TABLES).pluck().all() as string[];
  if (id !== 0 && id !== APPLICATION_ID)
    throw foreign(path, `its application_id is 0x${(id >>> 0).toString(16).padStart(8, '0')}`);
  if (damaged?.resources.some(({ name }) => tables.includes(tableName(name)))) return;
  // Older stores have no application ID, but have the table `ninefold_meta`.
  if (!tables.includes('ninefold_meta') && tables.length > 0) {
    const more = tables.length > NAMED ? ` and ${tables.length - NAMED} more` : '';
    const named = tables.slice(0, NAMED).map((name) => `“${name}”`);
    throw foreign(path, `it has tables that Ninefold did not make (${named.join(', ')}${more})`);
  }
  if (tables.includes('ninefold_meta')) mustBeUnaltered(db, path);
}

/** Objects of another program on Ninefold’s tables that act when rows change. */
const ACTING = `SELECT s.type, s.name, s.tbl_name FROM sqlite_schema s WHERE s.name NOT LIKE 'ninefold\\_%' ESCAPE '\\'
  AND (s.type = 'trigger' OR (s.type = 'index' AND s.sql IS NOT NULL AND EXISTS
    (SELECT 1 FROM pragma_index_list(s.tbl_name) l WHERE l.name = s.name AND l."unique"))) LIMIT 1`;

/** Throws StoreError if an object that Ninefold did not make acts on the rows. */
export function mustBeUnaltered(db: Database.Database, path: string): void {
  const meta = db.prepare("SELECT name FROM pragma_table_info('ninefold_meta') ORDER BY cid").pluck().all();
  if (meta.join() !== 'key,value')
    throw foreign(path, `its table “ninefold_meta” has the columns ${meta.join(', ')}, and not key and value`);
  const found = db.prepare(ACTING).get() as { type: string; name: string; tbl_name: string } | undefined;
  if (!found) return;
  const what = found.type === 'trigger' ? 'trigger' : 'unique index';
  throw new StoreError(
    'failed',
    `“${path}” has a ${what} “${found.name}” on the table “${found.tbl_name}” that Ninefold did not make, and that could change or refuse what is stored. Nothing was changed. Remove it (DROP ${found.type.toUpperCase()} "${found.name}"), and try again`,
  );
}

/** Marks a database as made by Ninefold, once its tables have their columns. Throws StoreError. */
export function takeAsOurs(db: Database.Database, plan: Plan): void {
  mustHaveItsColumns(db, plan);
  if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID) db.pragma(`application_id = ${APPLICATION_ID}`);
}

/** Throws StoreError unless the tables of a plan’s shape have exactly the columns that they were made with. */
export function mustHaveItsColumns(db: Database.Database, plan: Plan): void {
  for (const resource of plan.resources) {
    const table = tableName(resource.name);
    const there = db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table) as string[];
    const made = storedColumns(resource).map(({ name }) => columnName(name));
    const missing = made.find((name) => !there.includes(name) && name !== columnName(SHOWN));
    const added = there.find((name) => !made.includes(name) && name !== columnName(SHOWN));
    if (missing === undefined && added === undefined) continue;
    const remedy =
      missing === undefined
        ? `Remove it (ALTER TABLE "${table}" DROP COLUMN "${added}"), or restore a backup`
        : 'Restore a backup';
    const what =
      missing === undefined ? `has a column “${added}” that Ninefold did not make` : `lacks the column “${missing}”`;
    throw new StoreError('failed', `The table “${table}” ${what}: another program has changed it. ${remedy}`);
  }
}

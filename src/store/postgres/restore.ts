import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { uuidBytes } from '../../expression/values/uuid.ts';
import type { Value } from '../../expression/values/value.ts';
import type { Plan } from '../../plan/step.ts';
import {
  BACKUP_META,
  BACKUP_TABLES,
  type BackupColumn,
  type BackupTable,
  backupTables,
  COUNTED,
  carriedValue,
  identityText,
} from '../migration/backup-tables.ts';
import { mustFit } from '../migration/compare.ts';
import { ANSWERS_KNOWN, hashAnswers, knowAnswers } from '../migration/kept-answers.ts';
import { shapeOf } from '../shape.ts';
import { shapesOf } from '../sql/columns.ts';
import { ITEMS_PREFIX } from '../sql/items.ts';
import { lookThrough } from '../sqlite/backup.ts';
import { sqliteDialect } from '../sqlite/dialect.ts';
import { storeError } from '../sqlite/errors.ts';
import { mustBeThere, mustBeWhole, NO_BACKUP, ofBackup, type Restored, type Restoring } from '../sqlite/restore.ts';
import { columnDecoders } from '../sqlite/results.ts';
import { type Argument, RefusedError, StoreError } from '../store.ts';
import { quoted, tableName } from '../tables.ts';
import { type Address, readAddress } from './address.ts';
import type { Link } from './connections.ts';
import { alone, type Making, META_TABLE } from './create.ts';
import { argumentType } from './dialect.ts';
import { stateOf, workFailure } from './errors.ts';
import { mustHaveRoom } from './identity.ts';
import { HOLDERS, SHAPE_LOCK } from './open.ts';
import { enter } from './pooler.ts';
import { NODE_SECONDS } from './rates.ts';
import { openWithin } from './tables.ts';
import { bound } from './values.ts';

/** The largest number of values in one statement, and the number of statements that are sent at once. */
const VALUES = 60_000;
const ON_THEIR_WAY = 4;

const SQLITE = sqliteDialect([]);

/**
 * Restores a backup into a PostgreSQL database, in one transaction. The backup is verified first, and must have the
 * plan’s shape. Rejects with StoreError if the database has rows, unless `replace` is true: then the rows are kept in a
 * schema of their own. Rejects, too, if a node is running on the database.
 */
export async function restorePostgres(
  from: string,
  url: string,
  plan: Plan,
  { replace, unsealed }: Restoring,
): Promise<Restored> {
  mustBeThere(from);
  mustBeWhole(from, unsealed);
  const address = readAddress(url);
  try {
    ofBackup(from, () => mustFitOf(lookThrough(from), plan));
    const db = new Database(from, { readonly: true, fileMustExist: true });
    try {
      db.exec('BEGIN');
      return { bytes: statSync(from).size, kept: await put(db, address, plan, replace) };
    } finally {
      db.close();
    }
  } catch (error) {
    throw storeError(error);
  }
}

/** Throws if a backup has rows of another document, or of an unknown one. */
function mustFitOf(stored: ReturnType<typeof lookThrough>, plan: Plan): void {
  if (stored === null) throw NO_BACKUP;
  if (stored === 'unknown')
    throw new StoreError(
      'failed',
      'An older Ninefold made it, without the shape of its rows. Restore it into a directory with --data, and restore a backup of that.',
    );
  mustFit(stored, shapeOf(plan));
}

async function put(db: Database.Database, address: Address, plan: Plan, replace: boolean): Promise<string | null> {
  const link = await enter(address);
  let kept: string | null = null;
  let done = false;
  try {
    await mustHaveRoom(link, plan, replace);
    // No transaction waits for a row of the table meanwhile: the lock makes all others wait until the end.
    const lock = 'LOCK TABLE ninefold_meta IN ACCESS EXCLUSIVE MODE';
    await alone(
      link,
      async (making) => {
        done = false;
        await making.run("SET LOCAL lock_timeout = '10s'");
        await mustBeQuiet(making, plan);
        kept = await moveAside(making, plan, replace);
        await openWithin(making, plan);
        await fill(link, making, db, plan);
        done = true;
      },
      () => false,
      lock,
    );
    return kept;
  } catch (error) {
    const { where } = address;
    const outcome = done
      ? 'The backup may have been restored or not. Look at the rows before you try again.'
      : 'Nothing has been changed.';
    const lost = `${where}: the connection ended. ${outcome}`;
    throw workFailure(error, link.broken, lost, `${where} is being used by others. Nothing has been changed.`);
  } finally {
    await link.close();
  }
}

/** Copies all rows of the backup. Rows refer to one another in circles, so foreign keys are checked at the end. */
async function fill(link: Link, making: Making, db: Database.Database, plan: Plan): Promise<void> {
  const tables = backupTables(plan);
  const references = await dropReferences(making, tables);
  for (const carried of tables) await copy(link, db, carried, plan);
  for (const sql of references) await making.run(sql);
  await writeMeta(making, db, plan);
  for (const { table } of tables) await making.run(`ANALYZE ${quoted(table)}`);
}

/** Drops the foreign keys of tables. Returns the statements that create them again. */
async function dropReferences(making: Making, tables: readonly BackupTable[]): Promise<string[]> {
  const all = await making.run(
    `SELECT r.relname, c.conname, pg_get_constraintdef(c.oid) FROM pg_constraint c JOIN pg_class r ON r.oid = c.conrelid
     WHERE c.contype = 'f' AND r.relnamespace = current_schema()::regnamespace ORDER BY 1, 2`,
  );
  const ours = new Set(tables.map(({ table }) => table));
  const again: string[] = [];
  for (const [table, name, definition] of all as [string, string, string][]) {
    if (!ours.has(table) && !table.startsWith(ITEMS_PREFIX)) continue;
    await making.run(`ALTER TABLE ${quoted(table)} DROP CONSTRAINT ${quoted(name)}`);
    again.push(`ALTER TABLE ${quoted(table)} ADD CONSTRAINT ${quoted(name)} ${definition}`);
  }
  return again;
}

/**
 * Copies a table. If the backup is older than the table or one of its columns, the table or column keeps its initial
 * value.
 */
async function copy(link: Link, db: Database.Database, carried: BackupTable, plan: Plan): Promise<void> {
  const { table, keys } = carried;
  const there = db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table);
  const columns = carried.columns.filter(({ stored }) => carriedValue(table, stored, there) !== null);
  if (columns.length === 0) return;
  const order = carried.columns.slice(0, keys).map(({ stored }) => quoted(stored));
  const selected = columns.map(({ stored, kind }) => SQLITE.selected(carriedValue(table, stored, there)!, kind));
  const rows = db.prepare(`SELECT ${selected.join(', ')} FROM ${quoted(table)} a ORDER BY ${order.join(', ')}`).raw();
  const read = new RowReader({ ...carried, columns });
  const most = Math.min(carried.page, Math.floor(VALUES / columns.length));
  const sent: Promise<unknown>[] = [];
  let page: Argument[][] = [];
  const send = async (): Promise<void> => {
    if (page.length === 0) return;
    sent.push(insert(link, table, columns, page));
    page = [];
    if (sent.length >= ON_THEIR_WAY) await sent.shift();
  };
  try {
    for (const row of rows.iterate() as Iterable<unknown[]>) {
      page.push(read.row(row));
      if (page.length >= most) await send();
    }
    await send();
    // The statements are awaited in order: the first error is the cause, and later ones only follow from it.
    for (const one of sent) await one;
  } catch (error) {
    throw refused(error, carried, plan);
  }
}

function insert(
  link: Link,
  table: string,
  columns: readonly BackupColumn[],
  rows: readonly (readonly Argument[])[],
): Promise<unknown> {
  let next = 0;
  const types = columns.map(({ own, kind }) => argumentType(own === 'bytes' ? own : kind));
  const values = rows.map(() => `(${types.map((type) => `$${++next}::${type}`).join(', ')})`);
  const names = columns.map(({ stored }) => quoted(stored)).join(', ');
  const uuids = columns.map(({ kind }) => kind === 'uuid');
  return link.send({
    text: `INSERT INTO ${quoted(table)} (${names}) VALUES ${values.join(', ')}`,
    values: rows.flatMap((row) => bound(row, uuids)),
  });
}

/** Reads rows of SQLite, and throws for values that PostgreSQL would not return unchanged. */
class RowReader {
  private readonly carried: BackupTable;
  private readonly decode: ReturnType<typeof columnDecoders>;

  constructor(carried: BackupTable) {
    this.carried = carried;
    this.decode = columnDecoders(shapesOf(carried.columns));
  }

  row(row: unknown[]): Argument[] {
    const { columns } = this.carried;
    for (const { at, value } of this.decode ?? [])
      if (row[at] !== null)
        try {
          row[at] = value(row[at]);
        } catch {
          throw this.refusal(row, at, 'it is not JSON of the right form');
        }
    for (const [at, { kind, own }] of columns.entries()) {
      if (own === 'any') row[at] = identityText(row[at]);
      const why = unfit(row[at] as Value, kind, own);
      if (why) throw this.refusal(row, at, why);
    }
    return row as Argument[];
  }

  private refusal(row: readonly unknown[], at: number, why: string): StoreError {
    const { what, columns, keys } = this.carried;
    const which = row.slice(0, keys).map(String).join(', ').replaceAll('\0', '\\0');
    const field = `${what}.${columns[at]!.name.trim()}`;
    return new StoreError(
      'failed',
      `PostgreSQL cannot store ${field} of the row “${which}”: ${why}. Nothing has been changed.`,
    );
  }
}

/** The reason why PostgreSQL cannot store a value; null where it can. */
function unfit(value: Value | Buffer, kind: BackupColumn['kind'], own: BackupColumn['own']): string | null {
  if (value === null || value === undefined) return null;
  if (kind === 'uuid') return uuidBytes(value as string) ? null : 'it is not a UUID';
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return 'it is not an integer up to 2^53 − 1';
  if (Buffer.isBuffer(value)) return own === 'bytes' ? null : 'it is bytes instead of text';
  return holdsNul(value) ? 'it contains U+0000, which PostgreSQL does not store in text' : null;
}

function holdsNul(value: Value): boolean {
  if (typeof value === 'string') return value.includes('\0');
  if (value instanceof Map) return [...value].some(([key, one]) => key.includes('\0') || holdsNul(one));
  return Array.isArray(value) && value.some(holdsNul);
}

/** The error for rows that PostgreSQL refuses, with the fields if PostgreSQL names them. */
function refused(error: unknown, { table, what }: BackupTable, plan: Plan): unknown {
  const state = error instanceof StoreError ? null : stateOf(error);
  const { constraint } = error as { constraint?: string };
  // 54000: the value is too long for an index. 23…: a constraint is violated.
  if (state === null || !(state === '54000' || state.startsWith('23'))) return error;
  const resource = plan.resources.find(({ name }) => name === what);
  const rule = /_(\d+)$/.exec(constraint ?? '')?.[1];
  const fields =
    constraint === `${table}_pkey` && resource
      ? [resource.identity]
      : constraint?.startsWith('ninefold_unique_')
        ? (resource?.uniques[Number(rule) - 1]?.fields ?? [])
        : [];
  const which = fields.length ? fields.map((field) => `${what}.${field}`).join(', ') : `a value of ${what}`;
  const why = state === '54000' ? 'it is too long for its index' : `rows break ${constraint ?? 'a constraint'}`;
  return new StoreError('failed', `PostgreSQL cannot store ${which}: ${why} (${state}). Nothing has been changed.`);
}

/**
 * Restores the database’s own state: its secret, the last place in the stream, and the next numbers of its counters.
 */
async function writeMeta(making: Making, db: Database.Database, plan: Plan): Promise<void> {
  const meta = db.prepare('SELECT value FROM ninefold_meta WHERE key = ?').pluck();
  const secret = meta.get(BACKUP_META);
  if (typeof secret === 'string') await making.keep(BACKUP_META, secret);
  for (const [table, column] of COUNTED) {
    const [[highest = 0] = []] = (await making.run(`SELECT coalesce(max(${column}), 0) FROM ${table}`)) as [number][];
    const given = db.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?').pluck().get(table);
    const last = Math.max(highest, typeof given === 'number' ? given : 0);
    await making.run(`ALTER TABLE ${table} ALTER COLUMN ${column} RESTART WITH ${last + 1}`);
    if (table === 'ninefold_event') await making.keep('streamed', String(last));
  }
  // On SQLite an event’s number is its place in the stream.
  await making.run('UPDATE ninefold_streamed SET place = event');
  if (meta.get(ANSWERS_KNOWN[0]) === undefined) await making.work(knowAnswers(plan));
  await making.work(hashAnswers());
  // Keys from the time before a service could have several schemes belong to the first scheme.
  const [first] = plan.schemes;
  if (first) await making.run("UPDATE ninefold_key SET mark = $1 WHERE mark = ''", first.mark);
}

/** The ordinary tables in the first schema of the search path. */
const TABLES = `SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
  ORDER BY relname`;

/**
 * Throws while a node is alive or a command runs: nodes continue with rows that they have read. A process that connects
 * later waits for the end of this transaction.
 */
async function mustBeQuiet(making: Making, plan: Plan): Promise<void> {
  const [[there] = []] = await making.run("SELECT to_regclass('ninefold_node') IS NOT NULL");
  if (there) {
    // A node that has lost its connections for a moment comes back.
    const alive = 'SELECT count(*) FROM ninefold_node WHERE until > clock_timestamp()';
    const [[nodes = 0] = []] = (await making.run(alive)) as [number][];
    if (nodes > 0) throw new StoreError('failed', running(nodes));
  }
  const [[alone]] = (await making.run(`SELECT pg_try_advisory_xact_lock(${SHAPE_LOCK})`)) as [[boolean]];
  if (!alone) {
    const [[held]] = (await making.run(`SELECT count(*) FROM ${HOLDERS}`)) as [[number]];
    throw new StoreError(
      'failed',
      `Others use it, with ${held} ${held === 1 ? 'connection' : 'connections'}. Stop the nodes, and let the commands end.`,
    );
  }
  const { tables } = await ninefoldTables(making, plan);
  // The lock waits for the end of all other transactions.
  await making.run(`LOCK TABLE ${tables.map(quoted).join(', ')} IN ACCESS EXCLUSIVE MODE`);
}

const running = (nodes: number): string => {
  const [which, them] = nodes === 1 ? ['A node is', 'it'] : [`${nodes} nodes are`, 'them'];
  return `${which} running on it. Stop ${them} first; one that was killed counts as running for ${NODE_SECONDS} seconds more.`;
};

/**
 * The tables of Ninefold, by its records or by their names, and those of them that hold rows to keep. If the records
 * are lost and other tables of Ninefold exist, tables with the names of the plan’s tables are Ninefold’s, too.
 */
async function ninefoldTables(making: Making, plan: Plan): Promise<{ tables: string[]; holding: string[] }> {
  const made = await making.run("SELECT substr(key, 7) FROM ninefold_meta WHERE key LIKE 'table %'");
  const all = (await making.run(TABLES)).map(([name]) => name as string);
  const lost = made.length === 0 && all.some((name) => Object.hasOwn(BACKUP_TABLES, name));
  const resources = new Set(lost ? plan.resources.map(({ name }) => tableName(name)) : made.map(([name]) => name));
  const tables = all.filter((name) => name.startsWith('ninefold_') || resources.has(name));
  return { tables, holding: tables.filter((name) => resources.has(name) || Object.hasOwn(BACKUP_TABLES, name)) };
}

/**
 * Throws if the database holds rows, unless they are to be replaced: then all tables of Ninefold are moved to a new
 * schema, unchanged. Returns the schema’s name; null if nothing was moved.
 */
async function moveAside(making: Making, plan: Plan, replace: boolean): Promise<string | null> {
  const { tables, holding } = await ninefoldTables(making, plan);
  let holds = false;
  for (const table of holding) holds ||= (await making.run(`SELECT 1 FROM ${quoted(table)} LIMIT 1`)).length > 0;
  if (holds && !replace)
    throw new RefusedError(
      'The database has rows already. To replace them by the backup, add --replace. The rows are kept in a schema of their own.',
    );
  // A database that another document opened and never used has tables without rows.
  if (!replace || holding.length === 0) return null;
  const schema = `ninefold_before_${new Date().toISOString().replace(/\D/g, '_').replace(/_$/, '')}`;
  try {
    await making.run(`CREATE SCHEMA ${schema}`);
  } catch (error) {
    if (stateOf(error) !== '42501') throw error;
    throw new StoreError(
      'failed',
      'The existing rows cannot be kept, because this user may not create a schema (GRANT CREATE ON DATABASE). Restore into an empty database instead.',
    );
  }
  for (const table of tables) await making.run(`ALTER TABLE ${quoted(table)} SET SCHEMA ${schema}`);
  for (const sql of META_TABLE) await making.run(sql);
  return schema;
}

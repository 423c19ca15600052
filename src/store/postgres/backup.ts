import type Database from 'better-sqlite3';
import type { Row } from '../../expression/values/value.ts';
import type { Plan } from '../../plan/step.ts';
import {
  BACKUP_META,
  type BackupTable,
  backupTables,
  COUNTED,
  carriedValue,
  identityForms,
} from '../migration/backup-tables.ts';
import { mustFit } from '../migration/compare.ts';
import { ANSWERS_KNOWN, hashAnswers } from '../migration/kept-answers.ts';
import { PathError } from '../paths.ts';
import { shapeOf } from '../shape.ts';
import { type Backup, targetError, wholeFile } from '../sqlite/backup.ts';
import { bind } from '../sqlite/call.ts';
import { openDatabase } from '../sqlite/open.ts';
import { openTables, runWork } from '../sqlite/tables.ts';
import { type Argument, StoreError } from '../store.ts';
import { quoted } from '../tables.ts';
import { readAddress } from './address.ts';
import type { Link } from './connections.ts';
import { Making } from './create.ts';
import { workFailure } from './errors.ts';
import { enter } from './pooler.ts';
import { columnsOf, storedShape } from './tables.ts';
import { READ } from './transaction.ts';

/**
 * Copies a PostgreSQL database as of one instant into one file, while nodes read and write. The file is a database of
 * the SQLite store with these rows. Rejects with StoreError on failure.
 */
export async function backupPostgres(url: string, to: string, plan: Plan): Promise<Backup> {
  const address = readAddress(url);
  return wholeFile(to, plan, async (part) => {
    const link = await enter(address);
    try {
      await mustBeOf(link, plan);
      await begin(link, plan);
      await mustBeOf(link, plan);
      await fill(part, plan, link);
      await link.send({ text: 'COMMIT' });
    } catch (error) {
      const ofTarget = targetError(error, to);
      if (ofTarget instanceof PathError) throw ofTarget;
      const lost = `${address.where}: the connection ended while rows were read.`;
      throw workFailure(error, link.broken, lost, `${address.where} is being changed by others: try again.`);
    } finally {
      await link.close();
    }
  });
}

/**
 * Begins the snapshot. All tables are locked before, since a table that a migration rewrites meanwhile would look empty
 * in the snapshot. Migrations wait for the lock; requests do not.
 */
async function begin(link: Link, plan: Plan): Promise<void> {
  const tables = ['ninefold_meta'];
  // An older Ninefold has not made all of them.
  for (const { table } of backupTables(plan))
    if ((await columnsOf(new Making(link), table)).length > 0) tables.push(table);
  await link.send({ text: READ });
  await link.send({ text: `LOCK TABLE ${tables.map(quoted).join(', ')} IN ACCESS SHARE MODE` });
}

/** Throws unless the rows have the document’s shape, since the document decides the tables of the backup. */
async function mustBeOf(link: Link, plan: Plan): Promise<void> {
  const [[there] = []] = (await link.send({ text: "SELECT to_regclass('ninefold_meta') IS NOT NULL" })).rows;
  const stored = there ? await storedShape(new Making(link)) : null;
  if (stored === null) throw new StoreError('failed', 'The database has no rows of a Ninefold document.');
  if (stored === 'unknown')
    throw new StoreError(
      'failed',
      'The rows were stored by an older Ninefold, without their shape. Open them once with their own document (`ninefold rows FILE list RESOURCE` is enough). After that, they can be backed up.',
    );
  mustFit(stored, shapeOf(plan));
}

/** Makes the tables in an empty file, and copies the rows into them. */
async function fill(part: string, plan: Plan, link: Link): Promise<void> {
  const db = openDatabase(part);
  try {
    // No other process reads the file, and any failure removes it. The complete file is synced once, at the end.
    db.pragma('journal_mode = OFF');
    db.pragma('synchronous = OFF');
    // Rows refer to one another in circles, so foreign keys are checked at the end.
    db.pragma('foreign_keys = OFF');
    openTables(db, plan);
    db.exec('BEGIN');
    const forms = identityForms(plan);
    for (const carried of backupTables(plan)) await copy(link, db, carried, forms);
    await writeMeta(link, db);
    runWork(db, hashAnswers());
    db.exec('COMMIT');
  } finally {
    db.close();
  }
}

/** Copies a table page by page: the next page is fetched while one is written, so that two are in memory. */
async function copy(
  link: Link,
  db: Database.Database,
  carried: BackupTable,
  forms: ReturnType<typeof identityForms>,
): Promise<void> {
  const { table } = carried;
  const there = await columnsOf(new Making(link), table);
  const columns = carried.columns.filter(({ stored }) => carriedValue(table, stored, there) !== null);
  if (columns.length === 0) return;
  const names = columns.map(({ stored }) => quoted(stored)).join(', ');
  const insert = db.prepare(`INSERT INTO ${quoted(table)} (${names}) VALUES (${columns.map(() => '?').join(', ')})`);
  const blobs = columns.map(({ kind }) => kind === 'uuid');
  const identities = columns.flatMap(({ own }, at) => (own === 'any' ? [at] : []));
  await link.send({ text: `DECLARE page NO SCROLL CURSOR FOR ${selected({ ...carried, columns }, there)}` });
  const next = () => link.send({ text: `FETCH ${carried.page} FROM page` });
  for (let page = next(); ; ) {
    const rows = (await page).rows as Row[];
    if (rows.length === 0) break;
    page = next();
    for (const row of rows) {
      const values: unknown[] = bind(row as Argument[], blobs);
      for (const at of identities)
        values[at] = forms(table, row[at] as string, (name) => row[columns.findIndex((one) => one.name === name)]);
      insert.run(...values);
    }
  }
  await link.send({ text: 'CLOSE page' });
}

/**
 * The numbers of events in the backup. On SQLite, an event’s number is its place in the stream, and PostgreSQL gives
 * places later. So streamed events get their place as their number, and other events keep their number unless it is
 * taken.
 */
const NUMBERED = `WITH
  last AS (SELECT coalesce((SELECT value::bigint FROM ninefold_meta WHERE key = 'streamed'), 0) AS place),
  placed AS (SELECT event, coalesce(place, (SELECT place FROM last) +
    row_number() OVER (PARTITION BY place IS NULL ORDER BY event)) AS number FROM ninefold_streamed),
  top AS (SELECT greatest((SELECT max(seq) FROM ninefold_event), (SELECT max(number) FROM placed),
    (SELECT place FROM last)) AS number),
  numbered AS (SELECT event, number FROM placed UNION ALL
    SELECT e.seq, CASE WHEN taken.number IS NULL THEN e.seq ELSE (SELECT number FROM top) +
      row_number() OVER (PARTITION BY taken.number IS NULL ORDER BY e.seq) END
    FROM ninefold_event e LEFT JOIN placed own ON own.event = e.seq LEFT JOIN placed taken ON taken.number = e.seq
    WHERE own.event IS NULL)`;

/** The columns that hold an event’s number, by their table. */
const NUMBERS: Readonly<Record<string, string>> = {
  ninefold_event: 'seq',
  ninefold_streamed: 'event',
  ninefold_delivery: 'event',
};

function selected({ table, columns, keys }: BackupTable, there: readonly unknown[]): string {
  const number = NUMBERS[table];
  const order = Array.from({ length: keys }, (_, at) => at + 1).join(', ');
  const values = columns.map(({ stored }) => (stored === number ? 'n.number' : carriedValue(table, stored, there)));
  const from = `SELECT ${values.join(', ')} FROM ${quoted(table)} a`;
  if (number === undefined) return `${from} ORDER BY ${order}`;
  return `${NUMBERED} ${from} JOIN numbered n ON n.event = a.${quoted(number)} ORDER BY ${order}`;
}

/** Writes the database’s own state into the backup: its secret, and the last numbers of its counters. */
async function writeMeta(link: Link, db: Database.Database): Promise<void> {
  const meta = `SELECT value FROM ninefold_meta WHERE key = '${BACKUP_META}'`;
  const [[secret] = []] = (await link.send({ text: meta })).rows;
  if (secret !== undefined) db.prepare('INSERT OR REPLACE INTO ninefold_meta VALUES (?, ?)').run(BACKUP_META, secret);
  // If kept answers still have keys of an old form, the process that opens the backup converts them.
  const known = `SELECT 1 FROM ninefold_meta WHERE key = '${ANSWERS_KNOWN[0]}'`;
  if ((await link.send({ text: known })).rows.length === 0)
    db.prepare('DELETE FROM ninefold_meta WHERE key = ?').run(ANSWERS_KNOWN[0]);
  for (const [table, column] of COUNTED) {
    const named = `SELECT pg_get_serial_sequence('${table}', '${column}')`;
    const [[sequence] = []] = (await link.send({ text: named })).rows;
    const given = `SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM ${sequence}`;
    const [[number = 0] = []] = (await link.send({ text: given })).rows as [number][];
    const streamed = "SELECT value::bigint FROM ninefold_meta WHERE key = 'streamed'";
    const [[place = 0] = []] = (await link.send({ text: streamed })).rows as [number][];
    const highest = db.prepare(`SELECT coalesce(max(${column}), 0) FROM ${table}`).pluck().get() as number;
    const last = Math.max(number, highest, table === 'ninefold_event' ? place : 0);
    db.prepare('DELETE FROM sqlite_sequence WHERE name = ?').run(table);
    db.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(table, BigInt(last));
  }
}

import { closeSync, existsSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import type { RandomBytes } from '../../expression/values/random.ts';
import type { Plan } from '../../plan/step.ts';
import { giveToOwner, makeDirectory, syncPath } from '../paths.ts';
import { StoreError } from '../store.ts';
import { endIfUnsynced, storeError } from './errors.ts';
import { keepFreePages } from './free-pages.ts';
import { registerFunctions } from './functions.ts';
import { mustBeOurs } from './identity.ts';
import { openTables } from './tables.ts';
import { emptyLog } from './wal-recovery.ts';

/**
 * The purpose of opening a store. `service`: begins with an empty write-ahead log (WAL), so that the log of an earlier
 * process is copied into the database first; then copies its own log as it grows. `successor`: follows an earlier store
 * of the same process, which may still be open, so that the log need not be empty. `command`: an operator’s command,
 * which leaves the log alone while another process has the database open.
 */
export type Use = 'service' | 'successor' | 'command';

/** A log that an earlier process has left can be copied only while no other process has the database open. */
const notAlone = (path: string): StoreError =>
  new StoreError(
    'busy',
    `the log of an earlier process has to be copied into the database first, and another process has the database open. \`fuser ${path}\` names the process`,
  );

/** An opened database with its tables, and a guard that is to be closed after it; null where there is none. */
export interface Opened {
  readonly db: Database.Database;
  readonly guard: Database.Database | null;
}

/** Opens a database, and makes its tables. Throws StoreError. */
export function openFor(use: Use, path: string, plan: Plan, random: RandomBytes): Opened {
  const opened = path === ':memory:' ? { db: openDatabase(path), guard: null } : openFile(use, path);
  try {
    openTables(opened.db, plan, random);
  } catch (error) {
    opened.db.close();
    if (opened.guard) leaveLog(path, opened.guard);
    throw storeFailure(error);
  }
  if (use === 'command') return opened;
  // From here on, the store itself syncs commits, and copies the log when no request waits.
  opened.db.pragma('synchronous = NORMAL');
  opened.guard?.close();
  return { db: opened.db, guard: null };
}

function openFile(use: Use, path: string): Opened {
  try {
    // The predecessor has already verified that the file is Ninefold’s.
    if (use !== 'successor') mustBeOurs(path);
    for (;;) {
      const empty = emptyLog(path, use === 'service' ? BUSY : 0);
      if (!empty && use === 'service') throw notAlone(path);
      const db = openDatabase(path);
      const guard = openGuard(path);
      // A command may have come in between, written and ended.
      if (use !== 'service' || isEmpty(db)) return { db, guard };
      db.close();
      leaveLog(path, guard);
    }
  } catch (error) {
    throw storeFailure(error);
  }
}

/** Whether the log of a database is empty. */
function isEmpty(db: Database.Database): boolean {
  const [{ log }] = db.pragma('wal_checkpoint(NOOP)') as [{ readonly log: number }];
  return log <= 0;
}

/** How long a write waits for the write of another process, such as a command, in milliseconds. */
export const BUSY = 2000;

/** The largest page cache of a connection, in KiB; memory is used only as needed. */
const CACHE = 8000;

/** Opens the database at `path`, or makes it. No connection copies a long log automatically. Throws StoreError. */
export function openDatabase(path: string): Database.Database {
  const inFile = path !== ':memory:';
  if (inFile) makePrivately(path);
  try {
    const begins = inFile && !existsSync(`${path}-wal`);
    const db = new Database(path, { timeout: BUSY });
    keepFreePages(db);
    db.pragma('journal_mode = WAL');
    db.pragma('wal_autocheckpoint = 0');
    // The driver's own default in WAL is NORMAL, which loses acknowledged commits when the power fails.
    db.pragma('synchronous = FULL');
    // SQLite overwrites removed and replaced bytes, such as a receiver’s secret, on pages that it writes anyway.
    db.pragma('secure_delete = FAST');
    // The cache holds a batch of writes: anything beyond is written twice, during the transaction and at its end.
    db.pragma(`cache_size = -${CACHE}`);
    // The undo data of a savepoint is kept in memory instead of a file, to which SQLite would write page by page.
    db.pragma('temp_store = MEMORY');
    db.pragma('foreign_keys = ON');
    db.pragma('trusted_schema = OFF');
    registerFunctions(db);
    if (begins) {
      // The first read creates the log. SQLite syncs the directory later, and would not report a refused sync.
      db.pragma('schema_version');
      syncDirectory(dirname(path));
    }
    return db;
  } catch (error) {
    throw storeFailure(error);
  }
}

/**
 * Creates the file for its owner alone, since it holds webhook secrets; SQLite gives its other files the same mode. An
 * existing file is not opened: closing it would release the locks of this process’s other connections.
 */
function makePrivately(path: string): void {
  const made = makeDirectory(dirname(path));
  if (made !== null) syncDirectory(dirname(made));
  try {
    closeSync(openSync(path, 'ax', 0o600));
    giveToOwner(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * Opens a read-only connection that is to be closed after all others of this process. The last connection to close
 * copies the log, unless it is read-only (https://sqlite.org/wal.html#ckpt). Only the service that writes a log, or a
 * process that has the database alone, knows that copied pages have been synced.
 */
function openGuard(path: string): Database.Database {
  const guard = new Database(path, { readonly: true, timeout: BUSY });
  guard.pragma('schema_version');
  return guard;
}

/** Closes the guard of a database, and empties the log if no other process has the database open. */
export function leaveLog(path: string, guard: Database.Database): void {
  guard.close();
  try {
    emptyLog(path, 0);
  } catch (error) {
    // If the disk is full, for example, the log stays for the next process that opens the database.
    endIfUnsynced(error);
  }
}

/** Does work on a database that other processes may have open, and leaves the log to them. Throws StoreError. */
export function withDatabase<T>(path: string, work: (db: Database.Database) => T): T {
  try {
    mustBeOurs(path);
    emptyLog(path, 0);
    const db = openDatabase(path);
    const guard = openGuard(path);
    try {
      return work(db);
    } finally {
      db.close();
      leaveLog(path, guard);
    }
  } catch (error) {
    throw storeFailure(error);
  }
}

/** Error codes of systems that cannot sync directories, and need not. */
const NO_DIRECTORY_SYNC = new Set(['EISDIR', 'EACCES', 'EPERM', 'EINVAL', 'EBADF']);

/** Waits until the list of a directory is on the disk. */
function syncDirectory(path: string): void {
  try {
    syncPath(path);
  } catch (error) {
    if (!NO_DIRECTORY_SYNC.has(String((error as NodeJS.ErrnoException).code))) throw error;
  }
}

/** Converts errors as `storeError` does, but ends the process if a sync of the database was refused. */
export function storeFailure(error: unknown): unknown {
  endIfUnsynced(error);
  return storeError(error);
}

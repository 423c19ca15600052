import { closeSync, existsSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { giveToOwner, makeDirectory, syncPath } from '../paths.ts';
import { storeError } from './errors.ts';
import { keepFreePages } from './free-pages.ts';
import { registerFunctions } from './functions.ts';
import { mustBeOurs } from './identity.ts';
import { endIfUnsynced } from './sync-failure.ts';
import { emptyLog } from './wal-recovery.ts';

/** How long a write waits for another process (an operator's command) to finish its own, in milliseconds. */
export const BUSY = 2000;

/** The page cache of a connection, in KiB: what it never needs is never taken. */
const CACHE = 8000;

/**
 * Opens (or makes) the database at `path`. No connection copies the log by itself when it has grown. Throws StoreError
 * where it can't.
 */
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
    // SQLite overwrites removed and replaced bytes on pages that it writes anyway: the secret of a receiver, for one.
    db.pragma('secure_delete = FAST');
    // A batch of writes fits into it: what doesn’t is written twice, in the transaction and at its end.
    db.pragma(`cache_size = -${CACHE}`);
    // The undo data of a savepoint is kept in memory instead of a file, to which SQLite would write page by page.
    db.pragma('temp_store = MEMORY');
    db.pragma('foreign_keys = ON');
    db.pragma('trusted_schema = OFF');
    registerFunctions(db);
    if (begins) {
      // The first read makes the log. SQLite syncs its name later, and is silent where that is refused.
      db.pragma('schema_version');
      syncDirectory(dirname(path));
    }
    return db;
  } catch (error) {
    throw storeFailure(error);
  }
}

/**
 * Webhook secrets are in the file, so that it is its owner’s alone; SQLite gives its other files the same mode. One that
 * is there is left alone: closing it would let go of the locks that other connections of this process hold on it.
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
 * copies the log, unless it is read-only (https://sqlite.org/wal.html#ckpt): only the service that writes a log, and
 * whoever has the database alone, know that what has been copied before has been synced.
 */
export function openGuard(path: string): Database.Database {
  const guard = new Database(path, { readonly: true, timeout: BUSY });
  guard.pragma('schema_version');
  return guard;
}

/** Closes the guard of a database, and empties the log where nobody else has that open. */
export function leaveLog(path: string, guard: Database.Database): void {
  guard.close();
  try {
    emptyLog(path, 0);
  } catch (error) {
    // Where the disk is full, for one, the log stays, for whoever opens the database next.
    endIfUnsynced(error);
  }
}

/** Does some work on a database beside whoever else has it open, whose log is left alone. Throws StoreError. */
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

/** Waits until what a directory lists is on the disk. */
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

import { closeSync, type FSWatcher, openSync, rmSync, watch } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { giveToOwner, lookAt, mustBeOpenable, mustBeUsable, PathError } from '../paths.ts';
import { StoreError } from '../store.ts';

/** The lock file in a data directory. It exists while a service runs, or after one was killed. */
export const LOCK = 'serving.lock';

/** A data directory that one service holds. */
export interface DirectoryLock {
  release(): void;
}

/**
 * Holds a data directory for one service. Its process counts rates and idempotency claims, so that a second service
 * would let through twice as many requests. The lock is the operating system’s, and ends with the process, however the
 * process ends.
 *
 * If the file is removed because it looks left over, the lock is kept: the process makes the file again at once, and
 * locks the new file. `lost` is called if another process has locked it by then.
 *
 * Throws StoreError where another service holds the directory.
 */
export function holdDirectory(data: string, lost: () => void = () => {}): DirectoryLock {
  mustBeUsable(data, true);
  let held = holdFile(join(data, LOCK));
  let watching: FSWatcher | null = null;
  const keep = (): void => {
    try {
      while (!held.isCurrent()) {
        const again = holdFile(held.path);
        held.close();
        held = again;
        watchAnew();
      }
    } catch (error) {
      // If the directory is gone, there are no rows that a second service could change.
      if (error instanceof StoreError) lost();
    }
  };
  const watchAnew = (): void => {
    watching?.close();
    watching = watchFile(held.path, keep);
  };
  watchAnew();
  keep();
  return {
    release: () => {
      watching?.close();
      held.remove();
    },
  };
}

/** The file of a lock, held by this process. */
interface HeldFile {
  readonly path: string;
  /** Whether the file that this process holds still has its name. */
  isCurrent(): boolean;
  close(): void;
  /** Removes the file while its lock is held, so that no process takes it for the lock of a running service. */
  remove(): void;
}

function holdFile(path: string): HeldFile {
  for (;;) {
    mustBeOpenable(path);
    const held = tryHold(path);
    if (held) return held;
  }
}

/** Locks a file; null if its earlier holder has removed it between opening and locking. */
function tryHold(path: string): HeldFile | null {
  let lock: Database.Database;
  let number: number | null = null;
  try {
    mustBePrivate(path);
    number = numberOf(path);
    if (number === null) return null;
    lock = new Database(path, { timeout: 0, fileMustExist: true });
  } catch (error) {
    if (number !== null && numberOf(path) === null) return null;
    throw new PathError(`“${path}” can’t be opened: ${(error as Error).message}.`);
  }
  try {
    // Nothing is written into the file, but a killed process could leave a journal beside it.
    lock.pragma('journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY'))
      throw new PathError(`“${path}” can’t be locked: ${(error as Error).message}. Remove it, unless a service runs.`);
    throw new StoreError('failed', 'Another service runs on it. Stop that service, or use another --data.');
  }
  // An open file keeps its inode number, so that a new file with the same name has another.
  const isCurrent = (): boolean => numberOf(path) === number;
  if (!isCurrent()) {
    lock.close();
    return null;
  }
  return {
    path,
    isCurrent,
    close: () => lock.close(),
    remove: () => {
      if (isCurrent()) rmSync(path, { force: true });
      lock.close();
    },
  };
}

/** The inode number of a file; null if there is none. */
const numberOf = (path: string): number | null => lookAt(path, false)?.ino ?? null;

/**
 * Calls `changed` when the lock file is removed or replaced. Returns null where the system cannot watch more files. The
 * directory is not watched: each write to the database in it would be an event, which cost creates 7%.
 */
function watchFile(path: string, changed: () => void): FSWatcher | null {
  try {
    return watch(path, { persistent: false }, changed).on('error', () => {});
  } catch {
    return null;
  }
}

/** Creates the lock file for the owner alone, like the database: SQLite would make it readable for all. */
function mustBePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600));
    giveToOwner(path);
  } catch (error) {
    // An existing file is not opened: closing it would release this process’s own locks on it (POSIX).
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error;
  }
}

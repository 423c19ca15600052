import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { giveToOwner, mustBeOpenable, mustBeUsable, PathError } from '../paths.ts';
import { StoreError } from '../store.ts';

/** The file of a data directory by which a service holds it. */
export const LOCK = 'serving.lock';

/** A data directory that one service holds. */
export interface DirectoryLock {
  release(): void;
}

/**
 * Holds a data directory for one service: rates and idempotency claims are counted in its process, so that a second
 * one would let through twice as many. The lock is the system's own, and ends with the process, however it ends.
 * Throws StoreError where another service holds it.
 */
export function holdDirectory(data: string): DirectoryLock {
  mustBeUsable(data, true);
  const path = join(data, LOCK);
  mustBeOpenable(path);
  let lock: Database.Database;
  try {
    mustBePrivate(path);
    lock = new Database(path, { timeout: 0 });
  } catch (error) {
    throw new PathError(`“${path}” can’t be opened: ${(error as Error).message}.`);
  }
  try {
    // Nothing is ever written into it: a journal would be left beside it by whoever is killed.
    lock.pragma('journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY'))
      throw new PathError(`“${path}” can’t be locked: ${(error as Error).message}. Remove it, unless a service runs.`);
    throw new StoreError('failed', 'Another service runs on it. Stop that service, or use another --data.');
  }
  return { release: () => lock.close() };
}

/** Makes the lock for its owner alone, as the database is, where there is none: SQLite would make it for all to read. */
function mustBePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600));
    giveToOwner(path);
  } catch (error) {
    // One that is there stays unopened: closing it would let go of what this process holds of it (POSIX).
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error;
  }
}

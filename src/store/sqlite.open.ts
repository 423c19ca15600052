import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { registerFunctions } from './sqlite.functions.ts';
import { StoreError } from './store.ts';

/** How long a write waits for another process (an operator's command) to finish its own, in milliseconds. */
export const BUSY = 2000;

/** The page cache of a connection, in KiB: what it never needs is never taken. */
const CACHE = 8000;

/** Opens (or makes) the database at `path`. Throws StoreError where it can't. */
export function openDatabase(path: string): Database.Database {
  if (path !== ':memory:') makePrivately(path);
  try {
    const db = new Database(path, { timeout: BUSY });
    db.pragma('journal_mode = WAL');
    // The driver's own default in WAL is NORMAL, which loses acknowledged commits when the power fails.
    db.pragma('synchronous = FULL');
    // A batch of writes fits into it: what doesn’t is written twice, in the transaction and at its end.
    db.pragma(`cache_size = -${CACHE}`);
    // What a savepoint would undo is kept in memory: otherwise it goes through a file, page by page.
    db.pragma('temp_store = MEMORY');
    db.pragma('foreign_keys = ON');
    db.pragma('trusted_schema = OFF');
    registerFunctions(db);
    return db;
  } catch (error) {
    throw storeError(error);
  }
}

/**
 * Webhook secrets are in the file, so that it is its owner’s alone; SQLite gives its other files the same mode. One that
 * is there is left alone: closing it would let go of the locks that other connections of this process hold on it.
 */
function makePrivately(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(path, 'ax', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Says what kind of failure SQLite or its file met; anything else passes through. */
export function storeError(error: unknown): unknown {
  const code = (error as { code?: unknown }).code;
  if (error instanceof StoreError || typeof code !== 'string') return error;
  const { message } = error as Error;
  if (code.startsWith('SQLITE_CONSTRAINT')) return new StoreError('constraint', message);
  if (code === 'SQLITE_FULL' || code === 'ENOSPC') return new StoreError('full', message);
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return new StoreError('busy', message);
  return code.startsWith('SQLITE_') || code.startsWith('E') ? new StoreError('failed', message) : error;
}

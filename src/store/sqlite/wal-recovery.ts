import { closeSync, fdatasyncSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';
import { showSize } from '../../text/units.ts';
import { StoreError } from '../store.ts';
import { endIfUnsynced, storeError } from './errors.ts';

/** Number of bytes of a log that are written at once. */
const PIECE = 1 << 17;

/**
 * Copies the log that an earlier process has left into the database, syncs the database, and empties the log. Returns
 * false if another process still has the database open after `wait` milliseconds.
 *
 * A log that is not empty counts as unsynced. The earlier process may have ended because the disk refused a sync, or
 * before it learned of that: then the log can be read from the system’s memory, and is not on the disk. So the log is
 * written and synced again before any page of the database is changed: whenever the power fails, the disk holds either
 * the whole log or the database with all of its pages.
 *
 * SQLite copies only pages that its index of the log does not mark as copied, and the index says nothing about syncs.
 * With `locking_mode = EXCLUSIVE`, set before the first read, SQLite shares no index with others: it makes its own by
 * reading the whole log, of which no page is marked as copied (https://sqlite.org/wal.html#noshm).
 */
export function emptyLog(path: string, wait: number): boolean {
  const log = `${path}-wal`;
  if (sizeOf(log) === 0) return true;
  if (sizeOf(path) === 0)
    throw new StoreError(
      'failed',
      `there is a log, ${log}, without its database. Restore the database file, or remove the log.`,
    );
  const db = new Database(path, { timeout: wait });
  try {
    db.pragma('locking_mode = EXCLUSIVE');
    db.pragma('synchronous = FULL');
    db.prepare('SELECT 1 FROM sqlite_schema').get();
    syncAgain(log);
    db.pragma('wal_checkpoint(TRUNCATE)');
    return true;
  } catch (error) {
    endIfUnsynced(error);
    if (String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')) return false;
    throw withRoom(error, path);
  } finally {
    db.close();
  }
}

/** The size of a page in bytes, and the number of log pages for each further block of the log’s index. */
const PAGE = 4096;
const PAGES_INDEXED = 4062;
const INDEX_BYTES = 32_768;

/** Adds the needed space to the error of a full disk: the log may have pages that the database does not have yet. */
function withRoom(error: unknown, path: string): unknown {
  const failure = storeError(error);
  if (!(failure instanceof StoreError) || failure.kind !== 'full') return error;
  const bytes = sizeOf(`${path}-wal`);
  const index = Math.ceil(bytes / PAGE / PAGES_INDEXED) * INDEX_BYTES;
  return new StoreError(
    'full',
    `the disk is full, and the log of an earlier process, ${path}-wal (${showSize(bytes)}), has to be copied into the database first. That takes up to ${showSize(roundedUp(bytes + index))}`,
  );
}

/** Rounds a size up, so that it is printed as one number with one unit. */
const roundedUp = (bytes: number): number => Math.ceil(bytes / 1024) * 1024;

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Writes the content of a file again, and syncs it. Throws the system’s error on failure. */
function syncAgain(path: string): void {
  const file = openSync(path, 'r+');
  try {
    const piece = Buffer.alloc(PIECE);
    for (let at = 0; ; ) {
      const read = readSync(file, piece, 0, PIECE, at);
      if (read === 0) break;
      for (let written = 0; written < read; ) written += writeSync(file, piece, written, read - written, at + written);
      at += read;
    }
    fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
}

import { closeSync, fdatasyncSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';
import { showSize } from '../../text/units.ts';
import { StoreError } from '../store.ts';
import { storeError } from './errors.ts';
import { endIfUnsynced } from './sync-failure.ts';

/** How much of a log is written again at once, in bytes. */
const PIECE = 1 << 17;

/**
 * Copies the log that an earlier process has left into the database, syncs that, and empties the log. False where
 * another process has the database open. Waits for that so many milliseconds.
 *
 * A log that is not empty counts as unsynced. The process before may have ended because the disk refused a sync, or
 * before it heard of that: then the log can be read, out of the system's memory, and is not on the disk. So the log is
 * written and synced again before a page of the database is touched: whenever the power fails, the disk holds either
 * the whole log or what has become of it.
 *
 * SQLite copies only what its index of the log doesn't say has been copied, which says nothing of syncs. With
 * `locking_mode = EXCLUSIVE`, set before the first read, SQLite shares no index with others: it makes one of its own
 * by reading the whole log, of which nothing is copied yet (https://sqlite.org/wal.html#noshm).
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

/** A page of a database, in bytes, and how many of them one more piece of the index of the log tells of. */
const PAGE = 4096;
const PAGES_INDEXED = 4062;
const INDEX_BYTES = 32_768;

/** On a full disk, says how much room is needed: the log may be of pages that the database does not have yet. */
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

/** A size that reads as one number with one unit. */
const roundedUp = (bytes: number): number => Math.ceil(bytes / 1024) * 1024;

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Writes all of a file once more, as it reads, and syncs it. Throws what the system says where that fails. */
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

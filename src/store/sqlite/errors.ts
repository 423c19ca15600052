import { writeSync } from 'node:fs';
import { whyOf } from '../paths.ts';
import { StoreError } from '../store.ts';

/**
 * Error codes of SQLite and of the system for a full disk. SQLite has a separate code for a full disk under the index
 * of its log (https://sqlite.org/rescode.html#ioerr_shmsize).
 */
const FULL: ReadonlySet<string> = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', 'EDQUOT']);

/** Converts an error of SQLite or of its file to a StoreError. Returns all other errors unchanged. */
export function storeError(error: unknown): unknown {
  const code = (error as { code?: unknown }).code;
  if (error instanceof StoreError || typeof code !== 'string') return error;
  const refused = refusedSync(error);
  if (refused) return refused;
  const message = whyOf(error) ?? (error as Error).message;
  if (code.startsWith('SQLITE_CONSTRAINT')) return new StoreError('constraint', message);
  if (FULL.has(code)) return new StoreError('full', message);
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return new StoreError('busy', message);
  if (code.startsWith('SQLITE_NOTADB') || code.startsWith('SQLITE_CORRUPT'))
    return new StoreError('unreadable', message);
  return code.startsWith('SQLITE_') || code.startsWith('E') ? new StoreError('failed', message) : error;
}

/** The exit code of a process whose disk has refused a sync: EX_IOERR of sysexits.h. */
export const EXIT_UNSYNCED = 74;

/**
 * The marks of a refused sync in an error: SQLite’s error codes for its own syncs, and the names of the system calls
 * for ours.
 */
const REFUSED = new Set(['SQLITE_IOERR_FSYNC', 'SQLITE_IOERR_DIR_FSYNC', 'fsync', 'fdatasync']);

/** Returns the StoreError for a refused sync; null for every other error. */
function refusedSync(error: unknown): StoreError | null {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (!REFUSED.has(String(syscall ?? code))) return null;
  const said = syscall === undefined ? code : (error as Error).message;
  return new StoreError('unsynced', `The disk refused to sync a write (${said}).`);
}

const WHAT_NOW = `Nothing more is read, written or answered, because the last writes may be in memory only.
Check the disk, then restart: before anything else, the start writes and syncs all that is in the log again.`;

/**
 * Ends the process if `error` says that the disk has refused to sync the database; returns otherwise. The system treats
 * pages that it could not write as written, and reports the failure once: a later successful sync proves nothing
 * (https://wiki.postgresql.org/wiki/Fsync_Errors). No connection is closed, since SQLite would then copy the log and
 * remove it.
 */
export function endIfUnsynced(error: unknown): void {
  const refused = refusedSync(error);
  if (!refused) return;
  try {
    writeSync(process.stderr.fd, `error: ${refused.message}\n${WHAT_NOW}\n`);
  } catch {
    // The output may be closed; the exit code reports the failure, too.
  }
  process.exit(EXIT_UNSYNCED);
}

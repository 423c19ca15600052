import { whyOf } from '../paths.ts';
import { StoreError } from '../store.ts';
import { refusedSync } from './sync-failure.ts';

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

import type Database from 'better-sqlite3';
import type { RandomBytes } from '../../expression/values/random.ts';
import type { Plan } from '../../plan/step.ts';
import { StoreError } from '../store.ts';
import { mustBeOurs } from './identity.ts';
import { BUSY, leaveLog, openDatabase, openGuard, storeFailure } from './open.ts';
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

import type Database from 'better-sqlite3';
import type { RandomBytes } from '../../expression/values/random.ts';
import type { Plan } from '../../plan/step.ts';
import { StoreError } from '../store.ts';
import { mustBeOurs } from './identity.ts';
import { BUSY, leaveLog, openDatabase, openGuard, storeFailure } from './open.ts';
import { openTables } from './tables.ts';
import { emptyLog } from './wal-recovery.ts';

/**
 * The purpose of opening a store. A service begins with an empty log, and copies its log into the database as it grows.
 * A successor does the same in the process of an earlier store, which may still be running. An operator’s command
 * leaves the log alone while another process has the database open.
 */
export type Use = 'service' | 'successor' | 'command';

/** Nobody else may read the database while a log that is left over is copied. */
const notAlone = (path: string): StoreError =>
  new StoreError(
    'busy',
    `the log of an earlier process has to be copied into the database first, and another process has the database open. \`fuser ${path}\` names the process`,
  );

/** A database with its tables, and a guard that is to be closed after it; null where there is none. */
export interface Opened {
  readonly db: Database.Database;
  readonly guard: Database.Database | null;
}

/** Opens a database with its tables. Throws StoreError where that can’t be. */
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
  // From here on commits are synced by us, and the log is copied where nobody waits for it.
  opened.db.pragma('synchronous = NORMAL');
  opened.guard?.close();
  return { db: opened.db, guard: null };
}

function openFile(use: Use, path: string): Opened {
  try {
    // The predecessor of a successor has found the file to be ours.
    if (use !== 'successor') mustBeOurs(path);
    for (;;) {
      const empty = emptyLog(path, use === 'service' ? BUSY : 0);
      if (!empty && use === 'service') throw notAlone(path);
      const db = openDatabase(path);
      const guard = openGuard(path);
      // Between the two a command may have come, written and ended.
      if (use !== 'service' || isEmpty(db)) return { db, guard };
      db.close();
      leaveLog(path, guard);
    }
  } catch (error) {
    throw storeFailure(error);
  }
}

/** Whether there is nothing in a database's log. */
function isEmpty(db: Database.Database): boolean {
  const [{ log }] = db.pragma('wal_checkpoint(NOOP)') as [{ readonly log: number }];
  return log <= 0;
}

import type Database from 'better-sqlite3';
import type { Program } from '../store.ts';
import type { Driver } from './driver.ts';
import type { Durability } from './durability.ts';

/** How many pages (of 4 KiB) are given back in one transaction: it takes half a millisecond. */
const PIECE = 64;

/** After how many pieces the log is copied: each piece is some 200 pages of it, which would fill a disk without much room. */
const PIECES_OF_LOG = 4;

/** How many free pages are always kept for what comes next, and which part of all. */
const KEPT = 1024;
const KEPT_PART = 1 / 4;

/**
 * The pages of a database that nothing uses, since rows have been removed. SQLite keeps them for what comes next. Those at
 * the end of the file can be given back to the disk, once what stands there has been moved into others
 * (https://sqlite.org/pragma.html#pragma_incremental_vacuum). The file is shorter when the log has been copied into it.
 *
 * A database that an older Ninefold has made gives none back; a copy of it does, such as a backup.
 */
export class FreePages {
  private readonly db: Database.Database;
  private readonly counts: Database.Statement;
  private readonly canGiveBack: boolean;
  private pieces = 0;

  constructor(db: Database.Database) {
    this.db = db;
    this.counts = db
      .prepare('SELECT freelist_count, page_count FROM pragma_freelist_count, pragma_page_count')
      .raw(true);
    this.canGiveBack = db.pragma('auto_vacuum', { simple: true }) === INCREMENTAL;
  }

  /** Whether there are more than are kept. */
  get areMany(): boolean {
    if (!this.canGiveBack) return false;
    const [free, all] = this.counts.get() as [number, number];
    return free > Math.max(KEPT, all * KEPT_PART);
  }

  /** Gives some back, in the transaction of a batch; gives true: there may be more, and the log waits to be copied. */
  // biome-ignore lint/correctness/useYield: a program even where it makes no call that a store knows
  *giveBack(driver: Pick<Driver, 'changed'>, log: Pick<Durability, 'wantCopy'>): Program<boolean> {
    driver.changed = true;
    this.db.exec(`PRAGMA incremental_vacuum(${PIECE})`);
    if (++this.pieces % PIECES_OF_LOG === 0 || !this.areMany) log.wantCopy();
    return true;
  }
}

/** What SQLite calls a database that gives no free pages back, and one that does when it is told to. */
const NONE = 0;
const INCREMENTAL = 2;

/**
 * Has a database that is made now keep what it needs to give its free pages back; and of one that lacks it, each copy.
 * Said of a database that has it, it would be written again.
 */
export function keepFreePages(db: Database.Database): void {
  if (db.pragma('auto_vacuum', { simple: true }) === NONE) db.pragma('auto_vacuum = INCREMENTAL');
}

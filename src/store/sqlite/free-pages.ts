import type Database from 'better-sqlite3';
import type { Program } from '../store.ts';
import type { Driver } from './driver.ts';
import type { Durability } from './durability.ts';

/** Number of pages (of 4 KiB) that one transaction returns to the disk, which takes half a millisecond. */
const PIECE = 64;

/**
 * Number of pieces after which the log is copied: each piece adds some 200 pages to the log, which could fill the disk.
 */
const PIECES_OF_LOG = 4;

/** Number of unused pages that are always kept for later rows, and the part of all pages. */
const KEPT = 1024;
const KEPT_PART = 1 / 4;

/**
 * Unused pages of a database, whose rows have been removed. SQLite keeps them for later rows. Pages at the end of the
 * file can be returned to the disk, once their content has been moved to other pages
 * (https://sqlite.org/pragma.html#pragma_incremental_vacuum). The file shrinks when the log is copied into it.
 *
 * A database that an older Ninefold has made cannot return pages; a copy of it can, such as a backup.
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

  /** Whether there are more unused pages than are kept. */
  get areMany(): boolean {
    if (!this.canGiveBack) return false;
    const [free, all] = this.counts.get() as [number, number];
    return free > Math.max(KEPT, all * KEPT_PART);
  }

  /** Returns some free pages to the disk, in the transaction of a batch. Returns true, since there may be more. */
  // biome-ignore lint/correctness/useYield: a program even where it makes no call that a store knows
  *giveBack(driver: Pick<Driver, 'changed'>, log: Pick<Durability, 'wantCopy'>): Program<boolean> {
    driver.changed = true;
    this.db.exec(`PRAGMA incremental_vacuum(${PIECE})`);
    if (++this.pieces % PIECES_OF_LOG === 0 || !this.areMany) log.wantCopy();
    return true;
  }
}

/** Values of `auto_vacuum`: the database never returns unused pages to the disk, or returns them on request. */
const NONE = 0;
const INCREMENTAL = 2;

/**
 * Lets a new database return its unused pages to the disk, and of a database that cannot, each copy. The setting is not
 * repeated, since that would write the database again.
 */
export function keepFreePages(db: Database.Database): void {
  if (db.pragma('auto_vacuum', { simple: true }) === NONE) db.pragma('auto_vacuum = INCREMENTAL');
}

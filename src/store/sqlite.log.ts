import type Database from 'better-sqlite3';

/** After how many pages of log it is copied into the file: those that are written again and again are copied once. */
export const LOG_PAGES = 8000;

/** Copies a database's log into its file between turns, where nobody waits for it. */
export class Log {
  private readonly db: Database.Database;
  private readonly wanted: () => void;
  private readonly logged: Database.Statement;
  /** At how many pages of log it is copied next, and whether it is to be. */
  private copyAt = LOG_PAGES;
  private due = false;

  /** Of an open database; `wanted` hears that `copy` should be called at the end of a turn. */
  constructor(db: Database.Database, wanted: () => void) {
    this.db = db;
    this.wanted = wanted;
    db.pragma('wal_autocheckpoint = 0');
    this.logged = db.prepare('PRAGMA wal_checkpoint(NOOP)').raw(true);
  }

  /** After a commit: one that has grown long is copied at the end of the next turn, when the answers of this one have left. */
  look(): void {
    const [, pages] = this.logged.get() as [busy: number, pages: number, copied: number];
    if (pages < LOG_PAGES) this.copyAt = LOG_PAGES;
    if (pages < this.copyAt) return;
    // Where another process still reads the old pages, the rest waits until there are a good many more.
    this.copyAt = pages + LOG_PAGES / 8;
    this.due = true;
    this.wanted();
  }

  /** Copies it, where that is due, so that it begins anew. */
  copy(): void {
    if (!this.due) return;
    this.due = false;
    try {
      this.db.pragma('wal_checkpoint(PASSIVE)');
    } catch {
      // The log keeps what it holds; a disk that can't be written to is found by the next commit.
    }
  }
}

import { fdatasync, openSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { storeFailure } from './open.ts';
import { PinnedReader } from './pinned-reader.ts';

/** After how many pages (of 4 KiB) a log is copied: those that are written again and again are copied once. */
export const LOG_PAGES = 8000;

/** At so many pages nobody goes on while the database is synced: the log has grown as long again meanwhile. */
export const MOST_PAGES = 2 * LOG_PAGES;

/** A log that is short is measured after so many changes: to measure it costs a tenth of a commit. */
const CHANGES = 16;

/**
 * Copies a log that has grown long into the database (a checkpoint), while nobody waits for the sync of the database.
 *
 * A passive checkpoint copies what no reader needs otherwise, and syncs the database only where that was the whole log;
 * only then is the log begun anew (https://sqlite.org/c3ref/wal_checkpoint_v2.html, https://sqlite.org/wal.html#ckpt). So
 * while somebody reads what was there before the latest commit, copying waits for no sync, and the log stays. That reader
 * is ours. Another thread then syncs the database. When it is through, the reader goes, and SQLite copies what is left and
 * makes its own sync, which has little to do: ours replaces none of its syncs. Left out, it would cost nothing but time,
 * so that nobody who closes the database waits for it. Where it is refused, the process ends.
 */
export class LogCopy {
  private readonly db: Database.Database;
  private readonly logged: Database.Statement;
  private readonly reader: PinnedReader;
  /** What is waited for: a long log, a commit after the reader, the end of a turn, the thread, the end of a turn. */
  private stage: 'short' | 'long' | 'marked' | 'syncing' | 'synced' = 'short';
  /** At how many pages of log it is copied next. */
  private copyAt = LOG_PAGES;
  /** How many changes there had been when the log was measured. */
  private measured = 0;
  /**
   * Whether it is copied between turns though it is short: its room is needed, on a disk that is full or for what is given
   * back. Who comes meanwhile waits for the sync of the database.
   */
  isWanted = false;
  /**
   * The database’s file, from the first long log on. It stays open as long as the process lives: closing it would let go
   * of the locks that all connections of this process hold (POSIX; https://sqlite.org/howtocorrupt.html, section 2.2).
   */
  private file: number | null = null;

  constructor(db: Database.Database) {
    this.db = db;
    this.logged = db.prepare('PRAGMA wal_checkpoint(NOOP)').raw(true);
    this.reader = new PinnedReader(db.name);
  }

  /** Whether another thread syncs the database, which keeps the disk busy. */
  get isSyncing(): boolean {
    return this.stage === 'syncing';
  }

  /** Before a commit: has the reader see what is there, where the log is long. */
  mark(): void {
    if (this.stage !== 'long') return;
    this.stage = 'synced';
    try {
      this.file ??= openSync(this.db.name, 'r');
      this.reader.pin();
      this.stage = 'marked';
    } catch (error) {
      // Of a process that has too many files open, for one. SQLite makes the whole sync by itself then.
      storeFailure(error);
    }
  }

  /** Between turns, after a commit: does what is to be done next. `changes`: how many there have been. */
  next(changes: number): void {
    if (this.stage === 'short' && !this.isWanted && changes - this.measured < CHANGES) return;
    this.measured = changes;
    try {
      if (this.stage === 'short' && this.isWanted) {
        this.isWanted = false;
        this.copyRest();
        return;
      }
      const [, pages] = this.logged.get() as [busy: number, pages: number, copied: number];
      if (this.stage === 'short') this.look(pages);
      else if (this.stage === 'marked') this.copyMarked();
      else if (this.stage === 'synced' || pages >= MOST_PAGES) this.copyRest();
    } catch (error) {
      // The log keeps what it holds; a disk that can’t be written to is found by the next commit.
      storeFailure(error);
      this.stop();
    }
  }

  /** As far as other processes still read old pages they stay in the log, until there are a good many more. */
  private look(pages: number): void {
    if (pages < LOG_PAGES) this.copyAt = LOG_PAGES;
    if (pages < this.copyAt) return;
    this.copyAt = pages + LOG_PAGES / 8;
    this.stage = 'long';
  }

  private copyMarked(): void {
    this.db.pragma('wal_checkpoint(PASSIVE)');
    if (this.file === null) return;
    this.stage = 'syncing';
    fdatasync(this.file, (error) => {
      if (error) storeFailure(error);
      if (this.stage === 'syncing') this.stage = 'synced';
    });
  }

  private copyRest(): void {
    this.stop();
    this.db.pragma('wal_checkpoint(PASSIVE)');
  }

  /** Lets the reader go, so that SQLite may copy all. */
  stop(): void {
    this.stage = 'short';
    this.reader.unpin();
  }

  /** Before the database is closed. */
  close(): void {
    this.reader.close();
  }
}

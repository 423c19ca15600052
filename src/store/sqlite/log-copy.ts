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
 * Copies a log that has grown long into the database (a checkpoint), while no request waits for the sync of the
 * database.
 *
 * A passive checkpoint copies all pages whose earlier content no reader needs. It syncs the database, and starts the
 * log again, only where it has copied the whole log (https://sqlite.org/c3ref/wal_checkpoint_v2.html,
 * https://sqlite.org/wal.html#ckpt). So while a reader reads the state before the latest commit, copying waits for no
 * sync, and the log stays. This class has such a reader of its own, while another thread syncs the database. After that
 * sync the reader ends, and SQLite copies the rest and makes its own sync, which is short: the sync of the thread
 * replaces none of SQLite’s. Without the thread’s sync, only time would be lost, so closing the database does not wait
 * for it. If it is refused, the process ends.
 */
export class LogCopy {
  private readonly db: Database.Database;
  private readonly logged: Database.Statement;
  private readonly reader: PinnedReader;
  /**
   * The stage of a copy. Each stage waits for its event: a long log, a commit after the reader, the end of a turn, the
   * thread, the end of a turn.
   */
  private stage: 'short' | 'long' | 'marked' | 'syncing' | 'synced' = 'short';
  /** At how many pages of log it is copied next. */
  private copyAt = LOG_PAGES;
  /** How many changes there had been when the log was measured. */
  private measured = 0;
  /**
   * Whether a log is copied between turns although it is short: its space is needed, on a full disk or to return unused
   * pages. Requests that arrive meanwhile wait for the sync of the database.
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

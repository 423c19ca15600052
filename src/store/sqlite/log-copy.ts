import { fdatasync, openSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { storeFailure } from './open.ts';
import { PinnedReader } from './pinned-reader.ts';

/** Number of pages (of 4 KiB) at which a log is copied: pages that are written repeatedly are copied once. */
export const LOG_PAGES = 8000;

/** Number of pages from which requests wait for the sync of the database: the log has doubled during the sync. */
export const MOST_PAGES = 2 * LOG_PAGES;

/** Number of changes after which a short log is measured again: measuring costs a tenth of a commit. */
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
  /** Number of pages at which the log is copied next. */
  private copyAt = LOG_PAGES;
  /** Number of changes when the log was last measured. */
  private measured = 0;
  /**
   * Whether a log is copied between turns although it is short: its space is needed, on a full disk or to return unused
   * pages. Requests that arrive meanwhile wait for the sync of the database.
   */
  isWanted = false;
  /**
   * The database’s file, opened for the first long log. It stays open until the process ends: closing it would release
   * the locks of all connections of this process (POSIX; https://sqlite.org/howtocorrupt.html, section 2.2).
   */
  private file: number | null = null;

  constructor(db: Database.Database) {
    this.db = db;
    this.logged = db.prepare('PRAGMA wal_checkpoint(NOOP)').raw(true);
    this.reader = new PinnedReader(db.name);
  }

  /** Whether another thread is syncing the database, which keeps the disk busy. */
  get isSyncing(): boolean {
    return this.stage === 'syncing';
  }

  /** Called before a commit. If the log is long, the reader pins the present state. */
  mark(): void {
    if (this.stage !== 'long') return;
    this.stage = 'synced';
    try {
      this.file ??= openSync(this.db.name, 'r');
      this.reader.pin();
      this.stage = 'marked';
    } catch (error) {
      // The process may have too many files open, for example. SQLite then makes the whole sync itself.
      storeFailure(error);
    }
  }

  /** Called between turns, after a commit. Takes the next step of a copy. `changes`: the number of changes so far. */
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
      // The log keeps its content. If the disk cannot be written, the next commit reports it.
      storeFailure(error);
      this.stop();
    }
  }

  /** Pages that other processes’ readers need stay in the log; the next attempt waits until the log has grown. */
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

  /** Ends the reader, so that SQLite can copy the whole log. */
  stop(): void {
    this.stage = 'short';
    this.reader.unpin();
  }

  /** Called before the database is closed. */
  close(): void {
    this.reader.close();
  }
}

import { fdatasync } from 'node:fs';
import type Database from 'better-sqlite3';
import { DatabaseFile } from './sqlite.file.ts';
import { storeFailure } from './sqlite.open.ts';
import { Pinned } from './sqlite.pinned.ts';

/** After how many pages of log it is copied into the file: those that are written again and again are copied once. */
export const LOG_PAGES = 8000;

/** So few pages that came meanwhile are copied and synced where everybody waits. */
const FEW = LOG_PAGES / 8;

/** What the copying of a log waits for: its length, a commit after the mark, the end of a turn, another thread, the end of a turn again. */
type Stage = 'short' | 'marked' | 'due' | 'syncing' | 'synced';

/**
 * Copies a database's log into its file between turns (a checkpoint). What takes long is not the copying but the sync
 * of the file, and another thread makes most of that beforehand, while the service goes on.
 *
 * SQLite begins a log anew only once it has copied all of it and has then synced the file itself
 * (https://sqlite.org/c3ref/wal_checkpoint_v2.html). As long as somebody reads what was there before the latest commit,
 * it can’t copy all, and syncs nothing: a connection of ours does, while the other thread syncs. That sync makes
 * SQLite’s own shorter and replaces nothing. It can’t hide an error from SQLite’s either: a refused one ends the process.
 */
export class WalCheckpointer {
  private readonly db: Database.Database;
  private readonly wanted: () => void;
  private readonly logged: Database.Statement;
  private readonly readMark: Pinned;
  private file: DatabaseFile;
  private stage: Stage = 'short';
  /** How many pages of the log are before the mark. */
  private marked = 0;
  /** At how many pages of log it is copied next. */
  private copyAt = LOG_PAGES;
  /** Settles when the other thread is done; null while it has nothing to do. */
  private syncing: Promise<void> | null = null;
  private ended = false;

  /** Of the database at `path`, which is open; `wanted` hears that `copy` should be called at the end of a turn. */
  constructor(db: Database.Database, path: string, wanted: () => void) {
    this.db = db;
    this.file = new DatabaseFile(path);
    this.wanted = wanted;
    this.readMark = new Pinned(path);
    this.logged = db.prepare('PRAGMA wal_checkpoint(NOOP)').raw(true);
  }

  /** Whether the file is being synced, which keeps the disk busy. */
  get syncs(): boolean {
    return this.stage === 'syncing';
  }

  /** After a commit: a log that has grown long is copied at the end of the next turn, when the answers of this one have left. */
  look(): void {
    if (this.ended || this.stage === 'syncing') return;
    const { pages } = this.state();
    if (this.stage === 'short') {
      if (pages < LOG_PAGES) this.copyAt = LOG_PAGES;
      if (pages < this.copyAt) return;
      // Where another process still reads the old pages, the rest waits until there are a good many more.
      this.copyAt = pages + LOG_PAGES / 8;
      this.setMark();
    }
    if (this.stage === 'marked' && pages > this.marked) this.stage = 'due';
    if (this.stage === 'due' || this.stage === 'synced') this.wanted();
  }

  /** Does what is to be done next, at the end of a turn. */
  copy(): void {
    if (this.ended) return;
    if (this.stage === 'due') this.copyMarked();
    else if (this.stage === 'synced') this.finish();
  }

  /** Copies what is before the mark, which SQLite doesn’t sync, and has another thread do that. */
  private copyMarked(): void {
    if (!this.copyNow()) {
      this.letGo();
      return;
    }
    this.stage = 'syncing';
    this.syncing = new Promise((resolve) =>
      fdatasync(this.file.descriptor(), (error) => {
        if (error) storeFailure(error);
        this.syncing = null;
        this.stage = 'synced';
        this.wanted();
        resolve();
      }),
    );
  }

  /** The file has been synced: what came meanwhile is copied likewise where it is much, and else by SQLite, to the end. */
  private finish(): void {
    const { pages } = this.state();
    // On a disk that is slower than what is written, this would go on for ever.
    if (pages - this.marked > FEW && pages < 2 * LOG_PAGES) {
      this.setMark();
      return;
    }
    this.letGo();
    this.copyNow();
  }

  /** Copies the log, as far as nobody stands in the way; false where that has failed. */
  private copyNow(): boolean {
    try {
      this.db.pragma('wal_checkpoint(PASSIVE)');
      return true;
    } catch (error) {
      // The log keeps what it holds; a disk that can't be written to is found by the next commit.
      storeFailure(error);
      return false;
    }
  }

  /** Marks what is there now. Where all of it is in the file already there is nothing to mark. */
  private setMark(): void {
    this.letGo();
    try {
      this.file.descriptor();
      this.readMark.pin();
    } catch (error) {
      // Of a process that has too many files open, for one. Without a mark SQLite does all of it by itself.
      storeFailure(error);
      this.stage = 'synced';
      return;
    }
    const { pages, copied } = this.state();
    this.marked = pages;
    if (pages > copied) this.stage = 'marked';
    else this.letGo();
  }

  private letGo(): void {
    this.stage = 'short';
    this.readMark.unpin();
  }

  /** How many pages the log has, and how many of them are in the file; none where that can't be told now. */
  private state(): { readonly pages: number; readonly copied: number } {
    try {
      const [, pages, copied] = this.logged.get() as [busy: number, pages: number, copied: number];
      return { pages, copied };
    } catch {
      return { pages: 0, copied: 0 };
    }
  }

  /** Has the same open file as the checkpointer of a store that goes on beside this one, or has just ended. */
  follow(before: WalCheckpointer): void {
    this.file.close();
    this.file = before.file.shared();
  }

  /** Resolves once nothing goes on, and nothing will. */
  async end(): Promise<void> {
    this.ended = true;
    while (this.syncing) await this.syncing;
    this.readMark.close();
  }

  /** Copies what can be copied now, before the database is closed. Throws where the disk refuses. */
  copyLast(): void {
    this.db.pragma('wal_checkpoint(PASSIVE)');
  }

  /** After the database has been closed. */
  close(): void {
    this.file.close();
  }
}

import { fdatasync } from 'node:fs';
import type Database from 'better-sqlite3';
import { copyAgain, OpenFile } from './sqlite.file.ts';
import { Pinned } from './sqlite.pinned.ts';

/** After how many pages of log it is copied into the file: those that are written again and again are copied once. */
export const LOG_PAGES = 8000;

/** So few pages that came meanwhile are copied and synced where everybody waits. */
const FEW = LOG_PAGES / 8;

/** How often what came meanwhile is copied and synced by another thread first. */
const ROUNDS = 4;

/** What the copying of a log waits for: its length, a commit, another thread, the end of a turn. */
type Stage = 'short' | 'marked' | 'syncing' | 'synced';

/** What the log asks of its store. */
export interface LogKeeper {
  /** `copy` is to be called at the end of a turn. */
  wanted(): void;
  /** The disk has refused to sync the file, at a time of `performance.now()`: nothing holds until `mend` has succeeded. */
  refused(at: number): void;
}

/**
 * Copies a database's log into its file between turns. What takes long is not the copying but the sync of the file, for
 * which another thread waits, while the service goes on.
 *
 * SQLite begins a log anew only once it has copied all of it and has synced the file itself. It syncs nothing as long as
 * somebody reads what was there before the latest commit: a connection of its own does, while the other thread syncs.
 * The little that came meanwhile is then copied by SQLite, which finds hardly anything left to sync.
 */
export class Log {
  private readonly db: Database.Database;
  private readonly path: string;
  private readonly keeper: LogKeeper;
  private readonly logged: Database.Statement;
  private readonly mark: Pinned;
  private file: OpenFile;
  private stage: Stage = 'short';
  private rounds = 0;
  /** How many pages of the log are before the mark. */
  private marked = 0;
  /** At how many pages of log it is copied next. */
  private copyAt = LOG_PAGES;
  /** Settles when the other thread is done; null while it has nothing to do. */
  private syncing: Promise<void> | null = null;
  /** How many pages of the log were copied that the disk may not hold; 0 where it holds all. */
  private doubted = 0;
  private ended = false;

  /** Of the database at `path`, which is open. */
  constructor(db: Database.Database, path: string, keeper: LogKeeper) {
    this.db = db;
    this.path = path;
    this.file = new OpenFile(path);
    this.keeper = keeper;
    this.mark = new Pinned(path);
    db.pragma('wal_autocheckpoint = 0');
    this.logged = db.prepare('PRAGMA wal_checkpoint(NOOP)').raw(true);
  }

  /** Whether the file is being synced, which keeps the disk busy. */
  get syncs(): boolean {
    return this.syncing !== null;
  }

  /** After a commit: one that has grown long is copied at the end of the next turn, when the answers of this one have left. */
  look(): void {
    if (this.ended || this.stage === 'syncing') return;
    const pages = this.pages();
    if (this.stage === 'short') {
      if (pages < LOG_PAGES) this.copyAt = LOG_PAGES;
      if (pages < this.copyAt) return;
      // Where another process still reads the old pages, the rest waits until there are a good many more.
      this.copyAt = pages + LOG_PAGES / 8;
      this.rounds = 0;
      this.setMark(pages);
    } else if (this.stage === 'synced' || pages > this.marked) this.keeper.wanted();
  }

  /** Does what is to be done next, at the end of a turn. */
  copy(): void {
    if (this.ended) return;
    if (this.stage === 'marked' && this.pages() > this.marked) this.copyMarked();
    else if (this.stage === 'synced') this.goOn();
  }

  /** Copies what is before the mark, which SQLite doesn’t sync, and has another thread do that. */
  private copyMarked(): void {
    const file = this.copyNow() ? this.file.descriptor() : null;
    if (file === null) {
      this.stage = 'short';
      this.mark.unpin();
      return;
    }
    this.stage = 'syncing';
    this.syncing = new Promise((resolve) =>
      fdatasync(file, (error) => {
        this.syncing = null;
        this.stage = 'synced';
        if (error) {
          this.doubted = this.marked;
          this.keeper.refused(performance.now());
        } else this.keeper.wanted();
        resolve();
      }),
    );
  }

  /** The file has been synced: what came meanwhile is copied likewise where it is much, and else by SQLite, to the end. */
  private goOn(): void {
    if (this.doubted > 0) return;
    const pages = this.pages();
    if (pages - this.marked > FEW && this.rounds < ROUNDS) {
      this.rounds++;
      this.setMark(pages);
      return;
    }
    this.stage = 'short';
    this.mark.unpin();
    this.copyNow();
  }

  /** False where it couldn’t be copied. */
  private copyNow(): boolean {
    try {
      this.db.pragma('wal_checkpoint(PASSIVE)');
      return true;
    } catch {
      // The log keeps what it holds; a disk that can't be written to is found by the next commit.
      return false;
    }
  }

  private setMark(pages: number): void {
    this.stage = 'short';
    this.mark.unpin();
    try {
      this.mark.pin();
    } catch {
      return;
    }
    this.marked = pages;
    this.stage = 'marked';
  }

  /** How many pages the log has; none where that can't be told now. */
  private pages(): number {
    try {
      const [, pages] = this.logged.get() as [busy: number, pages: number, copied: number];
      return pages;
    } catch {
      return 0;
    }
  }

  /** Makes sure that the disk holds what was copied, and lets go of the log. Throws where the disk refuses again. */
  mend(): void {
    if (this.doubted > 0) {
      // It is open, since a sync of it has failed.
      copyAgain(`${this.path}-wal`, this.file.descriptor()!, this.doubted);
      this.doubted = 0;
    }
    if (this.stage === 'syncing') return;
    this.stage = 'short';
    this.mark.unpin();
  }

  /** Has the same open file as the log of a store that goes on beside this one. */
  follow(before: Log): void {
    this.file.close();
    this.file = before.file.shared();
  }

  /** Resolves once nothing goes on, and nothing will: then the database may be closed. Rejects where the disk does not hold what was copied. */
  async end(): Promise<void> {
    this.ended = true;
    try {
      while (this.syncing) await this.syncing;
      this.mend();
    } finally {
      this.mark.close();
    }
  }

  /** After the database has been closed. */
  close(): void {
    this.file.close();
  }
}

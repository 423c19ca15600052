import { fdatasync } from 'node:fs';
import type Database from 'better-sqlite3';
import { OpenFile } from './sqlite.file.ts';
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
  /** The disk has refused to sync the file: nothing holds until `mend` has succeeded. */
  refused(): void;
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
  private ended = false;

  /** Of the database at `path`, which is open. */
  constructor(db: Database.Database, path: string, keeper: LogKeeper) {
    this.db = db;
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
    if (this.file.doubted > 0) {
      this.keeper.refused();
      return;
    }
    const { pages } = this.state();
    if (this.stage === 'short') {
      if (pages < LOG_PAGES) this.copyAt = LOG_PAGES;
      if (pages < this.copyAt) return;
      // Where another process still reads the old pages, the rest waits until there are a good many more.
      this.copyAt = pages + LOG_PAGES / 8;
      this.rounds = 0;
      // Without a descriptor of the file nobody but SQLite could sync it.
      if (this.file.descriptor() === null) this.stage = 'synced';
      else this.setMark();
    }
    if (this.stage === 'synced' || pages > this.marked) this.keeper.wanted();
  }

  /** Does what is to be done next, at the end of a turn. */
  copy(): void {
    if (this.ended || this.file.doubted > 0) return;
    if (this.stage === 'marked' && this.state().pages > this.marked) this.copyMarked();
    else if (this.stage === 'synced') this.goOn();
  }

  /** Copies what is before the mark, which SQLite doesn’t sync, and has another thread do that. */
  private copyMarked(): void {
    const copied = this.copyNow();
    if (copied === 0) {
      this.letGo();
      return;
    }
    this.stage = 'syncing';
    this.syncing = new Promise((resolve) =>
      fdatasync(this.file.descriptor()!, (error) => {
        this.syncing = null;
        this.stage = 'synced';
        if (error) this.doubt(copied);
        else this.keeper.wanted();
        resolve();
      }),
    );
  }

  /** The file has been synced: what came meanwhile is copied likewise where it is much, and else by SQLite, to the end. */
  private goOn(): void {
    const { pages } = this.state();
    if (pages - this.marked > FEW && this.rounds < ROUNDS && this.file.descriptor() !== null) {
      this.rounds++;
      this.setMark();
      return;
    }
    this.letGo();
    this.copyNow();
  }

  /** Copies the log, as far as nobody stands in the way; gives how many of its frames the file has now, or 0 where that has failed. */
  private copyNow(): number {
    try {
      const { busy, checkpointed } = this.checkpoint('PASSIVE');
      return busy === 0 ? checkpointed : 0;
    } catch {
      // The log keeps what it holds; a disk that can't be written to is found by the next commit.
      return 0;
    }
  }

  private checkpoint(mode: 'PASSIVE' | 'TRUNCATE'): { readonly busy: number; readonly checkpointed: number } {
    try {
      const [done] = this.db.pragma(`wal_checkpoint(${mode})`) as [{ busy: number; checkpointed: number }];
      return done;
    } catch (error) {
      // What was copied before, without a sync, may be lost with that.
      if ((error as { code?: unknown }).code === 'SQLITE_IOERR_FSYNC') this.doubt(this.state().copied);
      throw error;
    }
  }

  private doubt(copied: number): void {
    this.file.doubted = Math.max(this.file.doubted, copied);
    if (copied > 0) this.keeper.refused();
  }

  /** Marks what is there now. Where all of it is in the file already there is nothing to mark. */
  private setMark(): void {
    this.letGo();
    try {
      this.mark.pin();
    } catch {
      return;
    }
    const { pages, copied } = this.state();
    this.marked = pages;
    if (pages > copied) this.stage = 'marked';
    else this.letGo();
  }

  private letGo(): void {
    this.stage = 'short';
    this.mark.unpin();
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

  /** Makes sure that the disk holds what was copied, and lets go of the log. Throws where the disk refuses again. */
  mend(): void {
    this.file.mend();
    if (this.stage !== 'syncing') this.letGo();
  }

  /** Copies all of it and empties it; false where another process still reads it. Throws where the disk refuses. */
  empty(): boolean {
    return this.checkpoint('TRUNCATE').busy === 0;
  }

  /** Has the same open file as the log of a store that goes on beside this one, or has just ended. */
  follow(before: Log): void {
    this.file.close();
    this.file = before.file.shared();
  }

  /**
   * Resolves once nothing goes on, and nothing will: then the database may be closed. Rejects where the disk does not hold
   * what was copied; the mark stays then, so that nobody takes the log away, and whoever follows mends it.
   */
  async end(): Promise<void> {
    this.ended = true;
    while (this.syncing) await this.syncing;
    try {
      this.mend();
    } catch (error) {
      this.file.kept = this.mark;
      throw error;
    }
    this.mark.close();
  }

  /** After the database has been closed. */
  close(): void {
    this.file.close();
  }
}

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

/** What `PRAGMA wal_checkpoint` tells. */
interface Checkpoint {
  readonly busy: number;
  readonly checkpointed: number;
}

/** What the copying of a log waits for: its length, a commit behind the mark, the end of a turn, another thread, the end of a turn again. */
type Stage = 'short' | 'marked' | 'due' | 'syncing' | 'synced';

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
  private readonly wanted: () => void;
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

  /** Of the database at `path`, which is open; `wanted` hears that `copy` should be called at the end of a turn. */
  constructor(db: Database.Database, path: string, wanted: () => void) {
    this.db = db;
    this.file = new OpenFile(path);
    this.wanted = wanted;
    this.mark = new Pinned(path);
    db.pragma('wal_autocheckpoint = 0');
    this.logged = db.prepare('PRAGMA wal_checkpoint(NOOP)').raw(true);
  }

  /** Whether the file is being synced, which keeps the disk busy. */
  get syncs(): boolean {
    return this.stage === 'syncing';
  }

  /** Whether the disk may not hold what was copied: then nothing is to be read or written until `mend` has succeeded. */
  get doubted(): boolean {
    return this.file.doubted > 0;
  }

  /** After a commit: one that has grown long is copied at the end of the next turn, when the answers of this one have left. */
  look(): void {
    if (this.ended || this.doubted || this.stage === 'syncing') return;
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
    if (this.stage === 'marked' && pages > this.marked) this.stage = 'due';
    if (this.stage === 'due' || this.stage === 'synced') this.wanted();
  }

  /** Does what is to be done next, at the end of a turn. */
  copy(): void {
    if (this.ended || this.doubted) return;
    if (this.stage === 'due') this.copyMarked();
    else if (this.stage === 'synced') this.goOn();
  }

  /** Copies what is before the mark, which SQLite doesn’t sync, and has another thread do that. */
  private copyMarked(): void {
    const file = this.file.descriptor();
    const copied = file === null ? 0 : this.copyNow();
    if (file === null || copied === 0) {
      this.letGo();
      return;
    }
    this.stage = 'syncing';
    this.syncing = new Promise((resolve) =>
      fdatasync(file, (error) => {
        this.syncing = null;
        this.stage = 'synced';
        if (error) this.file.doubted = copied;
        this.wanted();
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
      const [{ busy, checkpointed }] = this.db.pragma('wal_checkpoint(PASSIVE)') as [Checkpoint];
      return busy === 0 ? checkpointed : 0;
    } catch {
      // The log keeps what it holds; a disk that can't be written to is found by the next commit.
      return 0;
    }
  }

  /** Marks what is there now. Where all of it is in the file already there is nothing to mark. */
  private setMark(): void {
    this.letGo();
    try {
      this.mark.pin();
    } catch {
      // Without a mark SQLite does all of it by itself.
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
    const [{ busy }] = this.db.pragma('wal_checkpoint(TRUNCATE)') as [Checkpoint];
    return busy === 0;
  }

  /** Has the same open file as the log of a store that goes on beside this one, or has just ended. */
  follow(before: Log): void {
    this.file.close();
    this.file = before.file.shared();
  }

  /** Resolves once nothing goes on, and nothing will. */
  async end(): Promise<void> {
    this.ended = true;
    while (this.syncing) await this.syncing;
  }

  /**
   * Before the database is closed. Throws where the disk does not hold what was copied; the mark stays then, so that
   * nobody takes the log away, and whoever follows mends it.
   */
  leave(): void {
    try {
      this.mend();
      this.mark.close();
    } catch (error) {
      if (this.file.kept === null) this.file.kept = this.mark;
      else this.mark.close();
      throw error;
    }
  }

  /** After the database has been closed. */
  close(): void {
    this.file.close();
  }
}

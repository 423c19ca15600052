import { stat } from 'node:fs/promises';
import type Database from 'better-sqlite3';
import type { Durations } from '../figures.ts';
import { LogCopy } from './log-copy.ts';
import { leaveLog, storeFailure } from './open.ts';
import type { Opened } from './opening.ts';
import { PinnedReader } from './pinned-reader.ts';
import { LogSync } from './wal-sync.ts';

/**
 * What the store asks of the disk, once a database is open. Three rules hold behind this interface:
 *
 * 1. What is committed is synced before anybody is told of it or shown it (`wal-sync.ts`, `pinned-reader.ts`).
 * 2. What an earlier process has left in the log is in the database, and that synced, before a service reads anything
 *    (`wal-recovery.ts`, which `opening.ts` calls).
 * 3. A sync that the disk refuses ends the process before anything else is read, written or answered
 *    (`sync-failure.ts`), whoever asked for the sync: this interface, or SQLite. Of another thread's sync of the database
 *    (`log-copy.ts`) the process hears an instant later: what it answers until then is in the log, and synced there.
 */
export interface Durability {
  /**
   * Commits the transaction under way. Null once that is durable; where another thread syncs it, what settles when it
   * is. `changed` says whether there is anything to sync, and `read` whether anybody has read since the last commit.
   */
  commit(changed: boolean, read: boolean): Promise<void> | null;
  /** Whether others can read what was there before a transaction while it runs, once that is pinned. */
  readonly pins: boolean;
  /** Pins what is there, before a transaction has changed it; its commit lets it go. */
  pin(): void;
  unpin(): void;
  /** A statement that reads what is pinned: it is durable, and a commit is being synced or prepared. */
  durable(statement: Database.Statement): Database.Statement;
  /** Sees that what has been read, which another process may have committed, is durable before it is shown. */
  confirm(): void;
  /** How many bytes its files take, by name: none of a database in memory. */
  sizes(): Promise<ReadonlyMap<string, number>>;
  /** Between turns: copies a log that has grown long into the database. `changes`: how many there have been. */
  copyLog(changes: number): void;
  /** Has the log copied as soon as no transaction is under way, however short it is. */
  wantCopy(): void;
  /** Makes the last change; unless a store `follows` in this process, the log is copied as far as that can be done. */
  finish(change: () => void, follows: boolean): void;
  close(): void;
}

/**
 * The durability of a database that has been opened at a path, or of one in memory, which has none; `syncs` counts how
 * long syncs take.
 */
export function durabilityOf(opened: Opened, path: string, syncs: Durations): Durability {
  return path === ':memory:' ? new InMemory(opened.db) : new InLog(opened, path, syncs);
}

/**
 * SQLite writes commits into its log and does not sync them (`synchronous = NORMAL`). It copies the log when it is told
 * to (`wal_autocheckpoint = 0`), syncs the log before and the database after that, and says what comes of both syncs:
 * an automatic copy would be silent (https://sqlite.org/pragma.html#pragma_synchronous, https://sqlite.org/wal.html#ckpt).
 */
class InLog implements Durability {
  readonly pins = true;
  private readonly db: Database.Database;
  /** Is closed last, so that SQLite leaves the log alone; null but for a command, which copies no log. */
  private readonly guard: Database.Database | null;
  private readonly sync: LogSync;
  private readonly reader: PinnedReader;
  private readonly copy: LogCopy;
  private readonly commitNow: Database.Statement;
  /** Whether there has been a commit since the log was last looked at. */
  private committed = false;

  constructor({ db, guard }: Opened, path: string, syncs: Durations) {
    this.db = db;
    this.guard = guard;
    this.sync = new LogSync(path, syncs);
    this.reader = new PinnedReader(path);
    this.copy = new LogCopy(db);
    this.commitNow = db.prepare('COMMIT');
  }

  commit(changed: boolean, read: boolean): Promise<void> | null {
    const later = changed && this.sync.takesLong(read, this.copy.isSyncing);
    if (changed) this.copy.mark();
    try {
      if (later) this.reader.pin();
      if (this.db.inTransaction) this.commitNow.run();
      this.committed ||= changed;
      if (changed && !later) this.sync.now();
      if (!later) this.reader.unpin();
    } catch (error) {
      this.reader.unpin();
      throw storeFailure(error);
    }
    return later ? this.syncLater() : null;
  }

  pin(): void {
    this.reader.pin();
  }

  unpin(): void {
    this.reader.unpin();
  }

  private syncLater(): Promise<void> {
    return new Promise((resolve, reject) =>
      this.sync.later((error) => {
        const failure = error && storeFailure(error);
        this.reader.unpin();
        if (failure) reject(failure);
        else resolve();
      }),
    );
  }

  durable(statement: Database.Statement): Database.Statement {
    return this.reader.prepare(statement);
  }

  confirm(): void {
    if (!this.guard) return;
    try {
      this.sync.now();
    } catch (error) {
      throw storeFailure(error);
    }
  }

  async sizes(): Promise<ReadonlyMap<string, number>> {
    const { name } = this.db;
    const [database, log] = await Promise.all([stat(name), stat(`${name}-wal`)]);
    return new Map([
      ['database', database.size],
      ['log', log.size],
    ]);
  }

  copyLog(changes: number): void {
    if (this.guard || !(this.committed || this.copy.isWanted)) return;
    this.committed = false;
    this.copy.next(changes);
  }

  wantCopy(): void {
    this.copy.isWanted = true;
  }

  finish(change: () => void, follows: boolean): void {
    this.db.pragma('synchronous = FULL');
    change();
    this.copy.stop();
    // SQLite copies the log when its last connection is closed, but is silent where the disk refuses to sync.
    if (!this.guard && !follows) this.db.pragma('wal_checkpoint(PASSIVE)');
  }

  close(): void {
    this.reader.close();
    this.copy.close();
    this.db.close();
    if (this.guard) leaveLog(this.db.name, this.guard);
    this.sync.close();
  }
}

/** Of a database in memory nothing outlives the process. */
class InMemory implements Durability {
  readonly pins = false;
  private readonly db: Database.Database;
  private readonly commitNow: Database.Statement;

  constructor(db: Database.Database) {
    this.db = db;
    this.commitNow = db.prepare('COMMIT');
  }

  commit(): null {
    if (this.db.inTransaction) this.commitNow.run();
    return null;
  }

  pin(): void {}

  unpin(): void {}

  durable(statement: Database.Statement): Database.Statement {
    return statement;
  }

  confirm(): void {}

  async sizes(): Promise<ReadonlyMap<string, number>> {
    return new Map();
  }

  copyLog(): void {}

  wantCopy(): void {}

  finish(change: () => void): void {
    change();
  }

  close(): void {
    this.db.close();
  }
}

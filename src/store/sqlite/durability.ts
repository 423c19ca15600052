import { stat } from 'node:fs/promises';
import type Database from 'better-sqlite3';
import type { Durations } from '../figures.ts';
import { LogCopy } from './log-copy.ts';
import { leaveLog, type Opened, storeFailure } from './open.ts';
import { PinnedReader } from './pinned-reader.ts';
import { LogSync } from './wal-sync.ts';

/**
 * The store’s operations on the disk, once a database is open. Implementations keep three rules:
 *
 * 1. A commit is synced before a client gets an answer or reads its rows (`wal-sync.ts`, `pinned-reader.ts`).
 * 2. Commits that an earlier process has left in the log are copied into the database and synced before a service reads
 *    anything (`wal-recovery.ts`, which `open.ts` calls).
 * 3. A sync that the disk refuses ends the process before it reads, writes or answers anything else
 *    (`sync-failure.ts`), whether this interface or SQLite made the sync. If another thread was syncing the database
 *    (`log-copy.ts`), the process learns of the refusal an instant later: its answers until then are in the log, and
 *    synced there.
 */
export interface Durability {
  /**
   * Commits the current transaction. Returns null once the commit is durable, or a promise that settles when another
   * thread has synced it. `changed` says whether there is anything to sync, and `read` whether a reader has read since
   * the last commit.
   */
  commit(changed: boolean, read: boolean): Promise<void> | null;
  /** Whether readers can read the state before a transaction while the transaction runs, once that state is pinned. */
  readonly pins: boolean;
  /** Pins the state of the database before a transaction changes it. The commit unpins it. */
  pin(): void;
  unpin(): void;
  /** A statement that reads the pinned state, which is durable, while a commit is prepared or synced. */
  durable(statement: Database.Statement): Database.Statement;
  /**
   * Makes sure that rows which have been read, and which another process may have committed, are durable before they
   * are shown.
   */
  confirm(): void;
  /** The sizes of the files in bytes, by name; empty for a database in memory. */
  sizes(): Promise<ReadonlyMap<string, number>>;
  /** Copies a long log into the database, between turns. `changes`: the number of changes so far. */
  copyLog(changes: number): void;
  /** Requests that the log be copied between transactions, however short it is. */
  wantCopy(): void;
  /** Makes the last change. Unless another store `follows` in this process, the log is copied as far as possible. */
  finish(change: () => void, follows: boolean): void;
  close(): void;
}

/** The durability of a database at a path; a database in memory has none. `syncs` collects the durations of syncs. */
export function durabilityOf(opened: Opened, path: string, syncs: Durations): Durability {
  return path === ':memory:' ? new InMemory(opened.db) : new InLog(opened, path, syncs);
}

/**
 * SQLite writes commits into its log and does not sync them (`synchronous = NORMAL`). It copies the log on request only
 * (`wal_autocheckpoint = 0`): it syncs the log first and the database afterwards, and reports the results of both
 * syncs. An automatic copy would not report them (https://sqlite.org/pragma.html#pragma_synchronous,
 * https://sqlite.org/wal.html#ckpt).
 */
class InLog implements Durability {
  readonly pins = true;
  private readonly db: Database.Database;
  /**
   * A connection that is closed last, so that SQLite leaves the log alone; null except for commands, which copy no log.
   */
  private readonly guard: Database.Database | null;
  private readonly sync: LogSync;
  private readonly reader: PinnedReader;
  private readonly copy: LogCopy;
  private readonly commitNow: Database.Statement;
  /** Whether there has been a commit since the log was last measured. */
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
    // SQLite copies the log when its last connection is closed, but does not report a refused sync.
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

/** A database in memory ends with its process. */
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

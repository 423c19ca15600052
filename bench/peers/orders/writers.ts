import type { Statement } from 'better-sqlite3';
import type { Db } from './schema.ts';

/** Runs what changes rows in a transaction; what it gives is given once the change is durable. */
export interface Writer {
  write<T>(work: () => T): T | Promise<T>;
}

/** A transaction and a commit for each request, as better-sqlite3 is commonly used. */
export class EachAlone implements Writer {
  private readonly begin: Statement;
  private readonly commit: Statement;
  private readonly rollback: Statement;

  constructor(db: Db) {
    this.begin = db.prepare('BEGIN IMMEDIATE');
    this.commit = db.prepare('COMMIT');
    this.rollback = db.prepare('ROLLBACK');
  }

  write<T>(work: () => T): T {
    this.begin.run();
    let value: T;
    try {
      value = work();
    } catch (error) {
      this.rollback.run();
      throw error;
    }
    this.commit.run();
    return value;
  }
}

interface Waiting {
  readonly work: () => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Writes that arrive in one turn of the event loop share a transaction, each under its own savepoint, and its commit. */
export class Grouped implements Writer {
  private readonly db: Db;
  private readonly begin: Statement;
  private readonly commit: Statement;
  private readonly savepoint: Statement;
  private readonly release: Statement;
  private readonly undo: Statement;
  private queue: Waiting[] = [];

  constructor(db: Db) {
    this.db = db;
    this.begin = db.prepare('BEGIN IMMEDIATE');
    this.commit = db.prepare('COMMIT');
    this.savepoint = db.prepare('SAVEPOINT one');
    this.release = db.prepare('RELEASE one');
    this.undo = db.prepare('ROLLBACK TO one');
  }

  write<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.queue.push({ work, resolve, reject }) === 1) setImmediate(() => this.turn());
    });
  }

  private turn(): void {
    const batch = this.queue;
    this.queue = [];
    const done: Array<() => void> = [];
    try {
      this.begin.run();
      for (const waiting of batch) this.one(waiting, done);
      this.commit.run();
    } catch (error) {
      if (this.db.inTransaction) this.db.exec('ROLLBACK');
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const finish of done) finish();
  }

  private one({ work, resolve, reject }: Waiting, done: Array<() => void>): void {
    this.savepoint.run();
    try {
      const value = work();
      this.release.run();
      done.push(() => resolve(value as never));
    } catch (error) {
      if (!this.db.inTransaction) throw error;
      this.undo.run();
      this.release.run();
      done.push(() => reject(error));
    }
  }
}

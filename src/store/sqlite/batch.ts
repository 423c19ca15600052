import type Database from 'better-sqlite3';
import type { Change, Program } from '../store.ts';
import { type Driver, Unfinished } from './driver.ts';
import { storeFailure } from './open.ts';

/** A program that waits to be written, and who waits for it. */
export interface QueuedWrite {
  readonly program: () => Program<unknown>;
  /** How far it has come, where whoever waits may give it up. */
  readonly change: Change | null;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** The programs that wait to be written, in the order in which they came. */
export class WriteQueue {
  private readonly waiting: QueuedWrite[] = [];
  /** Long transactions: each runs alone, and others run before it. */
  private readonly long: QueuedWrite[] = [];
  private othersRan = false;

  get length(): number {
    return this.waiting.length + this.long.length;
  }

  push(one: QueuedWrite): void {
    this.waiting.push(one);
  }

  /** The programs that are to run next, in one transaction. */
  take(): QueuedWrite[] {
    if (this.long.length > 0 && (this.othersRan || this.waiting.length === 0)) {
      this.othersRan = false;
      return this.long.splice(0, 1);
    }
    this.othersRan = true;
    return this.waiting.splice(0);
  }

  /** Puts a batch back, of which nothing has happened. */
  putBack(batch: readonly QueuedWrite[]): void {
    this.waiting.unshift(...batch);
  }

  /** Does the same where one of the batch takes long. */
  putBackLong(batch: readonly QueuedWrite[], long: QueuedWrite): void {
    this.putBack(batch.filter((one) => one !== long));
    this.long.push(long);
    this.othersRan = false;
  }
}

/** Resolves or rejects the promise of a program, once the program’s result is certain. */
export type Finish = () => void;

/** Where one program had to be undone, others are likely to: so many batches keep them apart from the beginning. */
const APART = 64;

/** Runs programs that have come together one after another in a single transaction. */
export class Batches {
  /** The program of a batch that runs. */
  running: QueuedWrite | null = null;
  private readonly db: Database.Database;
  private readonly driver: Pick<Driver, 'changed' | 'drive' | 'drivePiece'>;
  private readonly noticeOtherWrites: () => void;
  /** How many batches are yet to run with each program kept apart. */
  private apart = 0;
  private readonly begun: Database.Statement;
  private readonly rollback: Database.Statement;
  private readonly savepoint: Database.Statement;
  private readonly release: Database.Statement;
  private readonly undo: Database.Statement;

  /** `noticeOtherWrites` is called at the start of each transaction. */
  constructor(
    db: Database.Database,
    driver: Pick<Driver, 'changed' | 'drive' | 'drivePiece'>,
    noticeOtherWrites: () => void,
  ) {
    this.db = db;
    this.driver = driver;
    this.noticeOtherWrites = noticeOtherWrites;
    this.begun = db.prepare('BEGIN IMMEDIATE');
    this.rollback = db.prepare('ROLLBACK');
    this.savepoint = db.prepare('SAVEPOINT request');
    this.release = db.prepare('RELEASE request');
    this.undo = db.prepare('ROLLBACK TO request');
  }

  /** Begins the transaction, and looks what others have written before it; throws where another process is writing. */
  begin(): void {
    this.driver.changed = false;
    this.begun.run();
    this.noticeOtherWrites();
  }

  /**
   * Runs a batch in the transaction that has begun. An error of one program rejects that program alone, and undoes its
   * changes. Throws errors that end the whole transaction, and `Unfinished` where a program takes long. `changed` of
   * the driver says whether there is anything to commit.
   */
  run(batch: readonly QueuedWrite[]): Finish[] {
    if (batch.length === 1) return [this.runAlone(batch[0]!)];
    if (this.apart === 0) {
      const done = this.runTogether(batch);
      if (done) return done;
      this.apart = APART;
    } else this.apart--;
    return batch.map((waiting) => this.runApart(waiting));
  }

  /**
   * Runs programs one after the other and rolls back their changes. Programs that succeed share a transaction, so that
   * the work of one need not be repeated by the next. Changes stay in memory and need no space on the disk. While
   * another process is writing, all programs are rejected.
   */
  rehearse(all: readonly QueuedWrite[]): void {
    this.db.pragma('cache_spill = OFF');
    try {
      for (const waiting of all) {
        if (!this.db.inTransaction) this.begin();
        try {
          const value = this.driver.drive(waiting.program());
          waiting.resolve(value as never);
        } catch (error) {
          if (this.db.inTransaction) this.rollback.run();
          waiting.reject(error);
        }
      }
    } catch (error) {
      for (const waiting of all) waiting.reject(storeFailure(error));
    } finally {
      if (this.db.inTransaction) this.rollback.run();
      this.driver.changed = false;
      this.db.pragma('cache_spill = ON');
    }
  }

  /** Runs a program whose change is waited for; from then on, the commit of all is its own. */
  private driven({ program, change }: QueuedWrite): unknown {
    change?.mustBeWaitedFor();
    const value = this.driver.drivePiece(program());
    if (change) change.stage = 'committing';
    return value;
  }

  /** Of a program that has the transaction to itself, nothing has to be kept apart. */
  private runAlone(waiting: QueuedWrite): Finish {
    this.running = waiting;
    try {
      const value = this.driven(waiting);
      return () => waiting.resolve(value as never);
    } catch (error) {
      if (error instanceof Unfinished || !this.db.inTransaction) throw error;
      return this.undone(waiting, error);
    }
  }

  /** Undoes what a program has changed that had the transaction to itself. */
  undone(waiting: QueuedWrite, error: unknown): Finish {
    this.rollback.run();
    this.driver.changed = false;
    return () => waiting.reject(error);
  }

  /**
   * Runs programs without keeping what each has changed apart, which costs more than they do. Null where that is
   * needed, since one has thrown after a change of its own: then nothing has happened, and all are to be run again.
   */
  private runTogether(batch: readonly QueuedWrite[]): Finish[] | null {
    const done: Finish[] = [];
    let any = false;
    for (const waiting of batch) {
      this.driver.changed = false;
      this.running = waiting;
      try {
        const value = this.driven(waiting);
        done.push(() => waiting.resolve(value as never));
      } catch (error) {
        if (error instanceof Unfinished || !this.db.inTransaction) throw error;
        if (this.driver.changed) {
          this.rollback.run();
          this.begin();
          return null;
        }
        done.push(() => waiting.reject(error));
      }
      any ||= this.driver.changed;
    }
    this.driver.changed = any;
    return done;
  }

  /** Runs a program so that what it throws undoes its own changes and no other’s. */
  private runApart(waiting: QueuedWrite): Finish {
    this.savepoint.run();
    this.running = waiting;
    try {
      const value = this.driven(waiting);
      this.release.run();
      return () => waiting.resolve(value as never);
    } catch (error) {
      // Some errors (a full disk) end the whole transaction: then nobody of this batch can be answered with success.
      if (error instanceof Unfinished || !this.db.inTransaction) throw error;
      this.undo.run();
      this.release.run();
      return () => waiting.reject(error);
    }
  }
}

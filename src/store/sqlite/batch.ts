import type Database from 'better-sqlite3';
import type { Change, Program } from '../store.ts';
import { type Driver, Unfinished } from './driver.ts';
import { storeFailure } from './open.ts';

/** A program in the queue of writes, with the promise of its result. */
export interface QueuedWrite {
  readonly program: () => Program<unknown>;
  /** The progress of the change, if its caller can give it up. */
  readonly change: Change | null;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** The queue of programs that write, in the order of their arrival. */
export class WriteQueue {
  private readonly waiting: QueuedWrite[] = [];
  /** Programs with long transactions: each runs alone, after the others. */
  private readonly long: QueuedWrite[] = [];
  private othersRan = false;

  get length(): number {
    return this.waiting.length + this.long.length;
  }

  push(one: QueuedWrite): void {
    this.waiting.push(one);
  }

  /** The programs of the next transaction. */
  take(): QueuedWrite[] {
    if (this.long.length > 0 && (this.othersRan || this.waiting.length === 0)) {
      this.othersRan = false;
      return this.long.splice(0, 1);
    }
    this.othersRan = true;
    return this.waiting.splice(0);
  }

  /** Returns a batch without effect to the front of the queue. */
  putBack(batch: readonly QueuedWrite[]): void {
    this.waiting.unshift(...batch);
  }

  /** Puts a batch back into the queue because one of its programs takes long. */
  putBackLong(batch: readonly QueuedWrite[], long: QueuedWrite): void {
    this.putBack(batch.filter((one) => one !== long));
    this.long.push(long);
    this.othersRan = false;
  }
}

/** Resolves or rejects the promise of a program, once the program’s result is certain. */
export type Finish = () => void;

/**
 * Number of batches that use savepoints from the start after one program had to be undone, since others are likely to
 * follow.
 */
const APART = 64;

/** Runs the programs of a batch, one after another, in a single transaction. */
export class Batches {
  /** The current program of a batch. */
  running: QueuedWrite | null = null;
  private readonly db: Database.Database;
  private readonly driver: Pick<Driver, 'changed' | 'drive' | 'drivePiece'>;
  private readonly noticeOtherWrites: () => void;
  /** Number of further batches that use a savepoint for each program. */
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

  /** Begins the transaction, and checks for other processes’ writes. Throws while another process is writing. */
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

  /** Runs a program whose change has not been given up; the commit of the batch is then the program’s commit. */
  private driven({ program, change }: QueuedWrite): unknown {
    change?.mustBeWaitedFor();
    const value = this.driver.drivePiece(program());
    if (change) change.stage = 'committing';
    return value;
  }

  /** A program alone in its transaction needs no savepoint. */
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

  /** Rolls back a program that was alone in its transaction. */
  undone(waiting: QueuedWrite, error: unknown): Finish {
    this.rollback.run();
    this.driver.changed = false;
    return () => waiting.reject(error);
  }

  /**
   * Runs programs without savepoints, which would cost more than the programs themselves. Returns null if one program
   * has thrown after a change: then everything is rolled back, and all programs have to run again with savepoints.
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

  /** Runs a program under a savepoint, so that its error undoes its own changes alone. */
  private runApart(waiting: QueuedWrite): Finish {
    this.savepoint.run();
    this.running = waiting;
    try {
      const value = this.driven(waiting);
      this.release.run();
      return () => waiting.resolve(value as never);
    } catch (error) {
      // Some errors, such as a full disk, end the whole transaction, so that no program of the batch can succeed.
      if (error instanceof Unfinished || !this.db.inTransaction) throw error;
      this.undo.run();
      this.release.run();
      return () => waiting.reject(error);
    }
  }
}

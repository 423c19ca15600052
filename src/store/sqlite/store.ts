import type Database from 'better-sqlite3';
import { type RandomBytes, systemRandom } from '../../expression/values/random.ts';
import type { Plan } from '../../plan/step.ts';
import { Counters, type RateUse } from '../counters.ts';
import { StoreFigures } from '../figures.ts';
import { MOVED_ON } from '../migration/compare.ts';
import { StatementCompiler } from '../sql/compiler.ts';
import { type Change, type Program, type Statement, type StatementSpec, type Store, StoreError } from '../store.ts';
import { tableName } from '../tables.ts';
import { Batches, type Finish, type QueuedWrite, WriteQueue } from './batch.ts';
import type { Prepared } from './call.ts';
import { sqliteDialect } from './dialect.ts';
import { Driver, Unfinished } from './driver.ts';
import { type Durability, durabilityOf } from './durability.ts';
import { FreePages } from './free-pages.ts';
import { keepCounters, keptCounters } from './kept-counters.ts';
import { LongReads } from './long-reads.ts';
import { BUSY, openFor, storeFailure, type Use } from './open.ts';
import { columnDecoders } from './results.ts';
import { inMemory, Snapshots } from './snapshot.ts';
import { SHAPE_ID } from './tables.ts';

/** A request that outlives its document finds its store closed. */
const CLOSED = new StoreError('busy', 'The store has been closed.');

/** The clock and the random source of a store. */
interface Machine {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly random: RandomBytes;
}

const THIS_MACHINE: Machine = { now: () => Date.now(), random: systemRandom };

/**
 * The embedded store. Writes that arrive in one turn of the event loop run one after another in a single transaction,
 * and are answered after its commit; reads of one turn share one snapshot. While a slow disk syncs a commit, reads
 * continue with the state before it, and writes are collected.
 */
export class SqliteStore implements Store {
  private readonly db: Database.Database;
  private readonly compiler: StatementCompiler;
  private readonly driver: Driver;
  private readonly batches: Batches;
  private readonly durability: Durability;
  private readonly freePages: FreePages;
  /** SQLite’s prepared statements by their text, since many steps have the same statement. */
  private readonly statements = new Map<string, Database.Statement>();
  private readonly queue = new WriteQueue();
  private readonly rehearsals: QueuedWrite[] = [];
  private readonly snapshots = new Snapshots();
  private readonly longReads = new LongReads();
  /** Reads SQLite’s number for the state of the file, which changes when another connection has written. */
  private readonly version: Database.Statement;
  private seen: unknown = null;
  /** The query for the hash of the stored shape, and its result at the opening: after a migration, this store stops. */
  private readonly shapeId: Database.Statement;
  /** Reads whether a table has no row ids. */
  private readonly rowIds: Database.Statement;
  private readonly shape: unknown;
  readonly figures = new StoreFigures();
  private counters = new Counters();
  private claimed = new Set<string>();
  /** Whether this store has counted requests: an operator’s command must not change the counts of a service. */
  private counted = false;
  private reading = false;
  private closed = false;
  /** Whether another store of this process continues with the log. */
  private followed = false;
  private closing: Promise<void> | null = null;
  private busySince: number | null = null;
  private scheduled = false;
  /**
   * Settles when the current transaction, which runs in pieces or is being synced, has ended; null if there is none.
   */
  private ending: Promise<void> | null = null;
  private readonly beginRead: Database.Statement;
  private readonly commit: Database.Statement;
  /** One process has the store, so that the store’s clock is the process’s clock. */
  readonly now: () => number;
  readonly random: RandomBytes;

  /**
   * Opens the database at `path`, or makes it, with a table for each resource of the plan. Throws StoreError where it
   * cannot be opened, or holds tables of another shape.
   */
  constructor(path: string, plan: Plan, use: Use = 'successor', machine: Machine = THIS_MACHINE) {
    this.now = machine.now;
    this.random = machine.random;
    const opened = openFor(use, path, plan, machine.random);
    this.db = opened.db;
    this.durability = durabilityOf(opened, path, this.figures.syncs);
    this.freePages = new FreePages(this.db);
    // While another process writes, a write waits without blocking the event loop.
    this.db.pragma('busy_timeout = 0');
    this.compiler = new StatementCompiler(plan.resources, sqliteDialect(plan.resources));
    this.counters.restore(keptCounters(this.db));
    this.version = this.db.prepare('PRAGMA data_version').pluck();
    this.shapeId = this.db.prepare(SHAPE_ID).pluck();
    this.shape = this.shapeId.get();
    this.rowIds = this.db.prepare('SELECT wr FROM pragma_table_list(?)').pluck();
    this.beginRead = this.db.prepare('BEGIN');
    this.commit = this.db.prepare('COMMIT');
    this.driver = new Driver(this.durability);
    this.batches = new Batches(this.db, this.driver, () => this.noticeOtherWrites());
  }

  hasRowIds(resource: string): boolean {
    return this.rowIds.get(tableName(resource)) === 0;
  }

  prepare(spec: StatementSpec): Statement {
    const compiled = this.compiler.compile(spec);
    const sqlite = this.statements.get(compiled.sql) ?? this.db.prepare(compiled.sql);
    this.statements.set(compiled.sql, sqlite);
    if (sqlite.reader) sqlite.raw(true);
    const prepared: Prepared = {
      spec,
      parameters: compiled.parameters,
      sqlite,
      pinned: null,
      reads: sqlite.reader,
      numbers: compiled.givesKey,
      blobs: compiled.uuids,
      decode: compiled.columns && columnDecoders(compiled.columns),
      widen: compiled.widen,
      memo: compiled.reads && this.driver.memoOf(compiled.reads),
      writes: compiled.writes,
    };
    return prepared;
  }

  read<T>(program: () => Program<T>): T | Promise<T> {
    try {
      return this.readNow(program);
    } catch (error) {
      if (!(error instanceof Unfinished)) throw error;
      error.abandon();
      return this.longReads.read(this.db.name, program, () => this.durableNow());
    }
  }

  /** Resolves once the latest commit is durable. */
  private async durableNow(): Promise<void> {
    while (this.ending) await this.ending;
    if (this.closed) throw CLOSED;
    this.durability.confirm();
  }

  private readNow<T>(program: () => Program<T>): T {
    if (this.closed) throw CLOSED;
    this.figures.reads++;
    if (this.ending) return this.driver.drivePinned(program());
    if (!this.reading) {
      try {
        this.beginRead.run();
        this.noticeOtherWrites();
      } catch (error) {
        if (this.db.inTransaction) this.commit.run();
        throw storeFailure(error);
      }
      this.reading = true;
      this.schedule();
    }
    const value = this.driver.driveRead(program());
    this.durability.confirm();
    return value;
  }

  readonly snapshot: Store['snapshot'] = async (program, callOf) => {
    // A commit that another thread is syncing could still be lost.
    await this.durableNow();
    if (!this.durability.pins) return this.read(() => inMemory(program(), callOf));
    this.figures.reads++;
    return this.snapshots.take(this.db.name, program(), callOf);
  };

  write<T>(program: () => Program<T>, change: Change | null = null): Promise<T> {
    return this.waitIn(this.queue, program, change);
  }

  rehearse<T>(program: () => Program<T>): Promise<T> {
    return this.waitIn(this.rehearsals, program, null);
  }

  private waitIn<T>(
    queue: { push(one: QueuedWrite): void },
    program: () => Program<T>,
    change: Change | null,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.closed) return reject(CLOSED);
      queue.push({ program, change, resolve, reject });
      this.schedule();
    });
  }

  begun(): void {
    if (this.queue.length) this.turn();
  }

  take(
    policy: number,
    key: string,
    rate: { readonly count: number; readonly milliseconds: number },
    now: number,
  ): RateUse {
    this.counted = true;
    return this.counters.take(policy, key, rate.count, rate.milliseconds, now);
  }

  claim(key: string): boolean {
    if (this.claimed.has(key)) return false;
    this.claimed.add(key);
    return true;
  }

  unclaim(key: string): void {
    this.claimed.delete(key);
  }

  follow(before: Store): void {
    if (!(before instanceof SqliteStore)) return;
    this.counters = before.counters;
    // Only the later store keeps the counts on the disk: two stores would wait for each other’s lock.
    this.counted ||= before.counted;
    before.counted = false;
    this.claimed = before.claimed;
    this.figures.follow(before.figures);
    before.followed = true;
  }

  sizes(): Promise<ReadonlyMap<string, number>> {
    return this.durability.sizes();
  }

  async shrink(): Promise<boolean> {
    // The log may have to be copied, which happens between turns.
    this.schedule();
    return this.freePages.areMany && this.write(() => this.freePages.giveBack(this.driver, this.durability));
  }

  /**
   * Rejects with StoreError where counts could not be stored, since another process writes; the store is closed
   * nevertheless.
   */
  close(): Promise<void> {
    this.closing ??= this.closeNow();
    return this.closing;
  }

  private async closeNow(): Promise<void> {
    try {
      this.db.pragma(`busy_timeout = ${BUSY}`);
      await this.longReads.close();
      while (this.queue.length || this.rehearsals.length || this.reading || this.ending)
        if (this.ending) await this.ending;
        else this.turn();
      this.durability.finish(() => this.counted && keepCounters(this.db, this.counters, this.now()), this.followed);
    } catch (error) {
      throw storeFailure(error);
    } finally {
      this.closed = true;
      this.snapshots.close();
      this.durability.close();
    }
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.turn();
    });
  }

  /** The end of a turn: ends the snapshot, and writes all queued changes in one commit. */
  private turn(): void {
    if (this.closed) return;
    this.endReading();
    if (this.ending) return;
    if (this.rehearsals.length) this.rehearseNow();
    this.durability.copyLog(this.figures.changes);
    if (this.queue.length === 0) return;
    const batch = this.queue.take();
    const began = performance.now();
    try {
      this.batches.begin();
    } catch (error) {
      const failure = storeFailure(error);
      if (this.db.inTransaction) this.db.exec('ROLLBACK');
      this.beginLater(batch, failure);
      return;
    }
    this.busySince = null;
    try {
      const done = this.batches.run(batch);
      this.commitBatch(batch, done, began);
    } catch (error) {
      if (error instanceof Unfinished) this.goOn(batch, error, began);
      else this.failed(batch, error);
    }
    if (this.queue.length) this.schedule();
  }

  /** Commits a batch, and resolves its promises once the commit is durable. */
  private commitBatch(batch: readonly QueuedWrite[], done: readonly Finish[], began: number): void {
    const { changed, readers } = this.driver;
    this.figures.changes += batch.length;
    this.driver.readers = false;
    const syncing = this.durability.commit(changed, readers);
    this.driver.settle();
    if (syncing) this.ending = this.tellLater(syncing, batch, done, began);
    else {
      this.figures.commits.since(began);
      for (const finish of done) finish();
    }
  }

  private failed(batch: readonly QueuedWrite[], error: unknown): void {
    const failure = storeFailure(error);
    if (this.db.inTransaction) this.db.exec('ROLLBACK');
    this.durability.unpin();
    this.driver.settle();
    if (failure instanceof StoreError && failure.kind === 'full') {
      this.durability.wantCopy();
      this.schedule();
    }
    for (const waiting of batch) waiting.reject(failure);
  }

  /** Continues a long program in pieces. If it shares the transaction with others, it is run again alone. */
  private goOn(batch: readonly QueuedWrite[], unfinished: Unfinished, began: number): void {
    const long = this.batches.running!;
    if (batch.length === 1) {
      this.ending = this.runInPieces(long, unfinished, began);
      return;
    }
    unfinished.abandon();
    this.db.exec('ROLLBACK');
    this.driver.settle();
    // The earlier changes of the transaction have been rolled back, too.
    for (const { change } of batch) if (change?.stage === 'committing') change.stage = 'open';
    this.queue.putBackLong(batch, long);
  }

  /** Resolves once the transaction has ended, or its commit is being synced; `ending` is then the sync. */
  private async runInPieces(long: QueuedWrite, unfinished: Unfinished, began: number): Promise<void> {
    try {
      this.durability.pin();
      let done: Finish;
      try {
        const value = await this.driver.drivePieces(unfinished, long.change);
        if (long.change) long.change.stage = 'committing';
        done = () => long.resolve(value as never);
      } catch (error) {
        if (!this.db.inTransaction) throw error;
        done = this.batches.undone(long, error);
      }
      this.ending = null;
      this.commitBatch([long], [done], began);
    } catch (error) {
      this.ending = null;
      this.failed([long], error);
    }
    if (!this.ending && (this.queue.length || this.rehearsals.length)) this.schedule();
  }

  private rehearseNow(): void {
    this.batches.rehearse(this.rehearsals.splice(0));
    this.driver.settle();
  }

  /** Resolves or rejects the promises of a batch once another thread has synced it. */
  private async tellLater(
    synced: Promise<void>,
    batch: readonly QueuedWrite[],
    done: readonly Finish[],
    began: number,
  ): Promise<void> {
    const failure = await synced.then(
      () => null,
      (error: Error) => error,
    );
    this.ending = null;
    if (!failure) this.figures.commits.since(began);
    if (failure) for (const waiting of batch) waiting.reject(failure);
    else for (const finish of done) finish();
    if (this.queue.length || this.rehearsals.length) this.schedule();
  }

  /** Memos are valid while no other process has written, so each transaction begins with this check. */
  private noticeOtherWrites(): void {
    const version = this.version.get();
    if (version === this.seen) return;
    if (this.shapeId.get() !== this.shape) throw MOVED_ON;
    this.seen = version;
    this.driver.forget();
  }

  /** Another process is writing: the batch is tried again later, and nothing else waits for it. */
  private beginLater(batch: QueuedWrite[], error: unknown): void {
    this.busySince ??= performance.now();
    if (error instanceof StoreError && error.kind === 'busy' && performance.now() - this.busySince < BUSY) {
      this.queue.putBack(batch);
      setTimeout(() => this.schedule(), 5);
      return;
    }
    this.busySince = null;
    for (const waiting of batch) waiting.reject(error);
  }

  /** Ends the snapshot of this turn. After an I/O error, SQLite has ended it already. */
  private endReading(): void {
    if (!this.reading) return;
    this.reading = false;
    try {
      if (this.db.inTransaction) this.commit.run();
    } catch {
      if (this.db.inTransaction) this.db.exec('ROLLBACK');
    }
  }
}

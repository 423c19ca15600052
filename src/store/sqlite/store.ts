import type Database from 'better-sqlite3';
import { type RandomBytes, systemRandom } from '../../expression/values/random.ts';
import type { Row } from '../../expression/values/value.ts';
import type { Plan } from '../../plan/step.ts';
import { Counters, type RateUse } from '../counters.ts';
import { StoreFigures } from '../figures.ts';
import { Memos } from '../memo.ts';
import { MOVED_ON } from '../migration/compare.ts';
import { StatementCompiler } from '../sql/compiler.ts';
import {
  type Argument,
  type Call,
  type Change,
  type Program,
  type Statement,
  type StatementSpec,
  type Store,
  StoreError,
} from '../store.ts';
import { Batches, type Finish, type QueuedWrite } from './batch.ts';
import { changeRows, type Prepared, readRows } from './call.ts';
import { sqliteDialect } from './dialect.ts';
import { type Durability, durabilityOf } from './durability.ts';
import { FreePages } from './free-pages.ts';
import { keepCounters, keptCounters } from './kept-counters.ts';
import { BUSY, storeFailure } from './open.ts';
import { openFor, type Use } from './opening.ts';
import { columnDecoders } from './results.ts';
import { SHAPE_ID } from './tables.ts';

/** A request that outlives its document finds its store closed. */
const CLOSED = new StoreError('busy', 'The store has been closed.');

/** What a store takes from the machine that it is on. */
interface Machine {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly random: RandomBytes;
}

const THIS_MACHINE: Machine = { now: () => Date.now(), random: systemRandom };

/**
 * The embedded store. Writes that arrive in one turn of the event loop run one after another in a single transaction,
 * and are answered after the one commit; reads of one turn share one snapshot. Where the disk takes long to sync a
 * commit, reads go on meanwhile, with what was there before it, and writes gather.
 */
export class SqliteStore implements Store {
  private readonly db: Database.Database;
  private readonly compiler: StatementCompiler;
  private readonly batches: Batches;
  private readonly durability: Durability;
  private readonly freePages: FreePages;
  /** SQLite's own statements by their text: many steps ask for the same one. */
  private readonly statements = new Map<string, Database.Statement>();
  private readonly queue: QueuedWrite[] = [];
  private readonly rehearsals: QueuedWrite[] = [];
  private readonly memos = new Memos();
  /** What SQLite calls the state of the file: it is another when another connection has written. */
  private readonly version: Database.Statement;
  private seen: unknown = null;
  /** What the shape of the rows is known by, and was when they were opened: whoever migrates them leaves others behind. */
  private readonly shapeId: Database.Statement;
  private readonly shape: unknown;
  readonly figures = new StoreFigures();
  private counters = new Counters();
  private claimed = new Set<string>();
  /** Whether anything was counted here: an operator's command leaves the counts of a service alone. */
  private counted = false;
  private reading = false;
  private closed = false;
  /** Whether another store of this process goes on with the log. */
  private followed = false;
  private closing: Promise<void> | null = null;
  private busySince: number | null = null;
  private scheduled = false;
  /** Settles when the commit that is being synced is durable; null while none is. */
  private syncing: Promise<void> | null = null;
  /** Whether the program that runs reads what was there before the commit that is being synced. */
  private readsPinned = false;
  /** Whether anybody has read rows since the latest batch of writes, which itself may read. */
  private readers = false;
  private readonly beginRead: Database.Statement;
  private readonly commit: Database.Statement;
  /** One process has the store, and its clock is the store’s. */
  readonly now: () => number;
  readonly random: RandomBytes;

  /**
   * Opens (or makes) the database at `path`, with a table for each resource of the plan.
   * Throws StoreError where it can't be opened, or holds tables of another shape.
   */
  constructor(path: string, plan: Plan, use: Use = 'successor', machine: Machine = THIS_MACHINE) {
    this.now = machine.now;
    this.random = machine.random;
    const opened = openFor(use, path, plan, machine.random);
    this.db = opened.db;
    this.durability = durabilityOf(opened, path, this.figures.syncs);
    this.freePages = new FreePages(this.db);
    // A write that finds another process writing waits outside the event loop's way.
    this.db.pragma('busy_timeout = 0');
    this.compiler = new StatementCompiler(plan.resources, sqliteDialect(plan.resources));
    this.counters.restore(keptCounters(this.db));
    this.version = this.db.prepare('PRAGMA data_version').pluck();
    this.shapeId = this.db.prepare(SHAPE_ID).pluck();
    this.shape = this.shapeId.get();
    this.beginRead = this.db.prepare('BEGIN');
    this.commit = this.db.prepare('COMMIT');
    this.batches = new Batches(
      this.db,
      (program) => this.drive(program),
      () => this.noticeOtherWrites(),
    );
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
      memo: compiled.reads && this.memos.of(compiled.reads),
      writes: compiled.writes,
    };
    return prepared;
  }

  read<T>(program: () => Program<T>): T {
    if (this.closed) throw CLOSED;
    this.figures.reads++;
    if (this.syncing) return this.readPinned(program);
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
    const value = this.drive(program());
    this.durability.confirm();
    return value;
  }

  write<T>(program: () => Program<T>, change: Change | null = null): Promise<T> {
    return this.waitIn(this.queue, program, change);
  }

  rehearse<T>(program: () => Program<T>): Promise<T> {
    return this.waitIn(this.rehearsals, program, null);
  }

  private waitIn<T>(queue: QueuedWrite[], program: () => Program<T>, change: Change | null): Promise<T> {
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
    // Who goes on counting keeps the counts: two would wait for one another’s lock.
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
    // The log may wait to be copied, which is done between turns.
    this.schedule();
    return this.freePages.areMany && this.write(() => this.freePages.giveBack(this.batches, this.durability));
  }

  /** Rejects with StoreError where counts could not be kept, since another process writes; it is closed nevertheless. */
  close(): Promise<void> {
    this.closing ??= this.closeNow();
    return this.closing;
  }

  private async closeNow(): Promise<void> {
    try {
      this.db.pragma(`busy_timeout = ${BUSY}`);
      while (this.queue.length || this.rehearsals.length || this.reading || this.syncing)
        if (this.syncing) await this.syncing;
        else this.turn();
      this.durability.finish(() => this.counted && keepCounters(this.db, this.counters, this.now()), this.followed);
    } catch (error) {
      throw storeFailure(error);
    } finally {
      this.closed = true;
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

  /** The end of a turn: the snapshot is let go, and what has been asked to be written is written in one commit. */
  private turn(): void {
    if (this.closed) return;
    this.endReading();
    if (this.syncing) return;
    if (this.rehearsals.length) this.rehearseNow();
    this.durability.copyLog(this.figures.changes);
    if (this.queue.length === 0) return;
    const batch = this.queue.splice(0);
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
    this.figures.changes += batch.length;
    let done: Finish[];
    let syncing: Promise<void> | null;
    const { readers } = this;
    try {
      done = this.batches.run(batch);
      this.readers = false;
      syncing = this.durability.commit(this.batches.changed, readers);
    } catch (error) {
      const failure = storeFailure(error);
      if (this.db.inTransaction) this.db.exec('ROLLBACK');
      if (failure instanceof StoreError && failure.kind === 'full') {
        this.durability.wantCopy();
        this.schedule();
      }
      for (const waiting of batch) waiting.reject(failure);
      return;
    } finally {
      this.memos.settle();
    }
    if (syncing) this.syncing = this.tellLater(syncing, batch, done, began);
    else {
      this.figures.commits.since(began);
      for (const finish of done) finish();
    }
  }

  private rehearseNow(): void {
    this.batches.rehearse(this.rehearsals.splice(0));
    this.memos.settle();
  }

  /** Tells those of a batch how it went once another thread has synced it. */
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
    this.syncing = null;
    if (!failure) this.figures.commits.since(began);
    if (failure) for (const waiting of batch) waiting.reject(failure);
    else for (const finish of done) finish();
    if (this.queue.length || this.rehearsals.length) this.schedule();
  }

  /** What is remembered holds while nobody else has written: a transaction begins by looking. */
  private noticeOtherWrites(): void {
    const version = this.version.get();
    if (version === this.seen) return;
    if (this.shapeId.get() !== this.shape) throw MOVED_ON;
    this.seen = version;
    this.memos.forget();
  }

  /** Another process is writing: the batch waits its turn, and nothing else waits with it. */
  private beginLater(batch: QueuedWrite[], error: unknown): void {
    this.busySince ??= performance.now();
    if (error instanceof StoreError && error.kind === 'busy' && performance.now() - this.busySince < BUSY) {
      this.queue.unshift(...batch);
      setTimeout(() => this.schedule(), 5);
      return;
    }
    this.busySince = null;
    for (const waiting of batch) waiting.reject(error);
  }

  /** Lets the snapshot of this turn go. After an I/O error SQLite has let it go already. */
  private endReading(): void {
    if (!this.reading) return;
    this.reading = false;
    try {
      if (this.db.inTransaction) this.commit.run();
    } catch {
      if (this.db.inTransaction) this.db.exec('ROLLBACK');
    }
  }

  private readPinned<T>(program: () => Program<T>): T {
    this.readsPinned = true;
    try {
      return this.drive(program());
    } finally {
      this.readsPinned = false;
    }
  }

  /** Runs a program to its end: each call is answered at once. */
  private drive<T>(program: Program<T>): T {
    let step = program.next();
    while (!step.done) {
      let rows: Row[];
      try {
        rows = this.call(step.value);
      } catch (error) {
        step = program.throw(storeFailure(error));
        continue;
      }
      step = program.next(rows);
    }
    return step.value;
  }

  private call([statement, args]: Call): Row[] {
    const prepared = statement as Prepared;
    const { memo, writes } = prepared;
    if (writes !== null) {
      this.memos.spoil(writes);
      const given = changeRows(prepared, args);
      this.batches.changed = true;
      return given;
    }
    if (memo === null) return this.select(prepared, args);
    const known = memo.get(args[0]);
    if (known) return known;
    const rows = this.select(prepared, args);
    // What was there before a commit is no longer so after it.
    if (!this.readsPinned && this.memos.isSettled(memo)) memo.keep(args[0], rows);
    return rows;
  }

  private select(prepared: Prepared, args: readonly Argument[]): Row[] {
    this.readers = true;
    if (!this.readsPinned) return readRows(prepared, prepared.sqlite, args);
    prepared.pinned ??= this.durability.durable(prepared.sqlite);
    return readRows(prepared, prepared.pinned, args);
  }
}

import type Database from 'better-sqlite3';
import type { Row } from '../expression/value.ts';
import type { Plan } from '../plan/step.ts';
import { type CounterRow, Counters, type Taken } from './counters.ts';
import { Memos, writtenTable } from './memo.ts';
import { MOVED_ON } from './migrate.ts';
import { Batches, type Finish, type Waiting } from './sqlite.batch.ts';
import { changeRows, type Prepared, readRows } from './sqlite.call.ts';
import { WalCheckpointer } from './sqlite.checkpointer.ts';
import { BUSY, leaveLog, storeFailure } from './sqlite.open.ts';
import { openFor, type Use } from './sqlite.opening.ts';
import { Pinned } from './sqlite.pinned.ts';
import { columnDecoders, SqliteWriter } from './sqlite.statements.ts';
import { LogSync } from './sqlite.sync.ts';
import { SQLITE_SYSTEM } from './sqlite.system.ts';
import { SHAPE_ID } from './sqlite.tables.ts';
import {
  type Argument,
  type Call,
  type Program,
  type Statement,
  type StatementSpec,
  type Store,
  StoreError,
} from './store.ts';

/** A request that outlives its document finds its store closed. */
const CLOSED = new StoreError('busy', 'The store has been closed.');

/**
 * The embedded store. Writes that arrive in one turn of the event loop run one after another in a single transaction,
 * and are answered after the one commit; reads of one turn share one snapshot. Where the disk takes long to sync a
 * commit, reads go on meanwhile, with what was there before it, and writes gather.
 */
export class SqliteStore implements Store {
  private readonly db: Database.Database;
  private readonly writer: SqliteWriter;
  private readonly batches: Batches;
  private readonly sync: LogSync;
  /** Copies the log; null for a command. */
  private readonly checkpointer: WalCheckpointer | null;
  /** Is closed last, so that SQLite leaves the log alone; null but for a command. */
  private readonly guard: Database.Database | null;
  private readonly pinned: Pinned;
  /** SQLite's own statements by their text: many steps ask for the same one. */
  private readonly statements = new Map<string, Database.Statement>();
  private readonly queue: Waiting[] = [];
  private readonly rehearsals: Waiting[] = [];
  private readonly memos = new Memos();
  /** What SQLite calls the state of the file: it is another when another connection has written. */
  private readonly version: Database.Statement;
  private seen: unknown = null;
  /** What the shape of the rows is known by, and was when they were opened: whoever migrates them leaves others behind. */
  private readonly shapeId: Database.Statement;
  private readonly shape: unknown;
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
  readonly now = (): number => Date.now();

  /**
   * Opens (or makes) the database at `path`, with a table for each resource of the plan.
   * Throws StoreError where it can't be opened, or holds tables of another shape.
   */
  constructor(path: string, plan: Plan, use: Use = 'successor') {
    ({ db: this.db, guard: this.guard } = openFor(use, path, plan));
    this.checkpointer = use === 'command' ? null : new WalCheckpointer(this.db, path, () => this.schedule());
    this.sync = new LogSync(path === ':memory:' ? null : path);
    this.pinned = new Pinned(path);
    // A write that finds another process writing waits outside the event loop's way.
    this.db.pragma('busy_timeout = 0');
    this.writer = new SqliteWriter(plan);
    this.counters.restore(this.db.prepare(SQLITE_SYSTEM['read counters']).raw(true).all() as CounterRow[]);
    this.version = this.db.prepare('PRAGMA data_version').pluck();
    this.shapeId = this.db.prepare(SHAPE_ID).pluck();
    this.shape = this.shapeId.get();
    this.beginRead = this.db.prepare('BEGIN');
    this.commit = this.db.prepare('COMMIT');
    this.batches = new Batches(
      this.db,
      (program) => this.drive(program),
      () => this.look(),
    );
  }

  prepare(spec: StatementSpec): Statement {
    const written = this.writer.write(spec);
    const sqlite = this.statements.get(written.sql) ?? this.db.prepare(written.sql);
    this.statements.set(written.sql, sqlite);
    if (sqlite.reader) sqlite.raw(true);
    const prepared: Prepared = {
      spec,
      parameters: written.parameters,
      sqlite,
      pinned: null,
      reads: sqlite.reader,
      numbers: written.numbers ?? false,
      blobs: written.blobs,
      decode: written.columns && columnDecoders(written.columns),
      widen: written.widen ?? null,
      memo: written.reads ? this.memos.of(written.reads) : null,
      writes: writtenTable(written.sql),
    };
    return prepared;
  }

  read<T>(program: () => Program<T>): T {
    if (this.closed) throw CLOSED;
    if (this.syncing) return this.readPinned(program);
    if (!this.reading) {
      try {
        this.beginRead.run();
        this.look();
      } catch (error) {
        if (this.db.inTransaction) this.commit.run();
        throw storeFailure(error);
      }
      this.reading = true;
      this.schedule();
    }
    const value = this.drive(program());
    // A service beside a command may have committed what the command shows, and not have synced it yet.
    if (this.guard) this.syncNow();
    return value;
  }

  write<T>(program: () => Program<T>): Promise<T> {
    return this.waitIn(this.queue, program);
  }

  rehearse<T>(program: () => Program<T>): Promise<T> {
    return this.waitIn(this.rehearsals, program);
  }

  private waitIn<T>(queue: Waiting[], program: () => Program<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.closed) return reject(CLOSED);
      queue.push({ program, resolve, reject });
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
  ): Taken {
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
    before.followed = true;
    if (before.checkpointer) this.checkpointer?.follow(before.checkpointer);
  }

  /** Rejects with StoreError where counts could not be kept, since another process writes; it is closed nevertheless. */
  close(): Promise<void> {
    this.closing ??= this.closeNow();
    return this.closing;
  }

  private async closeNow(): Promise<void> {
    await this.checkpointer?.end();
    try {
      this.db.pragma(`busy_timeout = ${BUSY}`);
      while (this.queue.length || this.rehearsals.length || this.reading || this.syncing)
        if (this.syncing) await this.syncing;
        else this.turn();
      this.db.pragma('synchronous = FULL');
      if (this.counted) this.keepCounters();
      // SQLite copies the log when its last connection is closed, but is silent where the disk refuses to sync.
      if (!this.followed) this.checkpointer?.copyLast();
    } catch (error) {
      throw storeFailure(error);
    } finally {
      this.pinned.close();
      this.closed = true;
      this.db.close();
      if (this.guard) leaveLog(this.db.name, this.guard);
      this.checkpointer?.close();
      this.sync.close();
    }
  }

  /** Counters live in memory, and a stop in good order keeps them for the next start. */
  private keepCounters(): void {
    const write = this.db.prepare(SQLITE_SYSTEM['write counter']);
    this.db.transaction(() => {
      this.db.exec(SQLITE_SYSTEM['clear counters']);
      for (const row of this.counters.snapshot(Date.now())) write.run(...row);
    })();
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
    this.checkpointer?.copy();
    if (this.queue.length === 0) return;
    const batch = this.queue.splice(0);
    try {
      this.batches.begin();
    } catch (error) {
      const failure = storeFailure(error);
      if (this.db.inTransaction) this.db.exec('ROLLBACK');
      this.beginLater(batch, failure);
      return;
    }
    this.busySince = null;
    let done: Finish[];
    let later = false;
    const { readers } = this;
    try {
      done = this.batches.run(batch);
      this.readers = false;
      later = this.batches.changed && this.sync.takesLong(readers, this.checkpointer?.syncs ?? false);
      if (later) this.pinned.pin();
      if (this.db.inTransaction) this.commit.run();
      if (this.batches.changed && !later) this.syncNow();
    } catch (error) {
      const failure = storeFailure(error);
      if (this.db.inTransaction) this.db.exec('ROLLBACK');
      this.pinned.unpin();
      for (const waiting of batch) waiting.reject(failure);
      return;
    } finally {
      this.memos.settle();
    }
    if (later) this.syncing = this.syncLater(batch, done);
    else {
      for (const finish of done) finish();
      if (this.batches.changed) this.checkpointer?.look();
    }
  }

  private rehearseNow(): void {
    this.batches.rehearse(this.rehearsals.splice(0));
    this.memos.settle();
  }

  /** Syncs what has been committed. Where the disk refuses, the process ends: a sync that succeeds later proves nothing. */
  private syncNow(): void {
    try {
      this.sync.now();
    } catch (error) {
      throw storeFailure(error);
    }
  }

  /** Tells those of a batch how it went once another thread has synced it. */
  private syncLater(batch: readonly Waiting[], done: readonly Finish[]): Promise<void> {
    return new Promise((resolve) =>
      this.sync.later((error) => {
        const failure = error && storeFailure(error);
        this.syncing = null;
        this.pinned.unpin();
        if (failure) for (const waiting of batch) waiting.reject(failure);
        else for (const finish of done) finish();
        this.checkpointer?.look();
        if (this.queue.length || this.rehearsals.length) this.schedule();
        resolve();
      }),
    );
  }

  /** What is remembered holds while nobody else has written: a transaction begins by looking. */
  private look(): void {
    const version = this.version.get();
    if (version === this.seen) return;
    if (this.shapeId.get() !== this.shape) throw MOVED_ON;
    this.seen = version;
    this.memos.forget();
  }

  /** Another process is writing: the batch waits its turn, and nothing else waits with it. */
  private beginLater(batch: Waiting[], error: unknown): void {
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
    prepared.pinned ??= this.pinned.prepare(prepared.sqlite);
    return readRows(prepared, prepared.pinned, args);
  }
}

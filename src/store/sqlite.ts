import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { jsonOf } from '../expression/json.ts';
import type { Row, Value } from '../expression/value.ts';
import type { Plan } from '../plan/step.ts';
import { Counters, type Taken } from './counters.ts';
import { type Memo, Memos, writtenTable } from './memo.ts';
import { registerFunctions } from './sqlite.functions.ts';
import { columnDecoders, SqliteWriter } from './sqlite.statements.ts';
import { SQLITE_SYSTEM } from './sqlite.system.ts';
import { openTables } from './sqlite.tables.ts';
import {
  type Argument,
  type Call,
  type Program,
  type Statement,
  type StatementSpec,
  type Store,
  StoreError,
} from './store.ts';

/** A statement with SQLite's own prepared one, and how its rows are turned into values. */
interface Prepared extends Statement {
  readonly sqlite: Database.Statement;
  readonly reads: boolean;
  /** Which arguments are UUIDs, stored as 16 bytes. */
  readonly blobs: readonly boolean[];
  readonly decode: ReturnType<typeof columnDecoders>;
  /** What it has given before, for a statement that is asked the same again and again. */
  readonly memo: Memo | null;
  /** The table that it writes. */
  readonly writes: string | null;
}

interface Waiting {
  readonly program: () => Program<unknown>;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** A request that outlives its document finds its store closed. */
const CLOSED = new StoreError('busy', 'The store has been closed.');

/** How long a write waits for another process (an operator's command) to finish its own, in milliseconds. */
const BUSY = 2000;

/**
 * The embedded store. Writes that arrive in one turn of the event loop run one after another in a single transaction,
 * each under its own savepoint, and are answered after the one commit; reads of one turn share one snapshot.
 */
export class SqliteStore implements Store {
  private readonly db: Database.Database;
  private readonly writer: SqliteWriter;
  /** SQLite's own statements by their text: many steps ask for the same one. */
  private readonly statements = new Map<string, Database.Statement>();
  private readonly queue: Waiting[] = [];
  private readonly memos = new Memos();
  /** What SQLite calls the state of the file: it is another when another connection has written. */
  private readonly version: Database.Statement;
  private seen: unknown = null;
  private counters = new Counters();
  private claimed = new Set<string>();
  /** Whether anything was counted here: an operator's command leaves the counts of a service alone. */
  private counted = false;
  private reading = false;
  private busySince: number | null = null;
  private scheduled = false;
  private readonly begin: Database.Statement;
  private readonly beginRead: Database.Statement;
  private readonly commit: Database.Statement;
  private readonly savepoint: Database.Statement;
  private readonly release: Database.Statement;
  private readonly undo: Database.Statement;
  private readonly rollback: Database.Statement;

  /**
   * Opens (or makes) the database at `path`, with a table for each resource of the plan.
   * Throws StoreError where it can't be opened, or holds tables of another shape.
   */
  constructor(path: string, plan: Plan) {
    if (path !== ':memory:') makePrivately(path);
    this.db = open(path);
    openTables(this.db, plan);
    // From here on a write that finds another process writing waits outside the event loop's way.
    this.db.pragma('busy_timeout = 0');
    this.writer = new SqliteWriter(plan);
    const kept = this.db.prepare(SQLITE_SYSTEM['read counters']).raw(true).all() as Array<
      [number, string, number, number]
    >;
    this.counters.restore(kept);
    this.version = this.db.prepare('PRAGMA data_version').pluck();
    this.begin = this.db.prepare('BEGIN IMMEDIATE');
    this.beginRead = this.db.prepare('BEGIN');
    this.commit = this.db.prepare('COMMIT');
    this.savepoint = this.db.prepare('SAVEPOINT request');
    this.release = this.db.prepare('RELEASE request');
    this.rollback = this.db.prepare('ROLLBACK');
    this.undo = this.db.prepare('ROLLBACK TO request');
  }

  prepare(spec: StatementSpec): Statement {
    const written = this.writer.write(spec);
    const sqlite = this.statements.get(written.sql) ?? this.db.prepare(written.sql);
    this.statements.set(written.sql, sqlite);
    const reads = sqlite.reader;
    if (reads) sqlite.raw(true);
    const prepared: Prepared = {
      spec,
      parameters: written.parameters,
      sqlite,
      reads,
      blobs: written.blobs,
      decode: written.columns && columnDecoders(written.columns),
      memo: written.reads ? this.memos.of(written.reads) : null,
      writes: writtenTable(written.sql),
    };
    return prepared;
  }

  read<T>(program: () => Program<T>): T {
    if (!this.db.open) throw CLOSED;
    if (!this.reading) {
      try {
        this.beginRead.run();
        this.look();
      } catch (error) {
        if (this.db.inTransaction) this.commit.run();
        throw storeError(error);
      }
      this.reading = true;
      this.schedule();
    }
    return this.drive(program());
  }

  write<T>(program: () => Program<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (!this.db.open) return reject(CLOSED);
      this.queue.push({ program, resolve, reject });
      this.schedule();
    });
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
    this.claimed = before.claimed;
  }

  async close(): Promise<void> {
    this.db.pragma(`busy_timeout = ${BUSY}`);
    while (this.queue.length || this.reading) this.turn();
    if (this.counted) this.keepCounters();
    this.db.close();
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
    if (!this.db.open) return;
    this.endReading();
    if (this.queue.length === 0) return;
    const batch = this.queue.splice(0);
    const done: Array<() => void> = [];
    try {
      this.begin.run();
      this.look();
    } catch (error) {
      if (this.db.inTransaction) this.db.exec('ROLLBACK');
      this.beginLater(batch, storeError(error));
      return;
    }
    this.busySince = null;
    try {
      if (batch.length === 1) this.runAlone(batch[0]!, done);
      else for (const waiting of batch) this.runOne(waiting, done);
      if (this.db.inTransaction) this.commit.run();
    } catch (error) {
      if (this.db.inTransaction) this.db.exec('ROLLBACK');
      for (const waiting of batch) waiting.reject(storeError(error));
      return;
    } finally {
      this.memos.settle();
    }
    for (const finish of done) finish();
  }

  /** What is remembered holds while nobody else has written: a transaction begins by looking. */
  private look(): void {
    const version = this.version.get();
    if (version === this.seen) return;
    this.seen = version;
    this.memos.forget();
  }

  /** Another process is writing: the batch waits its turn, and nothing else waits with it. */
  private beginLater(batch: Waiting[], error: unknown): void {
    this.busySince ??= Date.now();
    if (error instanceof StoreError && error.kind === 'busy' && Date.now() - this.busySince < BUSY) {
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

  /** Runs a program to its end: each call is answered at once. */
  private drive<T>(program: Program<T>): T {
    let step = program.next();
    while (!step.done) {
      let rows: Row[];
      try {
        rows = this.call(step.value);
      } catch (error) {
        step = program.throw(storeError(error));
        continue;
      }
      step = program.next(rows);
    }
    return step.value;
  }

  private call([statement, args]: Call): Row[] {
    const prepared = statement as Prepared;
    const { memo, writes } = prepared;
    if (writes !== null) this.memos.spoil(writes);
    if (memo === null) return execute(prepared, args);
    const known = memo.get(args[0]);
    if (known) return known;
    const rows = execute(prepared, args);
    if (this.memos.isSettled(memo)) memo.keep(args[0], rows);
    return rows;
  }

  /** Of a program that has the transaction to itself, nothing has to be kept apart. */
  private runAlone(waiting: Waiting, done: Array<() => void>): void {
    try {
      const value = this.drive(waiting.program());
      done.push(() => waiting.resolve(value as never));
    } catch (error) {
      if (!this.db.inTransaction) throw error;
      this.rollback.run();
      done.push(() => waiting.reject(error));
    }
  }

  private runOne(waiting: Waiting, done: Array<() => void>): void {
    this.savepoint.run();
    try {
      const value = this.drive(waiting.program());
      this.release.run();
      done.push(() => waiting.resolve(value as never));
    } catch (error) {
      // Some errors (a full disk) end the whole transaction: then nobody of this batch can be answered with success.
      if (!this.db.inTransaction) throw error;
      this.undo.run();
      this.release.run();
      done.push(() => waiting.reject(error));
    }
  }
}

/** The rows that SQLite gives, as values; for a statement that gives none, how many it has changed. */
function execute(prepared: Prepared, args: readonly Argument[]): Row[] {
  const bound = bind(args, prepared.blobs);
  if (!prepared.reads) return [[prepared.sqlite.run(...bound).changes]];
  const rows = prepared.sqlite.all(...bound) as Row[];
  const { decode } = prepared;
  if (decode)
    for (const row of rows) for (const { at, value } of decode) if (row[at] !== null) row[at] = value(row[at]);
  return rows;
}

export function bind(args: readonly Argument[], blobs: readonly boolean[]): unknown[] {
  const out = new Array<unknown>(args.length);
  for (let i = 0; i < args.length; i++) {
    const value = args[i];
    if (typeof value === 'string') out[i] = blobs[i] ? uuidBytes(value) : value;
    // The driver binds numbers as REAL, and REAL divides and prints otherwise than INTEGER.
    else if (typeof value === 'number') out[i] = BigInt(value);
    else if (typeof value === 'boolean') out[i] = value ? 1 : 0;
    else out[i] = Array.isArray(value) || value instanceof Map ? jsonOf(value as Value) : value;
  }
  return out;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A UUID's text as its 16 bytes; text that is not one matches nothing. */
export function uuidBytes(text: string): Buffer | null {
  return UUID.test(text) ? Buffer.from(text.replaceAll('-', ''), 'hex') : null;
}

/** Webhook secrets are in the file, so that it is its owner’s alone; SQLite gives its other files the same mode. */
function makePrivately(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
}

export function open(path: string): Database.Database {
  try {
    const db = new Database(path, { timeout: BUSY });
    db.pragma('journal_mode = WAL');
    // The driver's own default in WAL is NORMAL, which loses acknowledged commits when the power fails.
    db.pragma('synchronous = FULL');
    // Pages that are written again and again go into the file once for each checkpoint: in 16 MiB there are more of them.
    db.pragma('wal_autocheckpoint = 4000');
    // A batch of writes fits into 16 MB: what doesn’t is written twice, in the transaction and at its end.
    db.pragma('cache_size = -16000');
    db.pragma('foreign_keys = ON');
    db.pragma('trusted_schema = OFF');
    registerFunctions(db);
    return db;
  } catch (error) {
    throw storeError(error);
  }
}

/** Says what kind of failure SQLite met; anything that isn't SQLite's passes through. */
export function storeError(error: unknown): unknown {
  const code = (error as { code?: unknown }).code;
  if (error instanceof StoreError || typeof code !== 'string') return error;
  const { message } = error as Error;
  if (code.startsWith('SQLITE_CONSTRAINT')) return new StoreError('constraint', message);
  if (code === 'SQLITE_FULL') return new StoreError('full', message);
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return new StoreError('busy', message);
  return code.startsWith('SQLITE_') || code.startsWith('E') ? new StoreError('failed', message) : error;
}

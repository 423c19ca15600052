import { setImmediate } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import type { Row } from '../../expression/values/value.ts';
import { type Call, call, PAUSE, type Program, type Snapshot, StoreError } from '../store.ts';
import { bind, decoded, type Prepared, readRows } from './call.ts';
import { openDatabase, storeFailure } from './open.ts';

/** How long the rows of one piece may block the event loop, in milliseconds. */
const PIECE_MS = 5;

/**
 * A connection of its own that reads one state of the database for as long as a client receives its rows. The log keeps
 * the pages of later commits meanwhile: SQLite copies them into the database once no reader needs the earlier ones.
 */
class SqliteSnapshot<T> implements Snapshot<T> {
  readonly value: T;
  private readonly connection: Database.Database;
  private readonly prepared: Prepared;
  private readonly rows: IterableIterator<Row>;
  private readonly closed: () => void;

  /** Runs a program on the present state, which has to be durable. `closed` is called once the snapshot has ended. */
  constructor(path: string, program: Program<T>, callOf: (value: T) => Call, closed: () => void) {
    this.connection = openDatabase(path);
    this.closed = closed;
    try {
      this.connection.prepare('BEGIN').run();
      this.value = this.drive(program);
      const [statement, args] = callOf(this.value);
      this.prepared = statement as Prepared;
      const { sqlite, blobs } = this.prepared;
      this.rows = this.own(sqlite).iterate(...bind(args, blobs)) as IterableIterator<Row>;
    } catch (error) {
      this.connection.close();
      throw storeFailure(error);
    }
  }

  private own(sqlite: Database.Statement): Database.Statement {
    return this.connection.prepare(sqlite.source).raw(true);
  }

  private drive(program: Program<T>): T {
    let step = program.next();
    while (!step.done) {
      const [statement, args] = step.value;
      const prepared = statement as Prepared;
      step = program.next(step.value === PAUSE ? [] : readRows(prepared, this.own(prepared.sqlite), args));
    }
    return step.value;
  }

  async next(most: number): Promise<Row[]> {
    // Other requests come first.
    await setImmediate();
    if (!this.connection.open) throw ENDED;
    const until = performance.now() + PIECE_MS;
    const out: Row[] = [];
    try {
      while (out.length < most && (out.length === 0 || performance.now() < until)) {
        const { value, done } = this.rows.next();
        if (done) break;
        out.push(value);
      }
    } catch (error) {
      throw storeFailure(error);
    }
    return decoded(this.prepared, out);
  }

  close(): void {
    if (!this.connection.open) return;
    this.rows.return?.();
    this.connection.close();
    this.closed();
  }
}

/** The open snapshots of a store. */
export class Snapshots {
  private readonly open = new Set<SqliteSnapshot<unknown>>();

  /** Runs a program on the present state, which has to be durable. */
  take<T>(path: string, program: Program<T>, callOf: (value: T) => Call): Snapshot<T> {
    const made: SqliteSnapshot<T> = new SqliteSnapshot(path, program, callOf, () => this.open.delete(made));
    this.open.add(made);
    return made;
  }

  close(): void {
    for (const one of this.open) one.close();
  }
}

/** The state of a database in memory, which only its own connection can read: all rows are read at once. */
export function* inMemory<T>(program: Program<T>, callOf: (value: T) => Call): Program<Snapshot<T>> {
  const value = yield* program;
  const rows = [...(yield* call(...callOf(value)))];
  return { value, next: async (most) => rows.splice(0, most), close: () => {} };
}

const ENDED = new StoreError('busy', 'The snapshot was closed before all its rows had been read.');

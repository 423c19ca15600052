import { setImmediate } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import type { Row } from '../../expression/values/value.ts';
import { getOrMake } from '../../text/lists.ts';
import { type Call, PAUSE, type Program, StoreError } from '../store.ts';
import { type Prepared, readRows } from './call.ts';
import { openDatabase, storeFailure } from './open.ts';

/** How long a piece of a program may block the event loop, in milliseconds. */
const PIECE_MS = 10;
/** The most programs that run at the same time, each on a connection of its own. */
const AT_ONCE = 4;

/** Runs programs that read for long in pieces, each on one state of the database, so that other requests come between. */
export class LongReads {
  private readonly running = new Set<Promise<unknown>>();
  private readonly waiting: Array<() => void> = [];
  private closed = false;

  /** Runs a program from its start. `durable` resolves once the state that it would read is durable. */
  async read<T>(path: string, program: () => Program<T>, durable: () => Promise<void>): Promise<T> {
    while (this.running.size >= AT_ONCE) await new Promise<void>((resolve) => this.waiting.push(resolve));
    const run = durable().then(() => this.onOwn(path, program));
    this.running.add(run);
    try {
      return await run;
    } finally {
      this.running.delete(run);
      this.waiting.shift()?.();
    }
  }

  /** Makes programs fail at their next piece. Resolves once all their connections are closed. */
  async close(): Promise<void> {
    this.closed = true;
    while (this.running.size > 0) await Promise.allSettled(this.running);
  }

  private async onOwn<T>(path: string, program: () => Program<T>): Promise<T> {
    // The program has already run for a piece, on the connection of the service.
    await setImmediate();
    if (this.closed) throw ENDED;
    const connection = openDatabase(path);
    const running = program();
    try {
      connection.prepare('BEGIN').run();
      return await this.inPieces(running, connection);
    } finally {
      running.return(undefined as never);
      connection.close();
    }
  }

  private async inPieces<T>(program: Program<T>, connection: Database.Database): Promise<T> {
    const own = new Map<Prepared, Database.Statement>();
    const prepare = ({ sqlite }: Prepared): Database.Statement => connection.prepare(sqlite.source).raw(true);
    const rowsOf = ([statement, args]: Call): Row[] => {
      const prepared = statement as Prepared;
      return readRows(
        prepared,
        getOrMake(own, prepared, () => prepare(prepared)),
        args,
      );
    };
    let until = performance.now() + PIECE_MS;
    let step = program.next();
    while (!step.done) {
      if (step.value === PAUSE) {
        if (performance.now() > until) {
          await setImmediate();
          if (this.closed) throw ENDED;
          until = performance.now() + PIECE_MS;
        }
        step = program.next([]);
        continue;
      }
      let rows: Row[];
      try {
        rows = rowsOf(step.value);
      } catch (error) {
        step = program.throw(storeFailure(error));
        continue;
      }
      step = program.next(rows);
    }
    return step.value;
  }
}

const ENDED = new StoreError('busy', 'The store was closed before all rows had been read.');

import { setImmediate } from 'node:timers/promises';
import type { Row } from '../../expression/values/value.ts';
import { type Memo, Memos } from '../memo.ts';
import { type Argument, type Call, type Change, PAUSE, type Program } from '../store.ts';
import { changeRows, type Prepared, readRows } from './call.ts';
import type { Durability } from './durability.ts';
import { storeFailure } from './open.ts';

/** How long a transaction may keep the event loop at a time, in milliseconds. */
const PIECE_MS = 10;

/**
 * Number of calls after which a program checks the clock. Most programs make fewer calls: a busy machine may suspend
 * the process for longer than a piece may take, and a short program would be restarted for that reason.
 */
const CALLS_PER_LOOK = 16;

const NO_ROWS: Row[] = [];

/** A program that has kept the event loop for long and has not ended, with the call that it makes next. */
export class Unfinished {
  readonly program: Program<unknown>;
  readonly next: IteratorYieldResult<Call>;

  constructor(program: Program<unknown>, next: IteratorYieldResult<Call>) {
    this.program = program;
    this.next = next;
  }

  /** Ends the program where it is, so that it can be begun anew. */
  abandon(): void {
    this.program.return(undefined);
  }
}

/** Runs programs on the connections of a store. */
export class Driver {
  /** Whether the programs of the transaction under way have changed something. */
  changed = false;
  /** Whether a reader has read rows since the latest batch of writes. Reads of the writes themselves do not count. */
  readers = false;
  private readonly memos = new Memos();
  private readonly durability: Pick<Durability, 'durable' | 'pins'>;
  /** Whether the program that runs reads what was there before a transaction that has not ended. */
  private readsPinned = false;

  constructor(durability: Pick<Durability, 'durable' | 'pins'>) {
    this.durability = durability;
  }

  memoOf(tables: readonly string[]): Memo {
    return this.memos.of(tables);
  }

  /** The transaction under way has ended. */
  settle(): void {
    this.memos.settle();
  }

  /** Another process has written. */
  forget(): void {
    this.memos.forget();
  }

  /** Runs a program to its end: each call is answered at once. */
  drive<T>(program: Program<T>): T {
    let step = program.next();
    while (!step.done) step = this.answer(program, step.value);
    return step.value;
  }

  /** Runs a program that reads what was there before the transaction that has not ended. */
  drivePinned<T>(program: Program<T>): T {
    this.readsPinned = true;
    try {
      return this.drive(program);
    } finally {
      this.readsPinned = false;
    }
  }

  /** Runs a program that may write; throws it as `Unfinished` where it takes long, and others can read meanwhile. */
  drivePiece<T>(program: Program<T>, from: IteratorResult<Call, T> = program.next()): T {
    const until = this.durability.pins ? performance.now() + PIECE_MS : Number.POSITIVE_INFINITY;
    const { readers } = this;
    let step = from;
    try {
      for (let calls = 1; !step.done; calls++) {
        const pauses = step.value === PAUSE || calls % CALLS_PER_LOOK === 0;
        step = this.answer(program, step.value);
        if (pauses && !step.done && performance.now() > until) throw new Unfinished(program, step);
      }
      return step.value;
    } finally {
      this.readers = readers;
    }
  }

  /** Runs the rest of a program, and lets the event loop go on before each piece, for as long as its change is waited for. */
  async drivePieces(unfinished: Unfinished, change: Change | null): Promise<unknown> {
    for (let rest = unfinished; ; ) {
      await setImmediate();
      if (change?.givenUp) rest.abandon();
      change?.mustBeWaitedFor();
      try {
        return this.drivePiece(rest.program, rest.next);
      } catch (error) {
        if (!(error instanceof Unfinished)) throw error;
        rest = error;
      }
    }
  }

  private answer<T>(program: Program<T>, call: Call): IteratorResult<Call, T> {
    if (call === PAUSE) return program.next(NO_ROWS);
    let rows: Row[];
    try {
      rows = this.call(call);
    } catch (error) {
      return program.throw(storeFailure(error));
    }
    return program.next(rows);
  }

  private call([statement, args]: Call): Row[] {
    const prepared = statement as Prepared;
    const { memo, writes } = prepared;
    if (writes !== null) {
      this.memos.spoil(writes);
      const given = changeRows(prepared, args);
      this.changed = true;
      return given;
    }
    if (memo === null) return this.select(prepared, args);
    const known = memo.get(args[0]);
    if (known) return known;
    const rows = this.select(prepared, args);
    // The state before a commit is gone after it.
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

import { setImmediate } from 'node:timers/promises';
import type { Row } from '../../expression/values/value.ts';
import { type Memo, Memos } from '../memo.ts';
import { type Argument, type Call, type Change, PAUSE, type Program } from '../store.ts';
import { changeRows, type Prepared, readRows } from './call.ts';
import type { Durability } from './durability.ts';
import { storeFailure } from './open.ts';

/** How long a piece of a transaction may block the event loop, in milliseconds. */
const PIECE_MS = 10;

/**
 * Number of calls after which a program checks the clock. Most programs make fewer calls: a busy machine may suspend
 * the process for longer than a piece may take, and a short program would be restarted for that reason.
 */
const CALLS_PER_LOOK = 16;

const NO_ROWS: Row[] = [];

/** A program that has blocked the event loop for too long, with its next call. */
export class Unfinished {
  readonly program: Program<unknown>;
  readonly next: IteratorYieldResult<Call>;

  constructor(program: Program<unknown>, next: IteratorYieldResult<Call>) {
    this.program = program;
    this.next = next;
  }

  /** Ends the program, so that it can be run again. */
  abandon(): void {
    this.program.return(undefined);
  }
}

/** Runs programs on the connections of a store. */
export class Driver {
  /** Whether programs of the current transaction have changed something. */
  changed = false;
  /** Whether a reader has read rows since the latest batch of writes. Reads of the writes themselves do not count. */
  readers = false;
  private readonly memos = new Memos();
  private readonly durability: Pick<Durability, 'durable' | 'pins'>;
  /** Whether the current program reads the state before a transaction that has not ended. */
  private readsPinned = false;

  constructor(durability: Pick<Durability, 'durable' | 'pins'>) {
    this.durability = durability;
  }

  memoOf(tables: readonly string[]): Memo {
    return this.memos.of(tables);
  }

  /** To be called when the transaction has ended. */
  settle(): void {
    this.memos.settle();
  }

  /** To be called when another process has written. */
  forget(): void {
    this.memos.forget();
  }

  /** Runs a program to its end; each call has its result at once. */
  drive<T>(program: Program<T>): T {
    let step = program.next();
    while (!step.done) step = this.answer(program, step.value);
    return step.value;
  }

  /**
   * Runs a program that reads. Throws `Unfinished` where it takes long, and another connection can run it in pieces from
   * its start.
   */
  driveRead<T>(program: Program<T>): T {
    const begun = this.durability.pins ? performance.now() : Number.POSITIVE_INFINITY;
    let step = program.next();
    while (!step.done) {
      const pauses = step.value === PAUSE;
      step = this.answer(program, step.value);
      if (pauses && !step.done && performance.now() - begun > PIECE_MS) throw new Unfinished(program, step);
    }
    return step.value;
  }

  /** Runs a program that reads the state before the transaction that has not ended. */
  drivePinned<T>(program: Program<T>): T {
    this.readsPinned = true;
    try {
      return this.driveRead(program);
    } finally {
      this.readsPinned = false;
    }
  }

  /** Runs a program that may write. Throws `Unfinished` where it takes long and readers could read meanwhile. */
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

  /**
   * Runs the rest of a program in pieces, between which the event loop runs, until the end or until its change is given
   * up.
   */
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
    // Memos hold the present state only, and not the pinned one.
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

import type { Row } from '../../expression/values/value.ts';
import { type Call, type Program, type Statement, StoreError } from '../store.ts';
import type { Link, Query, QueryResult } from './connections.ts';
import { failureOf, stateOf } from './errors.ts';
import { bound } from './values.ts';

/** A statement with how PostgreSQL is asked it. */
export interface Prepared extends Statement {
  readonly name: string;
  readonly text: string;
  readonly uuids: readonly boolean[];
  /** Makes whole rows of what comes back; null where they are. */
  readonly widen: ((values: Row) => Row) | null;
  /** True where nothing comes back but how many rows were changed: one, as a rule. */
  readonly changesOne: boolean;
  /** True where that one is added, which it is or the statement fails. */
  readonly adds: boolean;
  /** True where a program that begins with it has been seen to go on: it is given a transaction at once. */
  leads: boolean;
}

/** A program has to be run again from its start: carefully where it counted on what did not come to be. */
export class Again extends Error {
  readonly carefully: boolean;

  constructor(carefully: boolean) {
    super('To be run again');
    this.carefully = carefully;
  }
}

/** A statement has been prepared that calls what the database has not been given yet. */
export class Unfurnished extends Error {}

/** The connection was lost. */
export class Lost extends Error {
  /** True where the server was there to say so, or nothing had been sent: what comes after was not done. */
  readonly told: boolean;

  constructor(told: boolean) {
    super('The connection was lost');
    this.told = told;
  }
}

export const READ = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
export const WRITE = 'BEGIN ISOLATION LEVEL SERIALIZABLE';
/** What is undone at its end, whatever it has come to. */
export const REHEARSAL = 'BEGIN ISOLATION LEVEL REPEATABLE READ';

export type Begin = typeof READ | typeof WRITE | typeof REHEARSAL;

/** What one statement is sent as. */
export const sentOf = ({ name, text, uuids }: Prepared, args: Call[1]): Query => ({
  name,
  text,
  values: bound(args, uuids),
});

/** What a program is handed for what a statement has given. */
export function rowsOf(prepared: Prepared, given: QueryResult): Row[] {
  if (given.rows.length === 0 && given.command !== 'SELECT' && prepared.changesOne) return [[given.count]];
  const rows = given.rows as Row[];
  return prepared.widen ? rows.map(prepared.widen) : rows;
}

/** An error of a statement, as what has to be done about it. */
export function toldOf(error: unknown): unknown {
  const failure = failureOf(error);
  if (failure === 'again') return new Again(false);
  if (failure === 'ended') return new Lost(true);
  return failure === 'lost' ? new Lost(stateOf(error) !== null) : failure;
}

/**
 * Runs one program in a transaction. What only changes rows is not waited for: it is taken to have done so, what is
 * asked next follows at once, and all is looked at before the program is given anything that depends on it, or ends.
 * Where one of them did otherwise, the program is run again `careful`ly: each change under a savepoint and waited for,
 * so that a broken constraint is thrown into the program that broke it.
 */
export class Transaction {
  private readonly link: Link;
  private readonly begin: Begin;
  private readonly careful: boolean;
  private readonly furnished: () => void;
  private readonly sent: Array<{ readonly prepared: Prepared | null; readonly given: Promise<QueryResult> }> = [];
  /** True once COMMIT is on its way: whether it has been done is then not known until it is said. */
  committing = false;
  /** True where events for the stream have been recorded: they have no place there before they are committed. */
  streamed = false;

  /** `furnished` throws where the database lacks what a statement calls. */
  constructor(link: Link, begin: Begin, careful: boolean, furnished: () => void) {
    this.link = link;
    this.furnished = furnished;
    this.begin = begin;
    this.careful = careful;
    this.plain(begin);
  }

  /** Runs a program to its end and commits. */
  async run<T>(program: Program<T>): Promise<T> {
    let step: IteratorResult<Call, T>;
    try {
      step = program.next();
      while (!step.done) {
        let rows: Row[] | Promise<Row[]>;
        try {
          rows = this.call(step.value);
          if (rows instanceof Promise) rows = await rows;
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
          step = program.throw(error);
          continue;
        }
        step = program.next(rows);
      }
    } catch (error) {
      // What was sent before comes first: the program may have gone on from what did not come to be.
      await this.settled();
      throw error;
    }
    await this.commit();
    return step.value;
  }

  private call([statement, args]: Call): Row[] | Promise<Row[]> {
    const prepared = statement as Prepared;
    this.furnished();
    this.streamed ||= prepared.spec.kind === 'system' && prepared.spec.name === 'insert streamed';
    if (!prepared.changesOne) return this.asked(prepared, args);
    if (this.careful) return this.carefully(prepared, args);
    this.sent.push({ prepared, given: this.link.send(sentOf(prepared, args)) });
    return [[1]];
  }

  private async asked(prepared: Prepared, args: Call[1]): Promise<Row[]> {
    const given = this.link.send(sentOf(prepared, args));
    await this.settled();
    try {
      return rowsOf(prepared, await given);
    } catch (error) {
      throw toldOf(error);
    }
  }

  private async carefully(prepared: Prepared, args: Call[1]): Promise<Row[]> {
    this.plain('SAVEPOINT change');
    const given = this.link.send(sentOf(prepared, args));
    await this.settled();
    try {
      const rows = rowsOf(prepared, await given);
      this.plain('RELEASE SAVEPOINT change');
      return rows;
    } catch (error) {
      const told = toldOf(error);
      if (told instanceof StoreError && told.kind === 'constraint') this.plain('ROLLBACK TO SAVEPOINT change');
      throw told;
    }
  }

  private plain(text: string): void {
    this.sent.push({ prepared: null, given: this.link.send({ text }) });
  }

  /** Waits for all that was sent and not waited for; throws what the first that failed asks for. */
  private async settled(): Promise<void> {
    for (const { prepared, given } of this.sent.splice(0)) {
      let count: number;
      try {
        ({ count } = await given);
      } catch (error) {
        const told = toldOf(error);
        throw told instanceof StoreError && told.kind === 'constraint' ? new Again(true) : told;
      }
      if (prepared && count !== 1) throw new Again(true);
    }
  }

  private async commit(): Promise<void> {
    if (this.begin === REHEARSAL) {
      await this.settled();
      void this.link.send({ text: 'ROLLBACK' });
      return;
    }
    if (this.begin === READ) {
      // What has been read is read, whatever becomes of the end of it: nobody waits for that.
      await this.settled();
      void this.link.send({ text: 'COMMIT' });
      return;
    }
    // Of what only adds rows, nothing can have done less than it says without failing: COMMIT follows at once.
    const adds = this.sent.every(({ prepared }) => prepared === null || prepared.adds);
    if (!adds) await this.settled();
    this.committing = true;
    const last = this.link.send({ text: 'COMMIT' });
    if (adds) {
      try {
        await this.settled();
      } catch (error) {
        // A transaction in which something has failed is rolled back by its COMMIT.
        await last.catch(() => {});
        this.committing = error instanceof Lost && !error.told;
        throw error;
      }
    }
    let done: QueryResult;
    try {
      done = await last;
    } catch (error) {
      // A session that has ended before it came has not done it; one that was lost under it may have.
      this.committing = failureOf(error) === 'lost';
      throw toldOf(error);
    }
    this.committing = false;
    if (done.command !== 'COMMIT') throw new Again(true);
  }
}

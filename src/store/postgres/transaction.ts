import { setImmediate } from 'node:timers/promises';
import type { Row } from '../../expression/values/value.ts';
import {
  type Argument,
  type Call,
  type Change,
  PAUSE,
  type Program,
  type Statement,
  type StatementSpec,
  StoreError,
} from '../store.ts';
import type { SystemStatement } from '../system.ts';
import { quoted, tableName } from '../tables.ts';
import { COMMIT, type Link, type Query, type QueryResult, STATEMENT, STUCK } from './connections.ts';
import { failureOf, stateOf } from './errors.ts';
import type { Need } from './row-locks.ts';
import { bound } from './values.ts';

/** A statement, with its text and name in PostgreSQL. */
export interface Prepared extends Statement {
  readonly name: string;
  readonly text: string;
  readonly uuids: readonly boolean[];
  /** Converts results to whole rows; null where results are whole rows. */
  readonly widen: ((values: Row) => Row) | null;
  /** True if the result is only the number of changed rows, which normally is 1. */
  readonly changesOne: boolean;
  /** True if the statement either adds one row or fails. */
  readonly adds: boolean;
  /** The statement in a form that fails where it changes no row; null where it has none, or always does. */
  readonly sure: Pick<Prepared, 'name' | 'text'> | null;
  /** The needs of the statement where changes lock rows; and, if it locks some, its text there. */
  readonly need: Need;
  readonly locking: Pick<Prepared, 'name' | 'text'> | null;
  /** True if programs that begin with this statement have had a second one: they get a transaction at once. */
  leads: boolean;
}

/** A program has to be run again from its start: carefully if an assumed result was wrong. */
export class Again extends Error {
  readonly carefully: boolean;

  constructor(carefully: boolean) {
    super('To be run again');
    this.carefully = carefully;
  }
}

/** A statement calls functions that have not been created yet. */
export class Unfurnished extends Error {}

/** A program has to be run again while no other change runs. */
export class Alone extends Error {}

/** The connection was lost. */
export class Lost extends Error {
  /** True if the server ended the session itself, or nothing had been sent: later statements had no effect. */
  readonly told: boolean;

  constructor(told: boolean) {
    super('The connection was lost');
    this.told = told;
  }

  get failure(): StoreError {
    return new StoreError('busy', 'The database cannot be reached.');
  }
}

/** The server accepts no changes, as a standby does: the statement had no effect. */
export class ReadOnly extends Error {
  readonly failure = new StoreError('busy', 'The database server accepts no changes.');

  constructor() {
    super('The server takes no changes');
  }
}

export const READ = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
/** Begins a transaction that is rolled back at its end, whatever its result is. */
const REHEARSAL = 'BEGIN ISOLATION LEVEL REPEATABLE READ';

/**
 * The transactions of changes, and how they keep apart. Changes of a kind run beside each other, but not beside those of
 * another kind, which would not see what they read: the table that they lock has no rows and nothing else locks it.
 */
const CHANGES = {
  serializable: ['SERIALIZABLE', 'ROW EXCLUSIVE'],
  /** Each row that is read is locked, so that every statement may see the latest state. */
  locking: ['READ COMMITTED', 'SHARE'],
  alone: ['REPEATABLE READ', 'EXCLUSIVE'],
} as const;

export type ChangeKind = keyof typeof CHANGES;

/**
 * The statements that begin a change. `again`: the change would be made again, with the same result, if a failover lost
 * it, such as a timed move. Its commit waits for no standby. The commit of a later statement that acts on the change, such
 * as the lease of a delivery, waits for both.
 */
export function beginning(kind: ChangeKind, again: boolean): Begin {
  const [level, lock] = CHANGES[kind];
  const begun = [`BEGIN ISOLATION LEVEL ${level}`, `LOCK TABLE ninefold_gate IN ${lock} MODE`];
  if (again) begun.push('SET LOCAL synchronous_commit = local');
  return { texts: begun, locks: kind === 'locking' };
}

/** The statements that begin a transaction, and whether it locks the rows that it reads. */
interface Begin {
  readonly texts: readonly string[];
  readonly locks: boolean;
}

export const READING: Begin = { texts: [READ], locks: false };
export const REHEARSING: Begin = { texts: [REHEARSAL], locks: false };

/** PostgreSQL has committed a change that may not have reached a standby: a failover would lose the change. */
export const UNREPLICATED = new StoreError(
  'failed',
  'PostgreSQL warned that a commit might not have been replicated to the standby: a failover would lose the change.',
);

/** The query of one statement. */
export const sentOf = ({ name, text, uuids }: Pick<Prepared, 'name' | 'text' | 'uuids'>, args: Call[1]): Query => ({
  name,
  text,
  values: bound(args, uuids),
});

/** Converts the result of a statement to the rows that a program receives. */
export function rowsOf(prepared: Prepared, given: QueryResult): Row[] {
  if (given.rows.length === 0 && given.command !== 'SELECT' && prepared.changesOne) return [[given.count]];
  const rows = given.rows as Row[];
  return prepared.widen ? rows.map(prepared.widen) : rows;
}

/** Converts an error of a statement to one that says what has to be done. */
export function toldOf(error: unknown): unknown {
  if (error instanceof ReadOnly) return error;
  const failure = failureOf(error);
  if (failure === 'again') return new Again(false);
  if (failure === 'read-only') return new ReadOnly();
  if (failure === 'ended') return new Lost(true);
  return failure === 'lost' ? new Lost(stateOf(error) !== null) : failure;
}

/** The largest number of changes that are sent without waiting for results, which bounds the memory of both sides. */
const MOST_SENT = 256;

const ADDS_DELIVERIES: ReadonlySet<SystemStatement> = new Set<SystemStatement>([
  'insert delivery',
  'insert deliveries',
]);

/** SQLSTATE of a division by zero: a change in its `sure` form has changed no row. */
const CHANGED_NONE = '22012';

/** How long a program may keep the event loop, in milliseconds. */
const PIECE_MS = 10;

/**
 * A node with much other work may take more than two seconds to read the rows of a statement: the idle limit of its
 * session is raised meanwhile.
 */
const LEFT_ALONE_LONGER = "SET LOCAL idle_in_transaction_session_timeout = '30s'";

/** A second for the change itself to end first; and the greatest number of milliseconds that PostgreSQL takes. */
const LATER_MS = 1000;
const LONGEST_MS = 2 ** 31 - 1;

/** Raises the time of each statement of a transaction. A lower limit of the operator stays. */
const patientFor = (milliseconds: number): string =>
  `SELECT set_config('statement_timeout', '${Math.min(milliseconds + LATER_MS, LONGEST_MS)}', true)
    FROM pg_settings WHERE name = 'statement_timeout' AND setting = '${STATEMENT}'`;

/** The kinds of statements that only read; one of the service’s own may change something. */
const READS: ReadonlySet<StatementSpec['kind']> = new Set<StatementSpec['kind']>([
  'select',
  'row',
  'rows',
  'by key',
  'value',
  'shown',
  'taken',
  'count',
  'groups',
  'pointing',
  'pointing count',
  'credential',
]);

/** The service’s own changes after which its own reads give the same rows as before. */
const TOUCHES_NONE: ReadonlySet<SystemStatement> = new Set<SystemStatement>([
  'insert event at',
  'insert streamed',
  'insert delivery',
  'keep answer',
]);

/** Whether a read gives the same after a change: of rows, the service’s own tables are no part. */
const isUntouched = (read: StatementSpec, change: StatementSpec): boolean =>
  read.kind === 'system' && (change.kind !== 'system' || TOUCHES_NONE.has(change.name));

const KEEPS_ANSWER: ReadonlySet<SystemStatement> = new Set<SystemStatement>(['drop answer', 'keep answer']);

/** Whether a statement may follow where a row was missed: it changes no row, and only keeps the answer that says so. */
const isHarmless = (spec: StatementSpec): boolean =>
  READS.has(spec.kind) || (spec.kind === 'system' && KEEPS_ANSWER.has(spec.name));

const areSame = (one: Call[1], other: Call[1]): boolean => {
  const isEqual = (value: Argument, i: number): boolean => {
    const against = other[i]!;
    return Buffer.isBuffer(value) ? Buffer.isBuffer(against) && value.equals(against) : value === against;
  };
  return one.length === other.length && one.every(isEqual);
};

/** Whether a statement may return any number of rows, all of which are read. */
const givesMany = ({ kind, ...spec }: StatementSpec): boolean =>
  kind === 'pointing' || ('limit' in spec && spec.order !== null && !spec.limit && !spec.any && !spec.only);

/**
 * Runs one program in a transaction. After a statement that only changes rows, the next one is sent at once, as if the
 * change had succeeded. All results are checked before the program receives a result that depends on the changes, and
 * before its end. If a change did not have the expected result, the program is run again `careful`ly: each change is
 * made under a savepoint and awaited, so that the program gets the error of the constraint that it violates.
 */
export class Transaction {
  readonly link: Link;
  private readonly begin: Begin;
  private readonly careful: boolean;
  private readonly furnished: () => void;
  /** The progress of the change: no COMMIT is sent once the change is given up. */
  readonly change: Change;
  /** The time at which the event loop last ran, as far as this is known. */
  private paused = performance.now();
  private leftAloneLonger = false;
  /**
   * The tables that the program uses, if it reads any number of rows: its resources’ tables, and the deliveries that it
   * adds. A new delivery depends on earlier ones, which the dispatchers of all nodes change.
   */
  readonly tables = new Set<string>();
  /** Calls that the program has told of, in their order, which were sent before it made them. */
  private early: Array<{ readonly call: Call; readonly given: Promise<QueryResult> }> = [];
  private readonly sent: Array<{ readonly prepared: Prepared | null; readonly given: Promise<QueryResult> }> = [];
  /** True if the transaction may hold the claim of a key, which its next run or another transaction of its request needs. */
  claims = false;
  /** Whether a row that the program looked for was not there, so that another change may add it meanwhile. */
  private missed = false;
  /** True if events have been recorded for the stream: they get their place after the commit. */
  streamed = false;

  /** `furnished` throws if a statement calls functions that have not been created. */
  constructor(link: Link, begin: Begin, careful: boolean, change: Change, furnished: () => void) {
    this.link = link;
    this.change = change;
    change.stage = 'open';
    this.furnished = furnished;
    this.begin = begin;
    this.careful = careful;
    for (const text of begin.texts) this.plain(text);
    if (change.patience > STATEMENT) {
      link.stuckMs = change.patience + STUCK;
      this.plain(patientFor(change.patience));
    }
  }

  /** Locks tables against changes by others, before the transaction reads: others can still read them. */
  lock(tables: Iterable<string>): void {
    this.plain(`LOCK TABLE ${[...tables].sort().map(quoted).join(', ')} IN EXCLUSIVE MODE`);
  }

  /** Runs a program to its end and commits. */
  async run<T>(program: Program<T>): Promise<T> {
    let step: IteratorResult<Call, T>;
    try {
      step = program.next();
      while (!step.done) {
        let rows: Row[] | Promise<Row[]>;
        try {
          rows = step.value === PAUSE ? this.pause() : this.call(step.value);
          if (rows instanceof Promise) {
            rows = await rows;
            this.paused = performance.now();
          } else if (this.sent.length >= MOST_SENT) await this.settled();
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
          step = program.throw(error);
          continue;
        }
        step = program.next(rows);
      }
    } catch (error) {
      // Errors of earlier statements come first: the program may have thrown because it assumed that they had
      // succeeded.
      await this.settled();
      throw error;
    }
    await this.commit();
    return step.value;
  }

  /** During a long computation, pending statements are sent and awaited, since the server ends an idle session. */
  private async pause(): Promise<Row[]> {
    if (performance.now() - this.paused > PIECE_MS) await (this.sent.length ? this.settled() : setImmediate());
    return [];
  }

  private noteTable(spec: StatementSpec): void {
    if ('resource' in spec) this.tables.add(tableName(spec.resource));
    else if (spec.kind === 'system' && ADDS_DELIVERIES.has(spec.name)) this.tables.add('ninefold_delivery');
  }

  private call([statement, args]: Call): Row[] | Promise<Row[]> {
    const prepared = statement as Prepared;
    this.furnished();
    this.change.mustBeWaitedFor();
    if (prepared.spec.kind === 'ahead') return this.sendAhead(prepared.spec.calls);
    if (this.missed && !isHarmless(prepared.spec)) throw new Alone();
    this.streamed ||= prepared.spec.kind === 'system' && prepared.spec.name === 'insert streamed';
    if (!this.leftAloneLonger && this.begin !== READING && givesMany(prepared.spec)) {
      this.leftAloneLonger = true;
      this.plain(LEFT_ALONE_LONGER);
    }
    if (this.leftAloneLonger) this.noteTable(prepared.spec);
    if (!prepared.changesOne) return this.asked(prepared, args);
    if (this.begin.locks && prepared.need === 'alone') throw new Alone();
    this.forgetAfter(prepared);
    if (this.careful) return this.carefully(prepared, args);
    const sent = prepared.sure ? { ...prepared.sure, uuids: prepared.uuids } : prepared;
    this.sent.push({ prepared, given: this.link.sendInGroup(sentOf(sent, args)) });
    return [[1]];
  }

  /**
   * Sends the calls that follow. A run after an unexpected result sends each call by itself: an error of one that is not made
   * would end the transaction.
   */
  private sendAhead(calls: readonly Call[]): Row[] {
    if (this.careful) return [];
    for (const call of calls) this.early.push({ call, given: this.send(call[0] as Prepared, call[1]) });
    return [];
  }

  /** The result of a call that was sent ahead, before the changes since then; null where none was. */
  private sentAhead(prepared: Prepared, args: Call[1]): Promise<QueryResult> | null {
    const place = this.early.findIndex(
      ({ call: [statement, values] }) => statement === prepared && areSame(values, args),
    );
    return place < 0 ? null : this.early.splice(place, 1)[0]!.given;
  }

  private send(prepared: Prepared, args: Call[1]): Promise<QueryResult> {
    const { spec, uuids, need } = prepared;
    if (this.begin.locks && need === 'alone') throw new Alone();
    this.claims ||= spec.kind === 'system' && spec.name === 'claim key';
    const locking = this.begin.locks ? prepared.locking : null;
    return this.link.sendInGroup(sentOf(locking ? { ...locking, uuids } : prepared, args));
  }

  /** Forgets the rows of calls that were sent ahead and that would give others after a change. */
  private forgetAfter({ spec }: Prepared): void {
    if (this.early.length > 0 && !READS.has(spec.kind))
      this.early = this.early.filter(({ call: [read] }) => isUntouched(read.spec, spec));
  }

  private async asked(prepared: Prepared, args: Call[1]): Promise<Row[]> {
    let given = this.sentAhead(prepared, args);
    if (!given) {
      this.forgetAfter(prepared);
      given = this.send(prepared, args);
      await this.settled();
    }
    const rows = await this.gotten(prepared, given);
    const { need } = prepared;
    if (rows.length > 0 || !this.begin.locks || typeof need !== 'object' || !need.absence) return rows;
    // The statement may have waited for a row that then got another key, while another row got this one. The second time,
    // the statement sees that commit.
    const again = await this.gotten(prepared, this.send(prepared, args));
    this.missed ||= again.length === 0;
    return again;
  }

  private async gotten(prepared: Prepared, given: Promise<QueryResult>): Promise<Row[]> {
    try {
      return rowsOf(prepared, await given);
    } catch (error) {
      throw toldOf(error);
    }
  }

  private async carefully(prepared: Prepared, args: Call[1]): Promise<Row[]> {
    this.plain('SAVEPOINT change');
    const given = this.link.sendInGroup(sentOf(prepared, args));
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
    this.sent.push({ prepared: null, given: this.link.sendInGroup({ text }) });
  }

  /** Awaits all pending statements. Throws the action that the first error requires. */
  private async settled(): Promise<void> {
    for (const { prepared, given } of this.sent.splice(0)) {
      let count: number;
      try {
        ({ count } = await given);
      } catch (error) {
        if (prepared?.sure && stateOf(error) === CHANGED_NONE) throw new Again(true);
        const told = toldOf(error);
        throw told instanceof StoreError && told.kind === 'constraint' ? new Again(true) : told;
      }
      if (prepared && count !== 1) throw new Again(true);
    }
  }

  private async commit(): Promise<void> {
    if (this.begin === REHEARSING) {
      await this.settled();
      void this.link.sendInGroup({ text: 'ROLLBACK' });
      return;
    }
    if (this.begin === READING) {
      // The rows have been read, so the result of the COMMIT is irrelevant, and nothing waits for it.
      await this.settled();
      void this.link.sendInGroup({ text: COMMIT });
      return;
    }
    // A statement that either has its effect or fails needs no look at its result, so the COMMIT follows at once.
    const isSure = this.sent.every(({ prepared }) => !prepared || prepared.adds || prepared.sure !== null);
    if (!isSure) await this.settled();
    const { change } = this;
    change.mustBeWaitedFor();
    change.stage = 'committing';
    const last = this.link.sendInGroup({ text: COMMIT });
    if (isSure) {
      try {
        await this.settled();
      } catch (error) {
        // The COMMIT of a transaction with a failed statement is a rollback.
        await last.catch(() => {});
        if (!(error instanceof Lost) || error.told) change.stage = 'open';
        throw error;
      }
    }
    let done: QueryResult;
    try {
      done = await last;
    } catch (error) {
      // If the session had ended before the COMMIT arrived, nothing was committed; if it ended during the COMMIT, that
      // is unknown.
      if (failureOf(error) !== 'lost') change.stage = 'open';
      throw toldOf(error);
    }
    if (done.warned) throw UNREPLICATED;
    if (done.command !== 'COMMIT') {
      change.stage = 'open';
      throw new Again(true);
    }
    change.stage = 'committed';
  }
}

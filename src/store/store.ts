import type { Parameter } from '../expression/sql/sql.ts';
import type { Expr } from '../expression/tree/expression.ts';
import type { RandomBytes } from '../expression/values/random.ts';
import type { Row, Value } from '../expression/values/value.ts';
import type { OrderKey } from '../plan/inside-step.ts';
import type { RateUse } from './counters.ts';
import type { PoolFigures, StoreFigures } from './figures.ts';
import type { Following } from './following.ts';
import type { SystemStatement } from './system.ts';

/** An order of rows: by sort keys, and then by identity in a direction. */
export interface RowOrder {
  readonly keys: readonly OrderKey[];
  readonly descending: boolean;
}

/** The operation of a statement, as plain data. Each store writes it in its own SQL, once, when the service starts. */
export type StatementSpec =
  | {
      readonly kind: 'select';
      readonly resource: string;
      readonly where: Expr | null;
      readonly order: RowOrder | null;
      /**
       * The columns that the reader needs; the others are returned as null. Without this member, all columns are
       * returned.
       */
      readonly columns?: readonly string[];
      /** Expressions that are computed for each row and returned after its columns. */
      readonly also?: readonly Expr[];
      /**
       * Selects a part of the rows after the last row on the page before. The statement takes sort keys of that row
       * after its parameters (`takenKeys`), of which the fields that break ties are the last.
       */
      readonly after: Following | false;
      /** Whether the statement takes the largest number of rows as its last argument. */
      readonly limit: boolean;
      /** Whether the statement takes, after the largest number of rows, the number of rows to skip. */
      readonly skip?: true;
      /** Whether the statement takes an identity after its parameters, and selects only that row. */
      readonly only?: true;
      /** Examines only one row, any one, for which this condition holds. */
      readonly among?: Expr | null;
      /** Whether one row is enough, whichever it is: the statement then ends in `LIMIT 1`. */
      readonly any?: true;
      /**
       * Whether the statement takes, before the largest number of rows, JSON of row ids, selects only these rows, and
       * returns the id of each as its last value. Of stores whose calls do not travel.
       */
      readonly listed?: true;
      /**
       * Whether the statement takes, after its parameters, a row id and a number of rows, selects only among the first rows
       * of the table after that one, and returns the id of each as its last value. Of stores whose calls do not travel.
       */
      readonly isPart?: true;
    }
  /**
   * Takes the parameters, a row id and a largest number. Returns the ids of the first rows after that one that match a
   * search, in their order; without a search, of all rows. Of stores whose calls do not travel.
   */
  | { readonly kind: 'matches'; readonly resource: string; readonly matching: Expr | null }
  /**
   * Takes the parameters, then an identity (or JSON of many). Returns each row’s identity, followed by computed values.
   */
  | { readonly kind: 'shown'; readonly resource: string; readonly also: readonly Expr[]; readonly many: boolean }
  /** Takes an identity. Returns its row, if there is one. */
  | { readonly kind: 'row'; readonly resource: string }
  /** Returns the number of rows. */
  | { readonly kind: 'count'; readonly resource: string; readonly where: Expr | null }
  /**
   * Takes the largest number of groups after the parameters. Returns the keys of each group of rows with equal keys,
   * followed by values with aggregates of its rows. The groups are in the order of the member (of keys and values
   * together), and those that are equal in this order in the order of their keys.
   */
  | {
      readonly kind: 'groups';
      readonly resource: string;
      readonly where: Expr | null;
      readonly keys: readonly Expr[];
      readonly values: readonly Expr[];
      readonly order: { readonly member: number; readonly descending: boolean };
    }
  /**
   * Returns the number of rows for each value of a field, after the value. `isPart`: takes a row id and a largest number,
   * counts the first rows after that one, and returns the last id of them with each value. Only
   * stores whose calls do not travel prepare it.
   */
  | { readonly kind: 'tally'; readonly resource: string; readonly field: string; readonly isPart?: true }
  /**
   * Takes the values of fields that form a unique key, among the rows for which `while` holds. Returns the row with this
   * key, if there is one.
   */
  | {
      readonly kind: 'by key';
      readonly resource: string;
      readonly fields: readonly string[];
      readonly while: Expr | null;
    }
  /** Returns one value that depends on stored rows. */
  | { readonly kind: 'value'; readonly value: Expr }
  /** Takes JSON of many identities. Returns their rows. */
  | { readonly kind: 'rows'; readonly resource: string }
  /**
   * Takes an identity (or JSON of many). Returns the rows whose reference points at it, with identity and reference
   * alone.
   */
  | { readonly kind: 'pointing'; readonly resource: string; readonly field: string; readonly many: boolean }
  /** Takes an identity. Returns the number of rows with a reference that points at it. */
  | { readonly kind: 'pointing count'; readonly resource: string; readonly field: string }
  /** Takes a whole row. */
  | { readonly kind: 'insert'; readonly resource: string }
  /** Takes the values of these columns, in the table’s order, then the row’s identity. */
  | { readonly kind: 'update'; readonly resource: string; readonly columns: readonly string[] }
  /**
   * Takes JSON of many rows, each a list of its identity and the values of these columns, none of which is a list or a
   * map. Returns a row for each changed row.
   */
  | { readonly kind: 'update many'; readonly resource: string; readonly columns: readonly string[] }
  /** Takes the identity. */
  | { readonly kind: 'delete'; readonly resource: string }
  /** Takes JSON of many identities. Returns a row for each deleted row. */
  | { readonly kind: 'delete many'; readonly resource: string }
  /**
   * Takes the fields’ values, then the identity of a row to leave out. Returns a row if another row has these values.
   */
  | {
      readonly kind: 'taken';
      readonly resource: string;
      readonly fields: readonly string[];
      readonly while: Expr | null;
    }
  /**
   * Takes a sequence’s name, the row for which it counts, and that row again if there is one. Returns its first number.
   */
  | { readonly kind: 'start sequence'; readonly resource: string; readonly field: string; readonly per: string | null }
  /** Takes an instant. Returns the row with the earliest instant in a column, if that has come. */
  | { readonly kind: 'due'; readonly resource: string; readonly column: string }
  /** Takes an instant and a largest number. Counts the rows whose instant in a column has come, up to that number. */
  | { readonly kind: 'due count'; readonly resource: string; readonly column: string }
  /** Returns the next instant in a column. */
  | { readonly kind: 'next due'; readonly resource: string; readonly column: string }
  /**
   * Takes the id of an API key. Returns the key’s hash, its scopes as JSON and the row of its holder. Finds only keys
   * that were stored with the same `mark`.
   */
  | { readonly kind: 'credential'; readonly resource: string; readonly mark: string }
  /** Takes a new key’s id, hash, holder’s identity, scopes as JSON, instant and mark. */
  | { readonly kind: 'insert key'; readonly resource: string }
  /** Takes an instant, the identity of a row and a mark: revokes the row’s keys under that mark. */
  | { readonly kind: 'revoke keys'; readonly resource: string }
  /**
   * Takes an instant: bytes that no row has in any of these columns are kept until then. `columns`: each as its resource
   * and its name.
   */
  | {
      readonly kind: 'release unused files';
      readonly columns: ReadonlyArray<{ readonly resource: string; readonly column: string }>;
    }
  | { readonly kind: 'system'; readonly name: SystemStatement }
  /** Does nothing. */
  | { readonly kind: 'pause' }
  /** Tells a store whose statements travel which calls follow, so that it can send them at once. */
  | { readonly kind: 'ahead'; readonly calls: readonly Call[] };

/** A prepared statement, with the expressions whose values are its first arguments. */
export interface Statement {
  readonly spec: StatementSpec;
  readonly parameters: readonly Parameter[];
}

/** One call of a statement. A bound Buffer is a blob. */
export type Argument = Value | Buffer;
export type Call = readonly [Statement, readonly Argument[]];

/**
 * Work inside one transaction: a generator that yields calls and receives their rows. A store runs it at once or over a
 * network. The store may run it again from the start after a conflict, so the program has no other effects than its
 * calls.
 */
export type Program<T> = Generator<Call, T, Row[]>;

/** The failure of a store’s operation. A violated constraint is thrown into the program that violated it. */
export class StoreError extends Error {
  /**
   * `shape`: the rows belong to another document. `unsynced`: the disk has refused a sync. `unreadable`: the file is
   * damaged, or no database.
   */
  readonly kind: 'constraint' | 'full' | 'busy' | 'failed' | 'shape' | 'unsynced' | 'unreadable';

  constructor(kind: StoreError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** A failure whose cause is not the store but another file, such as a backup. The message names it. */
export class RefusedError extends StoreError {
  constructor(message: string) {
    super('failed', message);
  }
}

/** A statement that was ended before its result: it took longer than it may, or the operator has cancelled it. */
export class Cancelled extends StoreError {
  constructor() {
    super('busy', 'A statement took too long.');
  }
}

/** The failure of a change that its caller has given up. */
class GivenUp extends StoreError {
  constructor(committing: boolean) {
    super(
      committing ? 'failed' : 'busy',
      committing
        ? 'The database has not answered a commit in time: the change may be committed or not.'
        : 'The change was given up before its commit: it took too long.',
    );
  }
}

/**
 * The progress of one change. Its caller can give the change up: then it is not committed, unless its commit has been
 * sent.
 */
export class Change {
  /**
   * `open`: the commit has not been sent, or the change was rolled back. `committing`: the result of the commit is
   * unknown. `committed`: the change is committed, and work before its answer remains.
   */
  stage: 'open' | 'committing' | 'committed' = 'open';
  givenUp = false;
  /** How long each statement may take at least, in milliseconds; 0 for the limit of the store alone. */
  readonly patience: number;
  private leave: ((error: StoreError) => void) | null = null;

  constructor(patience = 0) {
    this.patience = patience;
  }

  giveUp(): void {
    if (this.givenUp) return;
    this.givenUp = true;
    this.leave?.(this.error());
  }

  /** Throws if the change has been given up. */
  mustBeWaitedFor(): void {
    if (this.givenUp) throw this.error();
  }

  /** Awaits a promise; rejects with StoreError if the change is given up before. Only one call may wait at a time. */
  wait<T>(what: Promise<T>): Promise<T> {
    if (this.givenUp) {
      what.catch(() => {});
      return Promise.reject(this.error());
    }
    return new Promise((resolve, reject) => {
      this.leave = reject;
      what.then(resolve, reject).finally(() => {
        if (this.leave === reject) this.leave = null;
      });
    });
  }

  private error(): StoreError {
    return new GivenUp(this.stage !== 'open');
  }
}

/** A message between processes that share a store: new events in the stream, or an instant at which work falls due. */
export type News = 'streamed' | 'any' | { readonly due: number };

/** One state of the database, in which a program has run, and whose rows are read in pieces after it. */
export interface Snapshot<T> {
  /** The result of the program. */
  readonly value: T;
  /** Returns further rows, at most so many; none at the end. Lets other work come first. Rejects once it is closed. */
  next(most: number): Promise<Row[]>;
  /** Ends the snapshot; may be called at any time, and again. */
  close(): void;
}

/**
 * The storage of rows, keys, idempotency records, counters, events and timers. One contract suite tests every store.
 */
export interface Store {
  prepare(spec: StatementSpec): Statement;
  /** True if each call travels to a server: programs then say which calls follow (`ahead`). */
  readonly travels?: boolean;
  /**
   * Whether rows of a resource have ids by which statements list them (`listed`); absent where calls travel. A table that
   * an early version of Ninefold made has none.
   */
  hasRowIds?(resource: string): boolean;
  /**
   * Creates what the statements prepared so far need in the database. Called at the start, which rejects with
   * StoreError where that fails, so that no request is the first to fail.
   */
  furnish?(): Promise<void>;
  /** Runs a program that only reads, on one snapshot. A program that takes long may run again, in pieces. */
  read<T>(program: () => Program<T>): T | Promise<T>;
  /**
   * Runs a program that only reads, on a snapshot that stays until it is closed, and begins to read the rows of a call.
   * `milliseconds`: the longest time for which the snapshot may wait for its reader.
   */
  snapshot<T>(program: () => Program<T>, callOf: (value: T) => Call, milliseconds: number): Promise<Snapshot<T>>;
  /**
   * Runs a program in a serializable transaction. Resolves once its effect is durable; programs that arrive together
   * share one commit. An error or a refusal of the program undoes its own changes and rejects. Once `change` is given
   * up, this rejects, and commits nothing that is not being committed already. `again` is true for a program that would
   * be run again, with the same result, if a failover lost its changes: its commit need not wait for standbys. A long
   * program runs in pieces: meanwhile, reads see the state before it.
   */
  write<T>(program: () => Program<T>, change?: Change, again?: boolean): Promise<T>;
  /**
   * Runs a program that may change rows, and undoes all its changes, which need as little space on the disk as the
   * store can manage. No other transaction ever sees these changes.
   */
  rehearse<T>(program: () => Program<T>): Promise<T>;
  /**
   * The time in milliseconds since the epoch, on the one clock of all processes that share the store. It decides the
   * value of `now()`, when timers are due, and when leases and windows end.
   */
  now(): number;
  /** The source of identities, credentials and secrets. */
  readonly random: RandomBytes;
  /** Called when all requests of a turn have begun: their writes need not wait for others. */
  begun?(): void;
  /** Counts one request against a rate. */
  take(
    policy: number,
    key: string,
    rate: { readonly count: number; readonly milliseconds: number },
    now: number,
  ): RateUse | Promise<RateUse>;
  /**
   * Claims an idempotency key in this process while its request is in progress; false if it is claimed already. Where calls
   * travel, the transaction of the request claims it among all processes (`claim key`).
   */
  claim(key: string): boolean;
  unclaim(key: string): void;
  /** Takes over the counts and claims of `before`, the store that this one replaces when a new document is served. */
  follow(before: Store): void;
  /** Counts and durations of this store. */
  readonly figures: StoreFigures;
  /**
   * Commits an empty transaction, which shows whether a change could be committed now. Absent in a store whose commits
   * never wait. Rejects with StoreError if changes are refused.
   */
  commits?(): Promise<void>;
  /** The connections of the store now; absent where it has no pool. */
  pool?(): PoolFigures;
  /** The sizes of the store’s parts in bytes, by name. Rejects with StoreError where they are unavailable. */
  sizes?(): Promise<ReadonlyMap<string, number>>;
  /** Notifies the other processes that share the store. Without this, they find the news at their next poll. */
  tell?(news: News): void;
  /** Receives the news of other processes; `any` where news may have been missed. */
  hear?(heard: (news: News) => void): void;
  /** Returns some unused space to the disk. Resolves to true if there may be more. Rejects with StoreError. */
  shrink?(): Promise<boolean>;
  /** Waits for the current work, and closes the store. */
  close(): Promise<void>;
}

/** A call without effect. A long program makes it so that other programs can run. */
export const PAUSE: Call = [{ spec: { kind: 'pause' }, parameters: [] }, []];

/**
 * A call without effect, which says which calls follow, if nothing comes before them: their arguments depend on no result.
 * Only for a store that `travels`.
 */
export const ahead = (calls: readonly Call[]): Call => [{ spec: { kind: 'ahead', calls }, parameters: [] }, []];

/** Number of rows between two pauses. */
const ROWS_BETWEEN_PAUSES = 64;

/** Runs a program for each of many items, with pauses, since none of them may make a call. */
export function* eachOf<T>(all: Iterable<T>, one: (item: T) => Program<void> | void): Program<void> {
  let count = 0;
  for (const item of all) {
    if (++count % ROWS_BETWEEN_PAUSES === 0) yield PAUSE;
    const program = one(item);
    if (program) yield* program;
  }
}

/** Makes one call. A statement that returns no rows gives the number of rows that it has changed. */
export function* call(statement: Statement, args: readonly Argument[]): Program<Row[]> {
  return yield [statement, args];
}

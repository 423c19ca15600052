import type { Parameter } from '../expression/sql/sql.ts';
import type { Expr } from '../expression/tree/expression.ts';
import type { RandomBytes } from '../expression/values/random.ts';
import type { Row, Value } from '../expression/values/value.ts';
import type { RateUse } from './counters.ts';
import type { PoolFigures, StoreFigures } from './figures.ts';
import type { SystemStatement } from './system.ts';

/** The operation of a statement, as plain data. Each store writes it in its own SQL, once, when the service starts. */
export type StatementSpec =
  | {
      readonly kind: 'select';
      readonly resource: string;
      readonly where: Expr | null;
      /** The order of the rows, if any. Rows that are equal in it are ordered by identity, in the same direction. */
      readonly order: { readonly by: Expr | null; readonly descending: boolean } | null;
      /**
       * The columns that the reader needs; the others are returned as null. Without this member, all columns are
       * returned.
       */
      readonly columns?: readonly string[];
      /** Expressions that are computed for each row and returned after its columns. */
      readonly also?: readonly Expr[];
      /** Takes the last row of the page before (what it is ordered by, then its identity) after the parameters. */
      readonly after: boolean;
      /** Takes the most rows to give as its last argument. */
      readonly limit: boolean;
      /** True where it takes, after the most rows, how many to leave out before them. */
      readonly skip?: true;
      /** True where it takes an identity, after its parameters: only that row. */
      readonly only?: true;
      /** Looks at one row alone, whichever, of those for which this holds. */
      readonly among?: Expr | null;
      /** True where one row, whichever, is enough. */
      readonly any?: true;
    }
  /** Takes the parameters, then an identity (or JSON of many): each row’s identity, then what is computed of it. */
  | { readonly kind: 'shown'; readonly resource: string; readonly also: readonly Expr[]; readonly many: boolean }
  /** Takes an identity: its row, if there is one. */
  | { readonly kind: 'row'; readonly resource: string }
  /** How many rows there are. */
  | { readonly kind: 'count'; readonly resource: string; readonly where: Expr | null }
  /** How many rows there are of each value of a field: the value, then the number. */
  | { readonly kind: 'tally'; readonly resource: string; readonly field: string }
  /** Takes the values of fields that no two rows share: the row that has them, if there is one. */
  | { readonly kind: 'by key'; readonly resource: string; readonly fields: readonly string[] }
  /** One value that depends on stored rows. */
  | { readonly kind: 'value'; readonly value: Expr }
  /** Takes JSON of many identities: their rows. */
  | { readonly kind: 'rows'; readonly resource: string }
  /** Takes an identity (or JSON of many): the rows whose reference points at it, with nothing but identity and reference. */
  | { readonly kind: 'pointing'; readonly resource: string; readonly field: string; readonly many: boolean }
  /** Takes an identity: how many rows have a reference that points at it. */
  | { readonly kind: 'pointing count'; readonly resource: string; readonly field: string }
  /** Takes a whole row. */
  | { readonly kind: 'insert'; readonly resource: string }
  /** Takes the values of these columns, in the table’s order, then the row’s identity. */
  | { readonly kind: 'update'; readonly resource: string; readonly columns: readonly string[] }
  /** Takes the identity. */
  | { readonly kind: 'delete'; readonly resource: string }
  /** Takes JSON of many identities: gives a row for each that was deleted. */
  | { readonly kind: 'delete many'; readonly resource: string }
  /** Takes the fields’ values, then the identity of a row to leave out; gives a row if another has them. */
  | {
      readonly kind: 'taken';
      readonly resource: string;
      readonly fields: readonly string[];
      readonly while: Expr | null;
    }
  /** Takes a sequence’s name and the row that it counts for, that row again where there is one: its first number. */
  | { readonly kind: 'start sequence'; readonly resource: string; readonly field: string; readonly per: string | null }
  /** Takes an instant: the rows for which the time in a column has come by then, earliest first, at most one. */
  | { readonly kind: 'due'; readonly resource: string; readonly column: string }
  /** Takes an instant and a number: for how many rows the time in a column has come by then, of so many. */
  | { readonly kind: 'due count'; readonly resource: string; readonly column: string }
  /** Gives the next time in a column. */
  | { readonly kind: 'next due'; readonly resource: string; readonly column: string }
  /** Takes a key’s id: its hash, its scopes as JSON, then the row it is for, if it is one stored under `mark`. */
  | { readonly kind: 'credential'; readonly resource: string; readonly mark: string }
  /** Takes id, hash, the identity of the row it is for, scopes as JSON, the instant and the mark of a new key. */
  | { readonly kind: 'insert key'; readonly resource: string }
  /** Takes an instant, the identity of a row and a mark: revokes the row’s keys under that mark. */
  | { readonly kind: 'revoke keys'; readonly resource: string }
  | { readonly kind: 'system'; readonly name: SystemStatement }
  /** Does nothing. */
  | { readonly kind: 'pause' };

/** A prepared statement, and the expressions whose values it takes first. */
export interface Statement {
  readonly spec: StatementSpec;
  readonly parameters: readonly Parameter[];
}

/** One call of a statement. A bound Buffer is a blob. */
export type Argument = Value | Buffer;
export type Call = readonly [Statement, readonly Argument[]];

/**
 * Work inside one transaction: a generator that yields calls and is handed their rows. A store runs it at once or
 * over a network; it may run it again from the start after a conflict, so it changes nothing but through its calls.
 */
export type Program<T> = Generator<Call, T, Row[]>;

/** Why a store could not do something. Constraint violations are thrown into the program that caused them. */
export class StoreError extends Error {
  /** `shape`: the rows are those of another document. `unsynced`: the disk has refused a sync. `unreadable`: the file is no sound database. */
  readonly kind: 'constraint' | 'full' | 'busy' | 'failed' | 'shape' | 'unsynced' | 'unreadable';

  constructor(kind: StoreError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Why something else than the store is in the way of what was asked of it, such as a backup: the message says what. */
export class RefusedError extends StoreError {
  constructor(message: string) {
    super('failed', message);
  }
}

/** A change is not waited for any more. */
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
 * How far one change has come. Its caller can give it up: nothing of it is committed then unless its commit was
 * on its way already.
 */
export class Change {
  /**
   * `open` until its commit is sent, and again once it is rolled back. `committing` while nobody knows whether it is
   * committed. `committed` once it is, while something is still done before it is answered.
   */
  stage: 'open' | 'committing' | 'committed' = 'open';
  givenUp = false;
  private leave: ((error: StoreError) => void) | null = null;

  giveUp(): void {
    if (this.givenUp) return;
    this.givenUp = true;
    this.leave?.(this.error());
  }

  /** Throws where the change has been given up. */
  mustBeWaitedFor(): void {
    if (this.givenUp) throw this.error();
  }

  /**
   * Waits for something for as long as the change is waited for; rejects with StoreError where it is given up. One thing
   * at a time.
   */
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

/** Where rows, keys, idempotency records, counters, events and timers live. One contract suite holds for every store. */
export interface Store {
  prepare(spec: StatementSpec): Statement;
  /**
   * Gives the database what the statements prepared so far need of it. Asked at the start, which rejects with
   * StoreError where that can't be had: no request is the first to find out.
   */
  furnish?(): Promise<void>;
  /** Runs a program that only reads, on one snapshot. */
  read<T>(program: () => Program<T>): T | Promise<T>;
  /**
   * Runs a program in a serializable transaction. Resolves once its effect is durable; programs that arrive together
   * share one commit. An error or a refusal that it throws undoes its own changes and rejects. Once `change` is
   * given up it rejects, and commits nothing that is not being committed. `again` is true where the program would be run
   * again, and come to the same, if a failover lost what it does: it need not wait for standbys. A program that takes long
   * runs in pieces: reads are answered in between, from what was there before it.
   */
  write<T>(program: () => Program<T>, change?: Change, again?: boolean): Promise<T>;
  /**
   * Runs a program that may change rows and undoes all that it has changed, so that it needs no room on a disk as far as
   * the store can do without. Nobody else ever sees what it changes.
   */
  rehearse<T>(program: () => Program<T>): Promise<T>;
  /**
   * The time, in milliseconds since the epoch, by the one clock that all processes go by that share the store: what
   * `now()` is, when something is due, and when a lease or a window is over.
   */
  now(): number;
  /** Where identities, credentials and secrets come from. */
  readonly random: RandomBytes;
  /** Told that all requests of a turn have been begun: what they ask to be written need not wait for others. */
  begun?(): void;
  /** Counts one request against a rate. */
  take(
    policy: number,
    key: string,
    rate: { readonly count: number; readonly milliseconds: number },
    now: number,
  ): RateUse | Promise<RateUse>;
  /** Claims an idempotency key while its request is being answered; false if it is claimed already. */
  claim(key: string): boolean | Promise<boolean>;
  unclaim(key: string): void;
  /** Goes on with the counts and claims of the store whose place it takes, when a document is served anew. */
  follow(before: Store): void;
  /** Counts and durations of this store. */
  readonly figures: StoreFigures;
  /**
   * Commits nothing, which shows whether what is changed now would be committed; absent where a commit waits for nobody.
   * Rejects with StoreError where changes are not taken now.
   */
  commits?(): Promise<void>;
  /** Its connections now; absent where it has no pool of them. */
  pool?(): PoolFigures;
  /** How many bytes each of its parts takes, by name. Rejects with StoreError where that can’t be had. */
  sizes?(): Promise<ReadonlyMap<string, number>>;
  /** Tells the other processes that share the store what they would otherwise find out when they look. */
  tell?(news: News): void;
  /** Hears what others tell; `any` where something may have been missed. */
  hear?(heard: (news: News) => void): void;
  /** Gives some of the room that nothing uses any more back to the disk; gives whether there may be more. Rejects with StoreError. */
  shrink?(): Promise<boolean>;
  /** Waits for what is under way and closes. */
  close(): Promise<void>;
}

/** Asks nothing of the store: lets others in, where the program has kept the event loop for long. */
export const PAUSE: Call = [{ spec: { kind: 'pause' }, parameters: [] }, []];

/** How many rows are gone through between two pauses. */
const ROWS_BETWEEN_PAUSES = 64;

/** Goes through many rows, of which none may need a call, with pauses. */
export function* eachOf<T>(all: Iterable<T>, one: (item: T) => Program<void> | void): Program<void> {
  let count = 0;
  for (const item of all) {
    if (++count % ROWS_BETWEEN_PAUSES === 0) yield PAUSE;
    const program = one(item);
    if (program) yield* program;
  }
}

/** Calls one statement; one that gives no rows gives how many it has changed. */
export function* call(statement: Statement, args: readonly Argument[]): Program<Row[]> {
  return yield [statement, args];
}

import type { Dialect } from '../../expression/sql/dialect.ts';
import type { Value } from '../../expression/values/value.ts';
import type { ColumnKind } from '../../plan/step.ts';

/** The type of a statement’s argument: a stored value of a kind, or bytes. */
export type ArgumentKind = ColumnKind | 'bytes';

/** The parts of the service’s own statements that differ between databases. */
export interface SystemFragments {
  /** The holder of a key, as text. */
  readonly holderText: string;
  /** The place in the stream of the row `s`; and, as a query, the last place that has been given. */
  readonly place: string;
  readonly lastPlace: string;
  /** Claims a key, by its hash, for a transaction: a query for 1, or for 0 where another transaction has claimed it. */
  readonly claimed: (hash: string) => string;
  /** The clause that holds the rows of a query as they are until the end of the transaction; empty where all are held. */
  readonly held: string;
  /** The clock of the database, in milliseconds since the epoch. */
  readonly clock: string;
  /** The number of the event that is inserted next. */
  readonly nextEvent: string;
  /**
   * Joins receivers, `w`, with deliveries, `d`: `ids` is a query for the deliveries’ ids that depends on the receiver.
   */
  readonly deliveriesOf: (ids: string) => string;
}

/** The SQL of one database for whole statements, beside that for expressions. */
export interface StoreDialect extends Dialect {
  /** The placeholder of an argument; numbers begin with 1 and include the parameters before it. */
  argument(number: number, kind: ArgumentKind): string;
  /** A literal; `uuid` says that it is compared with stored UUIDs. */
  literal(value: Value, uuid: boolean): string;
  /** True where placeholders have numbers. Otherwise, arguments are bound in the order of the placeholders. */
  readonly numbered: boolean;
  /** The value at a place in an item of a JSON array, which is itself an array, as a column of a kind holds it. */
  member(alias: string, place: number, kind: ColumnKind): string;
  /** A quoted column in a list of selected columns. */
  selected(column: string, kind: ColumnKind): string;
  /** The type in which the holder of a key is stored, and SQL that converts it back to an identity of its kind. */
  readonly holderKind: (identity: ColumnKind) => ArgumentKind;
  holder(stored: string, identity: ColumnKind): string;
  /**
   * A query for the ids of the first rows after a row id that match the query of a search, in their order. Null where rows
   * have no such ids.
   */
  readonly matches: ((resource: string, query: string, after: string, most: string) => string) | null;
  /** The clause by which an insertion returns the key of its row; empty where the driver returns the key. */
  givingKey(column: string): string;
  /** The parts of the service’s own statements in this dialect. */
  readonly system: SystemFragments;
}

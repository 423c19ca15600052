import type { Dialect } from '../../expression/sql/dialect.ts';
import type { Value } from '../../expression/values/value.ts';
import type { ColumnKind } from '../../plan/step.ts';

/** The type of a statement’s argument: a stored value of a kind, or bytes. */
export type ArgumentKind = ColumnKind | 'bytes';

/** The parts of the service’s own statements that differ between databases. */
export interface SystemFragments {
  /** The holder of a key, as text. */
  readonly holderText: string;
  /** The columns that tell kept answers apart. */
  readonly answerKey: string;
  /** The place in the stream of what is streamed, `s`; and, as a query, the last place that has been given. */
  readonly place: string;
  readonly lastPlace: string;
  /** Joins receivers, `w`, with the deliveries, `d`, whose ids a query gives that depends on the receiver. */
  readonly deliveriesOf: (ids: string) => string;
}

/** The SQL of one database for whole statements, beside that for expressions. */
export interface StoreDialect extends Dialect {
  /** The place of an argument, counted from 1 with the parameters before it. */
  argument(number: number, kind: ArgumentKind): string;
  /** A value written out; `uuid` says that it is compared with stored UUIDs. */
  literal(value: Value, uuid: boolean): string;
  /** True where places say which argument they take. Otherwise they take them one by one, in the order of the text. */
  readonly numbered: boolean;
  /** A quoted column of a row, as it is selected. */
  selected(column: string, kind: ColumnKind): string;
  /** The type in which the holder of a key is stored, and SQL that converts it back to an identity of its kind. */
  readonly holderKind: (identity: ColumnKind) => ArgumentKind;
  holder(stored: string, identity: ColumnKind): string;
  /** The clause by which an insertion returns the key of its row; empty where the driver returns the key. */
  givingKey(column: string): string;
  /** The parts of the service’s own statements in this dialect. */
  readonly system: SystemFragments;
}

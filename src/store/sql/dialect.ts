import type { Dialect } from '../../expression/sql/dialect.ts';
import type { Value } from '../../expression/values/value.ts';
import type { ColumnKind } from '../../plan/step.ts';

/** What a statement is given in one place: a stored value of a kind, or bytes. */
export type ArgumentKind = ColumnKind | 'bytes';

/** What databases say differently of the service’s own tables. */
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

/** How one database writes what whole statements are made of, beside their expressions. */
export interface StoreDialect extends Dialect {
  /** The place of an argument, counted from 1 with the parameters before it. */
  argument(number: number, kind: ArgumentKind): string;
  /** A value written out; `uuid` says that it is compared with stored UUIDs. */
  literal(value: Value, uuid: boolean): string;
  /** True where places say which argument they take. Otherwise they take them one by one, in the order of the text. */
  readonly numbered: boolean;
  /** A quoted column of a row, as it is selected. */
  selected(column: string, kind: ColumnKind): string;
  /** What the holder of a key, an identity of a kind, is stored as, and that as the identity again. */
  readonly holderKind: (identity: ColumnKind) => ArgumentKind;
  holder(stored: string, identity: ColumnKind): string;
  /** What makes an insertion give the key of its row; empty where the driver tells. */
  givingKey(column: string): string;
  /** What the service’s own statements say differently. */
  readonly system: SystemFragments;
}

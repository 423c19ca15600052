import type { Dialect } from '../../expression/sql/dialect.ts';
import type { Value } from '../../expression/values/value.ts';
import type { ColumnKind } from '../../plan/step.ts';
import type { SystemFragments } from './system.ts';

/** What a statement is given in one place: a stored value of a kind, or bytes. */
export type ArgumentKind = ColumnKind | 'bytes';

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

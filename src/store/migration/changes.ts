import type { Expr } from '../../expression/tree/expression.ts';
import type { Value } from '../../expression/values/value.ts';
import type { ColumnShape, OverlapShape, TimedShape, UniqueShape } from '../shape.ts';

/** The source of a value for existing rows that lack one which the new document requires. */
export type Fill =
  /** `written`: the value in the operator’s notation. */
  | { readonly kind: 'value'; readonly value: Value; readonly written: string }
  | {
      /** An expression of the row. */
      readonly kind: 'expression';
      readonly expr: Expr;
      /**
       * True where the expression gives each row a value, except where it has no result, as beyond the range of
       * numbers.
       */
      readonly always: boolean;
      /** The allowed values of the field, as text for people. */
      readonly allowed: string;
    }
  /** Numbers from 1, in the order of the rows. */
  | { readonly kind: 'sequence' };

/** The new value of rows with one that an enumeration no longer has, or that is split: a value, or one for each row. */
export type Replacement =
  | string
  /** An expression of the row alone. */
  | { readonly expr: Expr };

/** A conversion of stored values from one type to another, without loss. */
export type Conversion =
  | { readonly how: 'multiply' | 'divide'; readonly by: number }
  | { readonly how: 'uuid to text' | 'text to uuid' };

/** One change to stored rows. Names are those of the new document, except for a dropped resource or field. */
export type Change =
  | { readonly kind: 'add resource'; readonly resource: string }
  | { readonly kind: 'drop resource'; readonly resource: string }
  | { readonly kind: 'rename resource'; readonly resource: string; readonly from: string }
  | { readonly kind: 'add field'; readonly resource: string; readonly field: string; readonly fill: Fill | null }
  | { readonly kind: 'drop field'; readonly resource: string; readonly field: string }
  | { readonly kind: 'rename field'; readonly resource: string; readonly field: string; readonly from: string }
  | {
      readonly kind: 'convert field';
      readonly resource: string;
      readonly field: string;
      readonly conversion: Conversion;
      readonly from: ColumnShape;
      readonly to: ColumnShape;
    }
  | { readonly kind: 'widen values'; readonly resource: string; readonly field: string }
  | { readonly kind: 'narrow values'; readonly resource: string; readonly field: string; readonly to: ColumnShape }
  | {
      readonly kind: 'replace value';
      readonly resource: string;
      readonly field: string;
      readonly value: string;
      readonly by: Replacement;
    }
  | { readonly kind: 'require field'; readonly resource: string; readonly field: string; readonly fill: Fill | null }
  | { readonly kind: 'free field'; readonly resource: string; readonly field: string }
  | { readonly kind: 'refer items'; readonly resource: string; readonly field: string; readonly to: string | null }
  | { readonly kind: 'refer'; readonly resource: string; readonly field: string; readonly to: string | null }
  | { readonly kind: 'add unique'; readonly resource: string; readonly rule: UniqueShape }
  | { readonly kind: 'drop unique'; readonly resource: string; readonly rule: UniqueShape }
  | { readonly kind: 'add holds'; readonly resource: string; readonly rule: Expr }
  | { readonly kind: 'drop holds'; readonly resource: string; readonly rule: Expr }
  | { readonly kind: 'add overlap'; readonly resource: string; readonly rule: OverlapShape }
  | { readonly kind: 'drop overlap'; readonly resource: string; readonly rule: OverlapShape }
  | { readonly kind: 'add timer'; readonly resource: string; readonly timed: TimedShape }
  | { readonly kind: 'drop timer'; readonly resource: string; readonly timed: TimedShape }
  | {
      readonly kind: 'change timer';
      readonly resource: string;
      readonly timed: TimedShape;
      readonly before: TimedShape;
    }
  | {
      readonly kind: 'change sequence';
      readonly resource: string;
      readonly field: string;
      readonly to: ColumnShape['sequence'];
    }
  /** Other fields are searched, or in another form; none where no fields are. */
  | { readonly kind: 'change search'; readonly resource: string; readonly columns: readonly string[] }
  /** Other changes of rows are recorded. `fields`: those that make a change an entry; none where no changes are. */
  | { readonly kind: 'change audit'; readonly resource: string; readonly fields: readonly string[] }
  /**
   * Values of rows change without an entry, or values in entries do. `values`: the value that changes; null where the
   * field has none.
   */
  | { readonly kind: 'unrecorded'; readonly resource: string; readonly field: string; readonly value: string | null }
  /**
   * A change that leaves stored values as they are, such as the initial state of new rows or the order of the fields.
   */
  | { readonly kind: 'keep'; readonly resource: string; readonly what: string };

export type Kind = Change['kind'];
/** The change of one kind. */
export type Of<K extends Kind> = Extract<Change, { readonly kind: K }>;

/** The reason why a change cannot be made to the existing rows. */
export type Obstacle =
  | 'lost'
  | 'unrecorded'
  | 'unfilled'
  | 'no result'
  | 'filled wrongly'
  | 'not allowed'
  | 'not unique'
  | 'does not hold'
  | 'overlaps'
  | 'refers to nothing'
  | 'not converted';

/** Rows that prevent a change: their number, and one as an example. */
export interface Hindrance {
  readonly change: Change;
  readonly why: Obstacle;
  readonly rows: number;
  /** The identity of such a row; null where it would not help. */
  readonly example: string | null;
}

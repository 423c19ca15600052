import type { Expr } from '../../expression/tree/expression.ts';
import type * as t from '../../expression/tree/types.ts';

/** A resource as expressions see it. */
export interface RowType {
  readonly name: string;
  /** Stored and derived fields. */
  readonly fields: ReadonlyMap<string, t.Type>;
  readonly derived: ReadonlySet<string>;
  /** The lists of rows that references point at, rather than of rows that a query has selected. */
  readonly pointing: ReadonlySet<string>;
  /** True where the caller may not see every row. */
  readonly hides: boolean;
}

/** The names that an expression may use. */
export interface Scope {
  readonly resources: ReadonlyMap<string, RowType>;
  /** Steps, parameters, `request`, `caller` and so on. */
  readonly names: ReadonlyMap<string, t.Type>;
  /** The resource whose fields may be named bare; `this` is its row. */
  readonly row: RowType | null;
  /** The resource of the row that gets the value: neither its fields nor the rows of resources can be read. */
  readonly giving?: RowType | undefined;
  /** The resource of the rows in a group: `rows` are then the rows of the group. */
  readonly group?: string;
  /** Whether rows that the caller may not see don't exist here: members read through a reference are then nullable. */
  readonly visibleOnly: boolean;
  /** The expressions that earlier steps have found not to be null, as text. */
  readonly present?: ReadonlySet<string>;
  /** The reason why an expression is never null, for a message; empty where it is unknown. */
  readonly why?: (expr: Expr) => string;
}

import type { Expr } from '../../expression/tree/expression.ts';
import type { Row, Value } from '../../expression/values/value.ts';
import { named } from '../../plan/named.ts';
import type { ColumnKind, Plan, ResourcePlan } from '../../plan/step.ts';
import { raw, type Sql } from '../sql/fragment.ts';
import { columnName, quoted, REVISION, SHOWN, tableName } from '../tables.ts';
import type { Conversion } from './changes.ts';
import type { Watcher } from './upgrade.ts';

/** One statement of a migration. A statement that changes something has a description. */
export interface MigrationQuery {
  readonly what: string | null;
  readonly sql: Sql;
}

/** A part of a migration: a generator that yields statements and receives their rows, so that any store can run it. */
export type MigrationStep<T> = Generator<MigrationQuery, T, unknown[][]>;

/** Runs a statement that changes something. */
export function* run(what: string, statement: string | Sql): MigrationStep<void> {
  yield { what, sql: asSql(statement) };
}

/** Returns the rows of a query, each as an array. */
export function* all(query: string | Sql): MigrationStep<unknown[][]> {
  return yield { what: null, sql: asSql(query) };
}

/** Returns the first row of a query. */
export function* first(query: string | Sql): MigrationStep<unknown[]> {
  return (yield* all(query))[0] ?? [];
}

/** A plain text has no values to bind. */
const asSql = (statement: string | Sql): Sql => (typeof statement === 'string' ? raw(statement) : statement);

/** The number of rows after which long work reports its progress. */
export const PROGRESS_INTERVAL_ROWS = 50_000;

/** The operations by which a migration changes tables, which each store implements. */
export abstract class Rewriter {
  readonly plan: Plan;
  readonly watcher: Watcher;
  readonly now: number;

  constructor(plan: Plan, watcher: Watcher, now: number) {
    this.plan = plan;
    this.watcher = watcher;
    this.now = now;
  }

  resource(name: string): ResourcePlan {
    return named(this.plan.resources, name);
  }

  /**
   * Further assignments of an UPDATE by which a migration changes values: the revision grows, and the cached JSON is
   * cleared.
   */
  *alsoChanged(resource: string): MigrationStep<string> {
    const there = yield* this.columns(tableName(resource));
    const shown = columnName(SHOWN);
    const revision = quoted(columnName(REVISION));
    return `, ${revision} = t.${revision} + 1${there.has(shown) ? `, ${quoted(shown)} = NULL` : ''}`;
  }

  /** SQL that converts a value to another type, or NULL where it has no equal there. */
  converted(column: string, conversion: Conversion): string {
    switch (conversion.how) {
      case 'multiply':
        return `CASE WHEN abs(${column}) <= ${Number.MAX_SAFE_INTEGER} / ${conversion.by} THEN ${column} * ${conversion.by} END`;
      case 'divide':
        return `CASE WHEN ${column} % ${conversion.by} = 0 THEN ${column} / ${conversion.by} END`;
      case 'uuid to text':
        return this.uuidToText(column);
      case 'text to uuid':
        return this.textToUuid(column);
    }
  }

  /** Creates the table of a new resource, with its unique rules. */
  abstract addTable(resource: ResourcePlan): MigrationStep<void>;
  /** The columns of a table, each with whether it is NOT NULL. */
  abstract columns(table: string): MigrationStep<Map<string, boolean>>;
  /** Adds a column, which may be NULL until all rows have been filled. */
  abstract addColumn(table: string, column: string, kind: ColumnKind, reference: string | null): MigrationStep<void>;
  /** Drops a column, with everything that depends on it. */
  abstract dropColumn(table: string, column: string): MigrationStep<void>;
  /**
   * Drops what depends on columns, before the columns change: triggers always, and also indexes and references where
   * `moved` is true, that is, where a column is changed and not only added.
   */
  abstract letGo(table: string, moved: boolean): MigrationStep<void>;
  /** Drops all tables of items and full-text indexes with their triggers: `settle` makes those anew that the document requires. */
  abstract dropItems(): MigrationStep<void>;
  /** Does work during which the service’s own tables may hold references to missing rows. */
  abstract loosely(work: MigrationStep<void>): MigrationStep<void>;
  /** Adds the unique rules, references and columns for cached JSON that the document requires and the tables lack. */
  abstract settle(): MigrationStep<void>;
  /** An expression over a row of a resource, called `t`. It is lowered already. */
  abstract written(expr: Expr, resource: string): string;
  /** SQL that converts a computed value to the form in which a column of a kind stores it. */
  abstract stored(sql: string, kind: ColumnKind): string;
  /** SQL for a constant of a column. */
  abstract constant(value: Value, kind: ColumnKind): string;
  abstract uuidToText(column: string): string;
  /** SQL that converts text to a UUID; NULL where the text is no UUID. */
  abstract textToUuid(column: string): string;
  /** The items of a JSON array in a string, as rows named `j` with the column `value`. */
  abstract items(json: string): Sql;
  /** SQL for whether an item of a stored list, whose items are of a kind, meets a condition. */
  abstract hasItem(list: string, kind: ColumnKind, meets: (item: string) => string): string;
  /** SQL for a row’s identity as people write it. */
  abstract identityText(resource: string): string;
  /**
   * Sets a hidden column of each row to the result of a function of the row, as the service reads it, and of the
   * column’s present value.
   */
  abstract compute(
    what: string,
    resource: string,
    column: string,
    of: (row: Row, held: Value) => Value,
  ): MigrationStep<void>;
  /** Counts the rows whose value is not allowed, with the identity of one of them. */
  abstract refused(
    resource: string,
    field: string,
    allows: (value: Value) => boolean,
  ): MigrationStep<readonly [rows: number, example: unknown]>;
}

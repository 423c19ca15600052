import type Database from 'better-sqlite3';
import type { Expr } from '../expression/expr.ts';
import { foldCase } from '../expression/fold.ts';
import { comparedValue, layoutOf } from '../expression/javascript.ts';
import { SqlWriter } from '../expression/sql.ts';
import { emptyFrame, type Row, type Value } from '../expression/value.ts';
import type { ColumnKind, Plan, ResourcePlan } from '../plan/step.ts';
import type { Watcher } from './migration.ts';
import { bind } from './sqlite.call.ts';
import { AFFINITY, sqliteDialect } from './sqlite.schema.ts';
import { columnDecoders, kinds, list } from './sqlite.statements.ts';
import { columnName, quoted, REVISION, SHOWN, storedColumns, tableName } from './tables.ts';

/** SQL over the rows of one resource, called `t`, with the values that it takes. */
export interface Written {
  readonly sql: string;
  readonly values: readonly unknown[];
}

const NOTHING = layoutOf('What fills a row, or is checked of it, may depend on stored rows alone');

/** How often a long statement says how far it is, in rows. */
const TOLD = 50_000;

/** The means by which a migration changes tables: every statement of it is run here. */
export class Rewriter {
  readonly now: number;
  private readonly db: Database.Database;
  private readonly plan: Plan;
  private readonly watcher: Watcher;
  private functions = 0;

  constructor(db: Database.Database, plan: Plan, watcher: Watcher, now: number) {
    this.db = db;
    this.plan = plan;
    this.watcher = watcher;
    this.now = now;
    db.function('ninefold_folded', { deterministic: true, directOnly: true }, (text) =>
      text === null ? null : foldCase(text as string),
    );
  }

  /** Runs a statement; gives how many rows it has changed. */
  run(what: string, sql: string, ...values: unknown[]): number {
    this.watcher.step(what, sql);
    return this.db.prepare(sql).run(...values).changes;
  }

  /** The first row that a query gives, as an array. */
  first(sql: string, ...values: unknown[]): unknown[] {
    return (
      (this.db
        .prepare(sql)
        .raw(true)
        .get(...values) as unknown[] | undefined) ?? []
    );
  }

  all(sql: string, ...values: unknown[]): unknown[][] {
    return this.db
      .prepare(sql)
      .raw(true)
      .all(...values) as unknown[][];
  }

  /** The columns that a table has, each with whether it takes no null. */
  columns(table: string): Map<string, boolean> {
    const found = this.all('SELECT name, "notnull" FROM pragma_table_info(?)', table);
    return new Map(found.map(([name, notNull]) => [name as string, notNull === 1]));
  }

  resource(name: string): ResourcePlan {
    return this.plan.resources.find((one) => one.name === name)!;
  }

  /** A new column of a table, which may be empty until everything has been filled. */
  addColumn(table: string, column: string, kind: ColumnKind, reference: string | null): void {
    const references = reference ? ` REFERENCES ${this.target(reference)}` : '';
    this.run(
      `${table} gets ${column}`,
      `ALTER TABLE ${quoted(table)} ADD COLUMN ${quoted(column)} ${AFFINITY[kind]}${references}`,
    );
  }

  private target(resource: string): string {
    const { identity } = this.resource(resource);
    return `${quoted(tableName(resource))} (${quoted(columnName(identity))})`;
  }

  /** An expression over a row of a resource. It is lowered already. */
  written(expr: Expr, resource: string): Written {
    const writer = new SqlWriter(sqliteDialect(this.plan.resources)).bind('this', resource, 't');
    const sql = writer.write(expr);
    const frame = emptyFrame(this.now, '');
    const values = writer.parameters.map(
      ({ expr: one, uuid }) => bind([comparedValue(one, NOTHING)(frame) as Value], [uuid])[0],
    );
    return { sql, values };
  }

  /** A constant of a column, as it is stored. */
  constant(value: Value, kind: ColumnKind): unknown {
    return bind([value], [kind === 'uuid'])[0];
  }

  /**
   * Lets SQL call a function of a row’s columns, handed as the service reads them. Gives what SQL calls it; it says
   * from time to time how far it is.
   */
  ofRow(what: string, resource: string, of: (row: Row, held: unknown) => unknown): (held: string) => string {
    const name = `ninefold_row_${++this.functions}`;
    // What is kept ready for answers depends on the rest, and may not be there yet.
    const columns = storedColumns(this.resource(resource)).filter((column) => column.name !== SHOWN);
    const decoders = columnDecoders(kinds(columns)) ?? [];
    let done = 0;
    this.db.function(name, { deterministic: true, directOnly: true, varargs: true }, (held, ...row) => {
      if (++done % TOLD === 0) this.watcher.step(`${what}: ${done} rows`, '');
      for (const { at, value } of decoders) if (row[at] !== null) row[at] = value(row[at]);
      const result = of(row as Row, held);
      return typeof result === 'number' ? BigInt(result) : result;
    });
    return (held) => `${name}(${held}, ${list(columns, 't.')})`;
  }

  /** Lets SQL ask whether a value is allowed. */
  ofValue(kind: ColumnKind, allows: (value: Value) => boolean): (value: string) => string {
    const name = `ninefold_value_${++this.functions}`;
    const [decode] = columnDecoders([kind === 'uuid' ? 'digits' : kind]) ?? [];
    this.db.function(name, { deterministic: true, directOnly: true }, (value) =>
      allows((decode ? decode.value(value) : value) as Value) ? 1n : 0n,
    );
    return (value) => `${name}(${kind === 'uuid' ? `hex(${value})` : value})`;
  }

  /** What else is written of a row whose values a migration changes: it is another state of it, and its text is old. */
  alsoChanged(resource: string): string {
    const there = this.columns(tableName(resource));
    const shown = columnName(SHOWN);
    const revision = quoted(columnName(REVISION));
    return `, ${revision} = ${revision} + 1${there.has(shown) ? `, ${quoted(shown)} = NULL` : ''}`;
  }

  /** A row’s identity as people know it. */
  identityText(resource: string): string {
    const { identity, columns } = this.resource(resource);
    const column = `t.${quoted(columnName(identity))}`;
    return columns.find((one) => one.name === identity)!.rule.kind === 'uuid'
      ? `ninefold_uuid_text(${column})`
      : column;
  }
}

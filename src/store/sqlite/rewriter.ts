import type Database from 'better-sqlite3';
import { layoutOf } from '../../expression/javascript.ts';
import type { Expr } from '../../expression/tree/expression.ts';
import type { Row, Value } from '../../expression/values/value.ts';
import { named } from '../../plan/named.ts';
import type { ColumnKind, Plan, ResourcePlan } from '../../plan/step.ts';
import { all, first, type MigrationStep, PROGRESS_INTERVAL_ROWS, Rewriter, run } from '../migration/rewriter.ts';
import type { Watcher } from '../migration/upgrade.ts';
import { selectedColumns, shapesOf } from '../sql/columns.ts';
import type { StoreDialect } from '../sql/dialect.ts';
import { type Sql, sql } from '../sql/fragment.ts';
import { inlined } from '../sql/inlined.ts';
import { hasItem, ITEMS_PREFIX } from '../sql/items.ts';
import { columnName, quoted, SHOWN, storedColumns, tableName } from '../tables.ts';
import { columnType, sqliteDialect } from './dialect.ts';
import { columnDecoders } from './results.ts';
import { schemaOf } from './schema.ts';
import { SEARCH_PREFIX } from './search.ts';
import { makeItems, makeRoom, runWork } from './tables.ts';

const NOTHING = layoutOf('What fills a row, or is checked of it, may depend on stored rows alone');

/** The operations of a migration in SQLite. Foreign keys are off while tables change. */
export class SqliteRewriter extends Rewriter {
  private readonly db: Database.Database;
  private readonly dialect: StoreDialect;
  private functions = 0;

  constructor(db: Database.Database, plan: Plan, watcher: Watcher, now: number) {
    super(plan, watcher, now);
    this.db = db;
    this.dialect = sqliteDialect(plan.resources);
  }

  /** Runs a part of a migration, statement by statement. */
  work<T>(work: MigrationStep<T>): T {
    return runWork(this.db, work, (what, sql) => this.watcher.step(what, sql));
  }

  *addTable(resource: ResourcePlan): MigrationStep<void> {
    for (const made of schemaOf(this.plan).get(resource)!.shape) yield* run(`${resource.name} gets a table`, made);
  }

  *columns(table: string): MigrationStep<Map<string, boolean>> {
    const found = yield* all(sql`SELECT name, "notnull" FROM pragma_table_info(${table})`);
    return new Map(found.map(([name, notNull]) => [name as string, notNull === 1]));
  }

  *addColumn(table: string, column: string, kind: ColumnKind, reference: string | null): MigrationStep<void> {
    const references = reference ? ` REFERENCES ${this.target(reference)}` : '';
    yield* run(
      `${table} gets ${column}`,
      `ALTER TABLE ${quoted(table)} ADD COLUMN ${quoted(column)} ${columnType(kind)}${references}`,
    );
  }

  private target(resource: string): string {
    const { identity } = this.resource(resource);
    return `${quoted(tableName(resource))} (${quoted(columnName(identity))})`;
  }

  *dropColumn(table: string, column: string): MigrationStep<void> {
    const indexes = yield* all(
      sql`SELECT s.name FROM sqlite_schema s, pragma_index_info(s.name) i
       WHERE s.type = 'index' AND s.tbl_name = ${table} AND i.name = ${column} AND s.sql IS NOT NULL`,
    );
    for (const [index] of indexes) yield* run(`${index} is let go`, `DROP INDEX ${quoted(String(index))}`);
    yield* run(`${table} loses ${column}`, `ALTER TABLE ${quoted(table)} DROP COLUMN ${quoted(column)}`);
  }

  *letGo(table: string, moved: boolean): MigrationStep<void> {
    const there = yield* all(
      sql`SELECT type, name FROM sqlite_schema
        WHERE tbl_name = ${table} AND name LIKE 'ninefold!_%' ESCAPE '!' AND sql IS NOT NULL`,
    );
    for (const [type, name] of there as [string, string][]) {
      if (type === 'trigger') yield* run(`${name} is let go`, `DROP TRIGGER ${quoted(name)}`);
      if (type === 'index' && moved) yield* run(`${name} is let go`, `DROP INDEX ${quoted(name)}`);
    }
  }

  *dropItems(): MigrationStep<void> {
    const found = sql`SELECT type, name FROM sqlite_schema
      WHERE type IN ('table', 'trigger') AND substr(name, 1, ${ITEMS_PREFIX.length}) = ${ITEMS_PREFIX} ORDER BY type DESC`;
    for (const [type, name] of yield* all(found))
      yield* run(`${name} is let go`, `DROP ${type === 'table' ? 'TABLE' : 'TRIGGER'} ${quoted(String(name))}`);
    // The tables in which an index keeps its contents go with it.
    const indexes = sql`SELECT type, name FROM sqlite_schema
      WHERE (type = 'trigger' OR sql LIKE 'CREATE VIRTUAL TABLE%') AND substr(name, 1, ${SEARCH_PREFIX.length}) = ${SEARCH_PREFIX}
      ORDER BY type DESC`;
    for (const [type, name] of yield* all(indexes))
      yield* run(`${name} is let go`, `DROP ${type === 'table' ? 'TABLE' : 'TRIGGER'} ${quoted(String(name))}`);
  }

  loosely(work: MigrationStep<void>): MigrationStep<void> {
    return work;
  }

  *settle(): MigrationStep<void> {
    for (const [resource, statements] of schemaOf(this.plan)) {
      const table = tableName(resource.name);
      const indexes = yield* all(sql`SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ${table}`);
      const there = new Set(indexes.flat());
      for (const [i, made] of statements.shape.slice(1).entries())
        if (!there.has(`ninefold_unique_${table}_${i + 1}`)) yield* run(`${resource.name} gets a unique rule`, made);
      makeRoom(this.db, table, statements.room);
    }
    makeItems(this.db, this.plan);
  }

  written(expr: Expr, resource: string): string {
    return inlined(expr, resource, this.dialect, { alias: 't', layout: NOTHING, now: this.now });
  }

  stored(value: string): string {
    return value;
  }

  constant(value: Value, kind: ColumnKind): string {
    return this.dialect.literal(value, kind === 'uuid');
  }

  uuidToText(column: string): string {
    return `ninefold_uuid_text(${column})`;
  }

  textToUuid(column: string): string {
    const bytes = `unhex(replace(${column}, '-', ''))`;
    return `CASE WHEN ${column} LIKE '________-____-____-____-____________' AND length(${bytes}) = 16 THEN ${bytes} END`;
  }

  items(json: string): Sql {
    return sql`json_each(${json}) AS j`;
  }

  hasItem(list: string, kind: ColumnKind, meets: (item: string) => string): string {
    return hasItem(this.dialect, list, kind, meets);
  }

  identityText(resource: string): string {
    const { identity, columns } = this.resource(resource);
    const column = `t.${quoted(columnName(identity))}`;
    return named(columns, identity).rule.kind === 'uuid' ? this.uuidToText(column) : column;
  }

  /** SQL calls the function for each row; the function reports its progress from time to time. */
  *compute(what: string, resource: string, column: string, of: (row: Row, held: Value) => Value): MigrationStep<void> {
    const name = `ninefold_row_${++this.functions}`;
    // Cached JSON is computed from the other columns, and its column may not exist yet.
    const columns = storedColumns(this.resource(resource)).filter((one) => one.name !== SHOWN);
    const decoders = columnDecoders(shapesOf(columns)) ?? [];
    let done = 0;
    this.db.function(name, { deterministic: true, directOnly: true, varargs: true }, (held, ...row) => {
      if (++done % PROGRESS_INTERVAL_ROWS === 0) this.watcher.step(`${what}: ${done} rows`, '');
      for (const { at, value } of decoders) if (row[at] !== null) row[at] = value(row[at]);
      const result = of(row as Row, held as Value);
      return typeof result === 'number' ? BigInt(result) : result;
    });
    const target = quoted(columnName(column));
    const value = `${name}(t.${target}, ${selectedColumns(this.dialect, columns, 't.')})`;
    yield* run(what, `UPDATE ${quoted(tableName(resource))} AS t SET ${target} = ${value}`);
  }

  *refused(
    resource: string,
    field: string,
    allows: (value: Value) => boolean,
  ): MigrationStep<readonly [rows: number, example: unknown]> {
    const name = `ninefold_value_${++this.functions}`;
    const { kind } = named(this.resource(resource).columns, field).rule;
    const [decode] = columnDecoders([kind === 'uuid' ? 'selected uuid' : kind]) ?? [];
    this.db.function(name, { deterministic: true, directOnly: true }, (value) =>
      allows((decode ? decode.value(value) : value) as Value) ? 1n : 0n,
    );
    const column = `t.${quoted(columnName(field))}`;
    const rest = `FROM ${quoted(tableName(resource))} AS t
      WHERE ${column} IS NOT NULL AND NOT ${name}(${kind === 'uuid' ? `hex(${column})` : column})`;
    const [rows] = (yield* first(`SELECT count(*) ${rest}`)) as [number];
    if (rows === 0) return [0, null];
    const [example] = yield* first(`SELECT ${this.identityText(resource)} ${rest} LIMIT 1`);
    return [rows, example];
  }
}

import { layoutOf } from '../../expression/javascript.ts';
import type { Expr } from '../../expression/tree/expression.ts';
import type { Row, Value } from '../../expression/values/value.ts';
import { named } from '../../plan/named.ts';
import type { ColumnKind, Plan, ResourcePlan } from '../../plan/step.ts';
import { all, type MigrationStep, PROGRESS_INTERVAL_ROWS, Rewriter, run } from '../migration/rewriter.ts';
import type { Watcher } from '../migration/upgrade.ts';
import type { StoreDialect } from '../sql/dialect.ts';
import { raw, type Sql, sql } from '../sql/fragment.ts';
import { inlined } from '../sql/inlined.ts';
import { hasItem, ITEMS_PREFIX } from '../sql/items.ts';
import { columnName, quoted, SHOWN, storedColumns, tableName } from '../tables.ts';
import { type Making, provide } from './create.ts';
import { argumentType, columnType, postgresDialect } from './dialect.ts';
import { functionName } from './functions.ts';
import { postgresSchema } from './schema.ts';

const NOTHING = layoutOf('What fills a row, or is checked of it, may depend on stored rows alone');

/** How many rows are read at a time where JavaScript computes their values. */
const PAGE = 5000;

/** The object ID of a table in the current schema. */
const oidOf = (table: string): Sql => sql`(SELECT oid FROM pg_class WHERE relname = ${table}
  AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()))`;

/** The operations of a migration in PostgreSQL. */
export class PostgresRewriter extends Rewriter {
  private readonly making: Making;
  /** Functions that statements call and that have not been created yet. */
  private readonly wanted = new Set<string>();
  private readonly dialect: StoreDialect;

  constructor(making: Making, plan: Plan, watcher: Watcher, now: number) {
    super(plan, watcher, now);
    this.making = making;
    this.dialect = postgresDialect(plan.resources, this.uses);
  }

  /** Runs a part of a migration, statement by statement. */
  work<T>(work: MigrationStep<T>): Promise<T> {
    return this.making.work(work, async ({ what, sql: statement }) => {
      if (what !== null)
        this.watcher.step(
          what,
          statement.text(() => '?'),
        );
      await provide(this.making, this.wanted);
      this.wanted.clear();
    });
  }

  private readonly uses = (id: string): void => {
    this.wanted.add(id);
  };

  *addTable(resource: ResourcePlan): MigrationStep<void> {
    const { made, uniques } = postgresSchema(this.plan, this.uses).get(resource)!;
    for (const one of [made, ...uniques.values()]) yield* run(`${resource.name} gets a table`, one);
  }

  *columns(table: string): MigrationStep<Map<string, boolean>> {
    const found = yield* all(
      sql`SELECT attname, attnotnull FROM pg_attribute
        WHERE attrelid = ${oidOf(table)} AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    );
    return new Map(found as [string, boolean][]);
  }

  *addColumn(table: string, column: string, kind: ColumnKind): MigrationStep<void> {
    yield* run(
      `${table} gets ${column}`,
      `ALTER TABLE ${quoted(table)} ADD COLUMN ${quoted(column)} ${columnType(kind)}`,
    );
  }

  *dropColumn(table: string, column: string): MigrationStep<void> {
    yield* run(`${table} loses ${column}`, `ALTER TABLE ${quoted(table)} DROP COLUMN ${quoted(column)}`);
  }

  *letGo(table: string, moved: boolean): MigrationStep<void> {
    const triggers = yield* all(
      sql`SELECT tgname FROM pg_trigger
        WHERE tgrelid = ${oidOf(table)} AND NOT tgisinternal AND tgname LIKE 'ninefold\\_%'`,
    );
    for (const [name] of triggers as [string][])
      yield* run(`${name} is let go`, `DROP TRIGGER ${quoted(name)} ON ${quoted(table)}`);
    yield* run(`${table} is watched over anew`, sql`DELETE FROM ninefold_meta WHERE key = ${`watch ${table}`}`);
    if (!moved) return;
    const references = yield* all(
      sql`SELECT c.relname, f.conname FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid
       WHERE f.contype = 'f' AND (f.conrelid = ${oidOf(table)} OR f.confrelid = ${oidOf(table)})`,
    );
    for (const [of, name] of references as [string, string][])
      yield* run(`${name} is let go`, `ALTER TABLE ${quoted(of)} DROP CONSTRAINT ${quoted(name)}`);
    const indexes = yield* all(
      sql`SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
       WHERE i.indrelid = ${oidOf(table)} AND c.relname LIKE 'ninefold\\_%'`,
    );
    for (const [name] of indexes as [string][]) yield* run(`${name} is let go`, `DROP INDEX ${quoted(name)}`);
  }

  *dropItems(): MigrationStep<void> {
    const triggers = yield* all(
      sql`SELECT t.tgname, c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
        WHERE c.relnamespace = current_schema()::regnamespace AND starts_with(t.tgname, ${ITEMS_PREFIX})`,
    );
    for (const [name, table] of triggers as [string, string][]) {
      yield* run(`${name} is let go`, `DROP TRIGGER ${quoted(name)} ON ${quoted(table)}`);
      yield* run(`${name} is let go`, `DROP FUNCTION ${quoted(name)}()`);
    }
    const tables = yield* all(
      sql`SELECT relname FROM pg_class
        WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND starts_with(relname, ${ITEMS_PREFIX})`,
    );
    for (const [name] of tables as [string][]) yield* run(`${name} is let go`, `DROP TABLE ${quoted(name)}`);
  }

  /** Defers the foreign keys to receivers until the end of the work, since they may be violated during it. */
  *loosely(work: MigrationStep<void>): MigrationStep<void> {
    const references = (yield* all(
      sql`SELECT c.relname, f.conname FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid
       WHERE f.contype = 'f' AND f.confrelid = ${oidOf('ninefold_receiver')}`,
    )) as [string, string][];
    const alter = (table: string, name: string, how: string): MigrationStep<void> =>
      run(`${name} is ${how}`, `ALTER TABLE ${quoted(table)} ALTER CONSTRAINT ${quoted(name)} ${how}`);
    for (const [table, name] of references) yield* alter(table, name, 'DEFERRABLE INITIALLY DEFERRED');
    yield* work;
    yield* run('What refers to receivers is looked at', 'SET CONSTRAINTS ALL IMMEDIATE');
    for (const [table, name] of references) yield* alter(table, name, 'NOT DEFERRABLE');
  }

  *settle(): MigrationStep<void> {
    for (const [resource, { uniques, references, items = [] }] of postgresSchema(this.plan, this.uses)) {
      const table = tableName(resource.name);
      const indexes = (yield* all(
        sql`SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = ${oidOf(table)}`,
      )).flat();
      for (const [name, made] of uniques)
        if (!indexes.includes(name)) yield* run(`${resource.name} gets a unique rule`, made);
      const there = (yield* all(
        sql`SELECT conname FROM pg_constraint WHERE contype = 'f' AND conrelid = ${oidOf(table)}`,
      )).flat();
      for (const [name, made] of references)
        if (!there.includes(name)) yield* run(`${resource.name} gets ${name}`, made);
      for (const { name, made } of items) {
        const [[found] = []] = yield* all(sql`SELECT to_regclass(${quoted(name)}) IS NOT NULL`);
        if (found !== true) for (const one of made) yield* run(`${resource.name} gets ${name}`, one);
      }
    }
  }

  written(expr: Expr, resource: string): string {
    return inlined(expr, resource, this.dialect, { alias: 't', layout: NOTHING, now: this.now });
  }

  stored(value: string, kind: ColumnKind): string {
    return `(${value})::${argumentType(kind)}`;
  }

  constant(value: Value, kind: ColumnKind): string {
    return this.dialect.literal(value, kind === 'uuid');
  }

  uuidToText(column: string): string {
    return `${column}::text`;
  }

  textToUuid(column: string): string {
    this.uses('uuid');
    return `${functionName('uuid')}(${column})`;
  }

  items(json: string): Sql {
    return sql`jsonb_array_elements(${json}::jsonb) AS j(value)`;
  }

  hasItem(list: string, kind: ColumnKind, meets: (item: string) => string): string {
    return hasItem(this.dialect, list, kind, meets);
  }

  identityText(resource: string): string {
    return `t.${quoted(columnName(this.resource(resource).identity))}::text`;
  }

  /** Reads rows page by page, and writes the rows whose value changes. */
  *compute(what: string, resource: string, column: string, of: (row: Row, held: Value) => Value): MigrationStep<void> {
    const columns = storedColumns(this.resource(resource)).filter((one) => one.name !== SHOWN);
    const { identity } = this.resource(resource);
    const kind = named(columns, identity).kind;
    const [id, target] = [quoted(columnName(identity)), quoted(columnName(column))];
    const type = argumentType(named(columns, column).kind);
    const names = columns.map(({ name }) => `t.${quoted(columnName(name))}`).join(', ');
    let done = 0;
    for (let last: unknown; ; ) {
      const rows = yield* this.page(resource, `t.${target}, ${names}`, last);
      if (rows.length === 0) return;
      const changed = rows.flatMap(([key, held, ...row]) => {
        const value = of(row as Row, held as Value);
        return value === held ? [] : [[key, value]];
      });
      if (changed.length)
        yield* run(
          what,
          sql`${raw(`UPDATE ${quoted(tableName(resource))} AS t SET ${target} = (j.value ->> 1)::${type}`)}
           FROM ${this.items(JSON.stringify(changed))} WHERE ${raw(`t.${id} = (j.value ->> 0)::${argumentType(kind)}`)}`,
        );
      last = rows.at(-1)![0];
      done += rows.length;
      if (Math.floor(done / PROGRESS_INTERVAL_ROWS) > Math.floor((done - rows.length) / PROGRESS_INTERVAL_ROWS))
        this.watcher.step(`${what}: ${done} rows`, '');
    }
  }

  /** Reads the next rows in the order of their identity: the identity, and then the columns of `asked`. */
  private page(resource: string, asked: string, last: unknown): MigrationStep<unknown[][]> {
    const { identity } = this.resource(resource);
    const id = `t.${quoted(columnName(identity))}`;
    const after = last === undefined ? raw('') : sql`WHERE ${raw(id)} > ${last}`;
    const select = raw(`SELECT ${id}, ${asked} FROM ${quoted(tableName(resource))} AS t`);
    return all(sql`${select} ${after} ORDER BY ${raw(`${id} LIMIT ${PAGE}`)}`);
  }

  *refused(
    resource: string,
    field: string,
    allows: (value: Value) => boolean,
  ): MigrationStep<readonly [rows: number, example: unknown]> {
    let count = 0;
    let example: unknown = null;
    for (let last: unknown; ; ) {
      const rows = yield* this.page(resource, `t.${quoted(columnName(field))}`, last);
      if (rows.length === 0) return [count, example];
      for (const [key, value] of rows) {
        if (value === null || allows(value as Value)) continue;
        if (count++ === 0) example = key;
      }
      last = rows.at(-1)![0];
    }
  }
}

import type { Expr } from '../expression/expr.ts';
import { comparedValue, layoutOf } from '../expression/javascript.ts';
import { SqlWriter } from '../expression/sql.ts';
import { emptyFrame, type Row, type Value } from '../expression/value.ts';
import type { ColumnKind, Plan, ResourcePlan } from '../plan/step.ts';
import type { Watcher } from './migration.ts';
import { COLUMN_TYPES, parameterType, postgresDialect } from './postgres.dialect.ts';
import { functionName } from './postgres.functions.ts';
import { type Making, provide } from './postgres.making.ts';
import { postgresSchema } from './postgres.schema.ts';
import { bound } from './postgres.values.ts';
import { all, Rewriter, run, TOLD, type Work, type Written } from './rewriter.ts';
import type { Argument } from './store.ts';
import { columnName, quoted, SHOWN, storedColumns, tableName } from './tables.ts';

const NOTHING = layoutOf('What fills a row, or is checked of it, may depend on stored rows alone');

/** How many rows are looked at between two statements, where JavaScript says what becomes of them. */
const PAGE = 5000;

/** A table by its name, in the schema that is worked in and in no other. */
const TABLE = `(SELECT oid FROM pg_class WHERE relname = ?
  AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()))`;

/** How PostgreSQL does what stores do in their own ways. */
export class PostgresRewriter extends Rewriter {
  private readonly making: Making;
  /** Functions that statements call and that the database has not been asked for yet. */
  private readonly wanted = new Set<string>();

  constructor(making: Making, plan: Plan, watcher: Watcher, now: number) {
    super(plan, watcher, now);
    this.making = making;
  }

  /** Does a piece of a migration, statement by statement. */
  work<T>(work: Work<T>): Promise<T> {
    return this.making.work(work, async ({ what, sql }) => {
      if (what !== null) this.watcher.step(what, sql);
      await provide(this.making, this.wanted);
      this.wanted.clear();
    });
  }

  private readonly uses = (id: string): void => {
    this.wanted.add(id);
  };

  *addTable(resource: ResourcePlan): Work<void> {
    const { made, uniques } = postgresSchema(this.plan, this.uses).get(resource)!;
    for (const sql of [made, ...uniques.values()]) yield* run(`${resource.name} gets a table`, sql);
  }

  *columns(table: string): Work<Map<string, boolean>> {
    const found = yield* all(
      `SELECT attname, attnotnull FROM pg_attribute WHERE attrelid = ${TABLE} AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
      table,
    );
    return new Map(found as [string, boolean][]);
  }

  *addColumn(table: string, column: string, kind: ColumnKind): Work<void> {
    yield* run(
      `${table} gets ${column}`,
      `ALTER TABLE ${quoted(table)} ADD COLUMN ${quoted(column)} ${COLUMN_TYPES[kind]}`,
    );
  }

  *dropColumn(table: string, column: string): Work<void> {
    yield* run(`${table} loses ${column}`, `ALTER TABLE ${quoted(table)} DROP COLUMN ${quoted(column)}`);
  }

  *letGo(table: string, moved: boolean): Work<void> {
    const triggers = yield* all(
      `SELECT tgname FROM pg_trigger WHERE tgrelid = ${TABLE} AND NOT tgisinternal AND tgname LIKE 'ninefold\\_%'`,
      table,
    );
    for (const [name] of triggers as [string][])
      yield* run(`${name} is let go`, `DROP TRIGGER ${quoted(name)} ON ${quoted(table)}`);
    yield* run(`${table} is watched over anew`, 'DELETE FROM ninefold_meta WHERE key = ?', `watch ${table}`);
    if (!moved) return;
    const references = yield* all(
      `SELECT c.relname, f.conname FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid
       WHERE f.contype = 'f' AND (f.conrelid = ${TABLE} OR f.confrelid = ${TABLE})`,
      table,
      table,
    );
    for (const [of, name] of references as [string, string][])
      yield* run(`${name} is let go`, `ALTER TABLE ${quoted(of)} DROP CONSTRAINT ${quoted(name)}`);
    const indexes = yield* all(
      `SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
       WHERE i.indrelid = ${TABLE} AND c.relname LIKE 'ninefold\\_%'`,
      table,
    );
    for (const [name] of indexes as [string][]) yield* run(`${name} is let go`, `DROP INDEX ${quoted(name)}`);
  }

  /** What refers to receivers may be wrong until all of them are named. */
  *loosely(work: Work<void>): Work<void> {
    const references = (yield* all(
      `SELECT c.relname, f.conname FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid
       WHERE f.contype = 'f' AND f.confrelid = ${TABLE}`,
      'ninefold_receiver',
    )) as [string, string][];
    const alter = (table: string, name: string, how: string): Work<void> =>
      run(`${name} is ${how}`, `ALTER TABLE ${quoted(table)} ALTER CONSTRAINT ${quoted(name)} ${how}`);
    for (const [table, name] of references) yield* alter(table, name, 'DEFERRABLE INITIALLY DEFERRED');
    yield* work;
    yield* run('What refers to receivers is looked at', 'SET CONSTRAINTS ALL IMMEDIATE');
    for (const [table, name] of references) yield* alter(table, name, 'NOT DEFERRABLE');
  }

  *settle(): Work<void> {
    for (const [resource, { uniques, references }] of postgresSchema(this.plan, this.uses)) {
      const table = tableName(resource.name);
      const indexes = (yield* all(
        `SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = ${TABLE}`,
        table,
      )).flat();
      for (const [name, sql] of uniques)
        if (!indexes.includes(name)) yield* run(`${resource.name} gets a unique rule`, sql);
      const there = (yield* all(
        `SELECT conname FROM pg_constraint WHERE contype = 'f' AND conrelid = ${TABLE}`,
        table,
      )).flat();
      for (const [name, sql] of references) if (!there.includes(name)) yield* run(`${resource.name} gets ${name}`, sql);
    }
  }

  written(expr: Expr, resource: string): Written {
    const dialect = postgresDialect(this.plan.resources, this.uses);
    const parameter: typeof dialect.parameter = (_index, uuid, type) =>
      dialect.parameter(1, uuid, type).replace('$1', '?');
    const writer = new SqlWriter({ ...dialect, parameter }).bind('this', resource, 't');
    const sql = writer.write(expr);
    const frame = emptyFrame(this.now, '');
    const values = writer.parameters.map(
      ({ expr: one, uuid }) => bound([comparedValue(one, NOTHING)(frame) as Argument], [uuid])[0],
    );
    return { sql, values };
  }

  stored(sql: string, kind: ColumnKind): string {
    return `(${sql})::${parameterType(kind)}`;
  }

  constant(value: Value, kind: ColumnKind): unknown {
    return bound([value], [kind === 'uuid'])[0];
  }

  uuidToText(column: string): string {
    return `${column}::text`;
  }

  textToUuid(column: string): string {
    this.uses('uuid');
    return `${functionName('uuid')}(${column})`;
  }

  items(): string {
    return 'jsonb_array_elements(?::jsonb) AS j(value)';
  }

  identityText(resource: string): string {
    return `t.${quoted(columnName(this.resource(resource).identity))}::text`;
  }

  /** Rows are read page by page; those of which something else comes are written. */
  *compute(what: string, resource: string, column: string, of: (row: Row, held: Value) => Value): Work<void> {
    const columns = storedColumns(this.resource(resource)).filter((one) => one.name !== SHOWN);
    const { identity } = this.resource(resource);
    const kind = columns.find((one) => one.name === identity)!.kind;
    const [id, target] = [quoted(columnName(identity)), quoted(columnName(column))];
    const type = parameterType(columns.find((one) => one.name === column)!.kind);
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
          `UPDATE ${quoted(tableName(resource))} AS t SET ${target} = (j.value ->> 1)::${type}
           FROM ${this.items()} WHERE t.${id} = (j.value ->> 0)::${parameterType(kind)}`,
          JSON.stringify(changed),
        );
      last = rows.at(-1)![0];
      done += rows.length;
      if (Math.floor(done / TOLD) > Math.floor((done - rows.length) / TOLD))
        this.watcher.step(`${what}: ${done} rows`, '');
    }
  }

  /** The next rows in the order of their identity: that, then what is asked of them. */
  private page(resource: string, asked: string, last: unknown): Work<unknown[][]> {
    const { identity } = this.resource(resource);
    const id = `t.${quoted(columnName(identity))}`;
    const sql = (where: string): string =>
      `SELECT ${id}, ${asked} FROM ${quoted(tableName(resource))} AS t ${where} ORDER BY ${id} LIMIT ${PAGE}`;
    return last === undefined ? all(sql('')) : all(sql(`WHERE ${id} > ?`), last);
  }

  *refused(
    resource: string,
    field: string,
    allows: (value: Value) => boolean,
  ): Work<readonly [rows: number, example: unknown]> {
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

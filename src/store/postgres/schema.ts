import { layoutOf } from '../../expression/javascript.ts';
import type { Expr } from '../../expression/tree/expression.ts';
import type { Plan, ResourcePlan } from '../../plan/step.ts';
import { mostCharacters } from '../longest-text.ts';
import { type IndexKey, listKeys, lookedUp, lookupName } from '../lookups.ts';
import type { StoreDialect } from '../sql/dialect.ts';
import { inlined } from '../sql/inlined.ts';
import { type ItemsTable, itemsTables } from '../sql/items.ts';
import {
  columnName,
  foldedFields,
  quoted,
  SHOWN,
  type StoredColumn,
  shortened,
  storedColumns,
  tableName,
  timedThings,
  uniqueColumns,
} from '../tables.ts';
import { columnType, postgresDialect } from './dialect.ts';
import { searchIndex } from './search.ts';

/** The statements that make the table of a resource. */
export interface PostgresTable {
  /** The table, and its unique rules by name. They are part of the shape, so that only a migration changes them. */
  readonly made: string;
  readonly uniques: ReadonlyMap<string, string>;
  /** The references to other tables, by name, to be added once all tables exist. */
  readonly references: ReadonlyMap<string, string>;
  /**
   * The trigger that clears a row’s cached JSON when another client changes the fields; empty where no JSON is cached.
   */
  readonly watch: readonly string[];
  /** The tables of items, each with its triggers, if there are any. They can be made and filled at any time. */
  readonly items?: ReadonlyArray<{ readonly name: string; readonly made: readonly string[] }>;
  /** The indexes for fast lookups, by name. A new document may add and drop them without a change of rows. */
  readonly lookups: ReadonlyMap<string, string>;
}

/** The statements that make each resource's table, its constraints and its indexes. */
export function postgresSchema(plan: Plan, uses: (id: string) => void): Map<ResourcePlan, PostgresTable> {
  const dialect = postgresDialect(plan.resources, uses);
  const digest = (field: string): string => {
    uses('digest');
    return `ninefold_digest(${quoted(columnName(field))})`;
  };
  const keys = listKeys(plan);
  return new Map(
    plan.resources.map((resource) => [resource, tableOf(resource, keys.get(resource.name) ?? [], dialect, digest)]),
  );
}

function tableOf(
  resource: ResourcePlan,
  listed: readonly IndexKey[][],
  dialect: StoreDialect,
  digest: (field: string) => string,
): PostgresTable {
  const name = tableName(resource.name);
  const stored = storedColumns(resource);
  const byName = new Map(stored.map((column) => [column.name, column]));
  const columns = stored.map((column) => {
    const key = column.name === resource.identity ? ' PRIMARY KEY' : '';
    return `${quoted(columnName(column.name))} ${columnType(column.kind)}${column.nullable ? '' : ' NOT NULL'}${key}`;
  });
  const indexed = (fields: readonly string[]): string =>
    `ON ${quoted(name)} (${fields.map((one) => indexColumn(byName.get(one)!)).join(', ')})`;
  const made = `CREATE TABLE ${quoted(name)} (\n  ${columns.join(',\n  ')}\n)`;
  const uniques = new Map<string, string>();
  for (const [i, rule] of resource.uniques.entries()) {
    const where = rule.condition && ` WHERE ${indexCondition(rule.condition, resource.name, dialect)}`;
    const index = shortened(`ninefold_unique_${name}_${i + 1}`);
    const unique = uniqueColumns(rule);
    // Text that is too long for an index is indexed by its digest.
    const long = isLong(resource, unique);
    const told = (field: string): string =>
      long && byName.get(field)!.kind === 'text' ? digest(field) : indexColumn(byName.get(field)!);
    uniques.set(
      index,
      `CREATE UNIQUE INDEX ${quoted(index)} ON ${quoted(name)} (${unique.map(told).join(', ')})${where ?? ''}`,
    );
  }
  const references = new Map<string, string>();
  for (const { name: field, reference } of stored) {
    if (reference === null) continue;
    const constraint = shortened(`ninefold_reference_${name}_${field}`);
    const target = `${dialect.table(reference)} (${quoted(columnName(dialect.identity(reference)))})`;
    references.set(
      constraint,
      `ALTER TABLE ${quoted(name)} ADD CONSTRAINT ${quoted(constraint)} FOREIGN KEY (${quoted(columnName(field))}) REFERENCES ${target}`,
    );
  }
  const lookups = new Map<string, string>();
  const add = (index: string, on: string): void => {
    lookups.set(index, `CREATE INDEX IF NOT EXISTS ${quoted(index)} ${on}`);
  };
  for (const timed of timedThings(resource))
    add(
      shortened(`ninefold_${timed.what === 'move' ? 'due' : 'at'}_${name}_${timed.name}`),
      `${indexed([timed.column])} WHERE ${quoted(columnName(timed.column))} > 0`,
    );
  for (const keys of lookedUp(resource, listed)) {
    const fields = keys.map(({ field }) => field);
    if (fields.some((field) => columnType(byName.get(field)!.kind) === 'jsonb')) continue;
    const index = shortened(lookupName(name, keys));
    const ways = keys.map((key) => indexColumn(byName.get(key.field)!, key));
    if (!isLong(resource, fields)) add(index, `ON ${quoted(name)} (${ways.join(', ')})`);
    else if (fields.length === 1) add(index, `ON ${quoted(name)} USING hash (${quoted(columnName(fields[0]!))})`);
  }
  const search = searchIndex(resource);
  if (search) add(search.name, search.on);
  const items = itemsTables(resource, dialect, columnType).map((one) => itemsKept(resource, one));
  const watch = byName.has(SHOWN) ? watchOver(resource) : [];
  return { made, uniques, references, watch, ...(items.length > 0 && { items }), lookups };
}

/** A column of an index. Lists order NULL before all values, and the index has to have the same order. */
function indexColumn({ name, nullable }: StoredColumn, { isTurned = false, nulls }: Partial<IndexKey> = {}): string {
  const place = ` NULLS ${(nulls ?? (isTurned ? 'last' : 'first')).toUpperCase()}`;
  return `${quoted(columnName(name))}${isTurned ? ' DESC' : ''}${nullable ? place : ''}`;
}

/** The largest index entry on a page of PostgreSQL, in bytes with a margin, and the bytes of a character. */
const ENTRY = 2600;
const CHARACTER = 4;

/** Whether the values of some columns together may be too long for an index. */
function isLong(resource: ResourcePlan, names: readonly string[]): boolean {
  const folded = new Map(foldedFields(resource).map(({ field, column }) => [column, field]));
  const bytes = names.map((name) => {
    const field = resource.columns.find((column) => column.name === (folded.get(name) ?? name));
    return field?.rule.kind === 'text' ? mostCharacters(field.rule) * CHARACTER : 16;
  });
  return bytes.reduce((sum, one) => sum + one, 0) > ENTRY;
}

/** A table of items with the trigger that keeps it. */
function itemsKept(
  resource: ResourcePlan,
  { name, made, itemsOf, field }: ItemsTable,
): NonNullable<PostgresTable['items']>[number] {
  const table = quoted(tableName(resource.name));
  const [items, kept] = [quoted(name), quoted(shortened(`${name} kept`))];
  const identity = quoted(columnName(resource.identity));
  const column = quoted(columnName(field));
  return {
    name,
    made: [
      ...made,
      `CREATE OR REPLACE FUNCTION ${kept}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF TG_OP = 'UPDATE' THEN IF NEW.${column} = OLD.${column} THEN RETURN NULL; END IF; END IF;
      IF TG_OP <> 'INSERT' THEN DELETE FROM ${items} WHERE holder = OLD.${identity}; END IF;
      IF TG_OP <> 'DELETE' THEN INSERT INTO ${items} (holder, item) ${itemsOf('NEW')}; END IF;
      RETURN NULL; END $$`,
      `DROP TRIGGER IF EXISTS ${kept} ON ${table}`,
      `CREATE TRIGGER ${kept} AFTER INSERT OR DELETE OR UPDATE OF ${column} ON ${table}
      FOR EACH ROW EXECUTE FUNCTION ${kept}()`,
    ],
  };
}

/** The trigger that clears a row’s cached JSON when an UPDATE by hand changes a field and not the JSON. */
function watchOver(resource: ResourcePlan): string[] {
  const table = quoted(tableName(resource.name));
  const shown = quoted(columnName(SHOWN));
  const fields = resource.columns.map((column) => quoted(columnName(column.name)));
  const changed = fields.map((field) => `NEW.${field} IS DISTINCT FROM OLD.${field}`).join(' OR ');
  const trigger = quoted(shortened(`ninefold_stale_${tableName(resource.name)}`));
  return [
    `CREATE OR REPLACE FUNCTION ninefold_stale() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN NEW.${shown} := NULL; RETURN NEW; END $$`,
    `DROP TRIGGER IF EXISTS ${trigger} ON ${table}`,
    `CREATE TRIGGER ${trigger} BEFORE UPDATE ON ${table} FOR EACH ROW
    WHEN (NEW.${shown} IS NOT DISTINCT FROM OLD.${shown} AND NEW.${shown} IS NOT NULL AND (${changed}))
    EXECUTE FUNCTION ninefold_stale()`,
  ];
}

/** The condition of an index. */
const indexCondition = (expr: Expr, resource: string, dialect: StoreDialect): string =>
  inlined(expr, resource, dialect, { alias: null, layout: NOTHING, now: 0 });

const NOTHING = layoutOf('A unique rule’s condition may depend on its row alone');

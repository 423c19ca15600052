import { STRING, scalarType } from '../../expression/tree/types.ts';
import { isScalarKind } from '../../expression/values/kinds.ts';
import { named } from '../../plan/named.ts';
import type { ColumnKind, ColumnPlan, ResourcePlan } from '../../plan/step.ts';
import { columnName, quoted, shortened, tableName } from '../tables.ts';
import type { StoreDialect } from './dialect.ts';

/**
 * A list or set of references is stored as JSON in its row, and each item also in a table of items, with the identity
 * of its row, the holder. The table has the foreign key of the items and finds the rows that hold an item. Triggers
 * keep the table, so that no write of a row needs to know it, and it can be filled anew from the rows at any time.
 */
export interface ItemsTable {
  readonly name: string;
  /** The statements that make the table and its index, and fill it from the rows. */
  readonly made: readonly string[];
  /** The query for the holder and the items of a row, which SQL names as given. */
  readonly itemsOf: (row: string) => string;
  readonly field: string;
}

/** The beginning of the names of all tables of items, and of the triggers that keep them. */
export const ITEMS_PREFIX = 'ninefold_items_';

/** A table’s name has no dot, so that no two fields share a table of items. */
export const itemsTableName = (resource: string, field: string): string =>
  shortened(`${ITEMS_PREFIX}${tableName(resource)}.${columnName(field)}`);

/** The quoted table of the items of a list or set of references; null for any other field. */
export const itemsTableOf = (resource: ResourcePlan, field: string): string | null => {
  const column = resource.columns.find(({ name }) => name === field);
  return column?.references === undefined ? null : quoted(itemsTableName(resource.name, field));
};

/** The tables of items of a resource. `typeOf` gives the SQL type of a column; `tail` ends the definition of a table. */
export function itemsTables(
  resource: ResourcePlan,
  dialect: StoreDialect,
  typeOf: (kind: ColumnKind) => string,
  tail = '',
): ItemsTable[] {
  return resource.columns.flatMap((column) => {
    const { references, rule } = column;
    if (references === undefined || !rule.items) return [];
    const name = itemsTableName(resource.name, column.name);
    const key = named(resource.columns, resource.identity);
    const itemsOf = (row: string, rows = ''): string => itemsQuery(resource, column, dialect, row, rows);
    const target = `${dialect.table(references)} (${quoted(columnName(dialect.identity(references)))})`;
    const made = [
      `CREATE TABLE ${quoted(name)} (item ${typeOf(rule.items.kind)} NOT NULL REFERENCES ${target}, ` +
        `holder ${typeOf(key.rule.kind)} NOT NULL, PRIMARY KEY (item, holder))${tail}`,
      `CREATE INDEX ${quoted(shortened(`${name} holder`))} ON ${quoted(name)} (holder)`,
      `INSERT INTO ${quoted(name)} (holder, item) ${itemsOf('t', `${dialect.table(resource.name)} AS t, `)}`,
    ];
    return [{ name, made, itemsOf, field: column.name }];
  });
}

function itemsQuery(resource: ResourcePlan, column: ColumnPlan, dialect: StoreDialect, row: string, rows: string) {
  const list = `${row}.${quoted(columnName(column.name))}`;
  const item = itemOf(dialect, column.rule.items!.kind);
  return `SELECT DISTINCT ${row}.${quoted(columnName(resource.identity))}, ${item} FROM ${rows}${dialect.items(list, 'i')}`;
}

/** SQL for whether an item of a stored list, whose items are of a kind, meets a condition. */
export const hasItem = (
  dialect: StoreDialect,
  list: string,
  kind: ColumnKind,
  meets: (item: string) => string,
): string => `EXISTS (SELECT 1 FROM ${dialect.items(list, 'i')} WHERE ${meets(itemOf(dialect, kind))})`;

/** An item of a JSON array, with the alias `i`, as a column of its kind holds it. */
function itemOf(dialect: StoreDialect, kind: ColumnKind): string {
  const type = isScalarKind(kind) ? scalarType(kind, null, false) : STRING;
  return dialect.item('i', kind === 'uuid', type);
}

import type { WeighedWords } from '../../expression/sql/dialect.ts';
import type { ResourcePlan } from '../../plan/step.ts';
import { columnName, quoted, searchedFields, shortened, tableName } from '../tables.ts';

/**
 * The words of a row, as the index has them. The words are lexemes already, so that no configuration of text search
 * splits or changes them.
 */
function searchVector(resource: ResourcePlan, prefix = ''): string {
  const words = searchedFields(resource).map(({ column }) => `coalesce(${prefix}${quoted(columnName(column))}, '')`);
  return `array_to_tsvector(array_remove(string_to_array(${words.join(' || ')}, ' '), ''))`;
}

/**
 * The condition that a row matches a query. The query reads the index first: PostgreSQL would often read all rows in
 * the order of the list instead, since it knows no words when it plans a prepared statement.
 */
export const searchCondition = (resource: ResourcePlan, alias: string, query: string): string =>
  `(${alias}.ctid = ANY (ARRAY(SELECT s.ctid FROM ${quoted(tableName(resource.name))} AS s WHERE ${searchVector(resource, 's.')} @@ (${query})::tsquery)))`;

/** The points of a row: the terms are counted by the characters that the words lose without them. */
export function searchPoints(words: readonly WeighedWords[], terms: () => string): string {
  const each = words.map(
    (one) =>
      `${one.weight} * coalesce((length(${one.words}) - length(replace(${one.words}, p.term, ''))) / length(p.term), 0)`,
  );
  return `(SELECT coalesce(sum(${each.join(' + ')}), 0)::bigint FROM unnest(string_to_array(${terms()}, chr(10))) AS p(term))`;
}

/** The name and the definition of the index of a search; null where the resource has none. */
export function searchIndex(resource: ResourcePlan): { readonly name: string; readonly on: string } | null {
  const columns = searchedFields(resource).map(({ column }) => columnName(column));
  if (columns.length === 0) return null;
  const table = tableName(resource.name);
  return {
    name: shortened(`ninefold_lookup_${table}_${columns.join('_')}`),
    on: `ON ${quoted(table)} USING gin (${searchVector(resource)})`,
  };
}

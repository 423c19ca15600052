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

/** The function that tells PostgreSQL what the words of a row cost. */
export const COST_OF_WORDS = 'search_cost';

/**
 * The condition that a row matches a query. `cost` is a call that is always true and has the cost of reading the words of
 * a row. Without it, PostgreSQL plans as if reading them cost nothing, and reads all rows in the order of a list.
 */
export const searchCondition = (resource: ResourcePlan, alias: string, query: string, cost: string): string =>
  `(${searchVector(resource, `${alias}.`)} @@ (${query})::tsquery AND ${cost})`;

/** Room to note each row that has a word, in a table of some millions: without it, whole pages are noted, and read again. */
export const ROOM_FOR_WORDS = `SELECT set_config('work_mem', '16MB', false)
  WHERE pg_size_bytes(current_setting('work_mem')) < pg_size_bytes('16MB')`;

/**
 * Whether a statement searches. Such a statement is planned each time, with its words: how many rows have them decides
 * whether PostgreSQL reads the index of the words first, or the rows in the order of the list.
 */
export const searches = (text: string): boolean => text.includes('::tsquery');

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

/** Whether the definition of an index is that of a search. */
export const isOfWords = (definition: string): boolean => definition.includes(' USING gin ');

import type { ResourcePlan } from '../../plan/step.ts';
import { columnName, quoted, searchedFields, shortened, tableName } from '../tables.ts';

/**
 * The words of a row, as the index has them. The words are lexemes already, so that no configuration of text search
 * splits or changes them.
 */
export function searchVector(resource: ResourcePlan, prefix = ''): string {
  const words = searchedFields(resource).map(({ column }) => `coalesce(${prefix}${quoted(columnName(column))}, '')`);
  return `array_to_tsvector(array_remove(string_to_array(${words.join(' || ')}, ' '), ''))`;
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

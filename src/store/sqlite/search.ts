import type { WeighedWords } from '../../expression/sql/dialect.ts';
import type { ResourcePlan } from '../../plan/step.ts';
import { columnName, quoted, searchedFields, tableName } from '../tables.ts';

/** The beginning of the names of all full-text indexes, and of the triggers that keep them. */
export const SEARCH_PREFIX = 'ninefold_search_';

/** A table’s name has no dot, so that no table of one index has the name of another index. */
const searchTableName = (resource: string): string => `${SEARCH_PREFIX}${tableName(resource)}.words`;

/** The condition that the index of a resource finds a row by a query. */
function searchCondition(alias: string, resource: string, query: string): string {
  const index = quoted(searchTableName(resource));
  return `(${alias}._rowid_ IN (SELECT rowid FROM ${index} WHERE ${index} MATCH ${query}))`;
}

/** A query for the ids of the first rows after a row id that the index finds, in their order. */
function searchMatches(resource: string, query: string, after: string, most: string): string {
  const index = quoted(searchTableName(resource));
  return `SELECT rowid FROM ${index} WHERE ${index} MATCH ${query} AND rowid > ${after} ORDER BY rowid LIMIT ${most}`;
}

/** The points of a row: the terms are counted by the bytes that the words lose without them. */
function searchPoints(words: readonly WeighedWords[], terms: () => string): string {
  const bytes = (text: string): string => `octet_length(${text})`;
  const each = words.map(({ words: text, weight }) => {
    const lost = `${bytes(text)} - ${bytes(`replace(${text}, p.value, '')`)}`;
    return `${weight} * coalesce((${lost}) / ${bytes('p.value')}, 0)`;
  });
  return `(SELECT coalesce(sum(${each.join(' + ')}), 0) FROM json_each(${terms()}) AS p)`;
}

/** The SQL of searches. */
export const SEARCH = {
  querySyntax: 'FTS5',
  termSyntax: 'JSON terms',
  matching: searchCondition,
  matches: searchMatches,
  points: searchPoints,
} as const;

/** A full-text index with the statements that make it, fill it from the rows, and keep it. */
export interface SearchTable {
  readonly name: string;
  readonly made: readonly string[];
}

/**
 * The full-text index of a resource: an FTS5 table without contents of its own, since the rows have the words. The
 * tokenizer `ascii` splits at the spaces between stored words alone, because words have no other ASCII characters than
 * small letters and digits. Triggers keep the index, so that no write needs to know it.
 */
export function searchTable(resource: ResourcePlan): SearchTable | null {
  const columns = searchedFields(resource).map(({ column }) => quoted(columnName(column)));
  if (columns.length === 0) return null;
  const name = searchTableName(resource.name);
  const [index, table] = [quoted(name), quoted(tableName(resource.name))];
  const list = columns.join(', ');
  const of = (row: 'OLD' | 'NEW'): string =>
    [`${row}._rowid_`, ...columns.map((column) => `${row}.${column}`)].join(', ');
  const removed = `INSERT INTO ${index} (${index}, rowid, ${list}) VALUES ('delete', ${of('OLD')});`;
  const added = `INSERT INTO ${index} (rowid, ${list}) VALUES (${of('NEW')});`;
  const changed = columns.map((column) => `NEW.${column} IS NOT OLD.${column}`).join(' OR ');
  const trigger = (what: string, on: string, body: string): string =>
    `CREATE TRIGGER ${quoted(`${name} ${what}`)} AFTER ${on} BEGIN ${body} END`;
  return {
    name,
    made: [
      `CREATE VIRTUAL TABLE ${index} USING fts5(${list}, content=${table}, content_rowid='_rowid_', tokenize='ascii', detail=none, columnsize=0)`,
      // Removed words leave the index at once, as removed rows leave the table.
      `INSERT INTO ${index} (${index}, rank) VALUES ('secure-delete', 1)`,
      `INSERT INTO ${index} (${index}) VALUES ('rebuild')`,
      trigger('inserted', `INSERT ON ${table}`, added),
      trigger('updated', `UPDATE OF ${list} ON ${table} WHEN ${changed}`, `${removed} ${added}`),
      trigger('deleted', `DELETE ON ${table}`, removed),
    ],
  };
}

import type { Dialect } from '../expression/sql.ts';
import type { Type } from '../expression/types.ts';
import type { ColumnKind, ResourcePlan } from '../plan/step.ts';
import { functionName } from './postgres.functions.ts';
import { postgresPattern } from './postgres.patterns.ts';
import { columnName, quoted, tableName } from './tables.ts';

/**
 * What columns are: a timestamp is milliseconds since the epoch, a duration milliseconds, a decimal a whole number of
 * its last digit, a date its ISO text. Text compares by code point, whatever the database’s own order is.
 */
export const COLUMN_TYPES: Readonly<Record<ColumnKind, string>> = {
  text: 'text COLLATE "C"',
  uuid: 'uuid',
  integer: 'bigint',
  decimal: 'bigint',
  boolean: 'boolean',
  timestamp: 'bigint',
  date: 'text COLLATE "C"',
  duration: 'bigint',
  list: 'jsonb',
  set: 'jsonb',
  map: 'jsonb',
};

/** What a parameter that stands for a column is said to be. */
export const parameterType = (kind: ColumnKind): string => COLUMN_TYPES[kind].replace(' COLLATE "C"', '');

/** Functions of lists and maps that give an item, which is JSON, whatever it holds. */
const GIVE_ITEMS = new Set([
  'list_first',
  'list_last',
  'list_min',
  'list_max',
  'list_item',
  'map_item',
  'math_greatest_of',
  'math_least_of',
]);

/** How PostgreSQL writes what dialects write differently; `uses` is told each function of the library that is called. */
export function postgresDialect(resources: readonly ResourcePlan[], uses: (id: string) => void): Dialect {
  const byName = new Map(resources.map((resource) => [resource.name, resource]));
  const of = (name: string): ResourcePlan => byName.get(name)!;
  const identityKind = (name: string): ColumnKind =>
    of(name).columns.find((column) => column.name === of(name).identity)!.rule.kind;
  /** The SQL type of a value that an expression computes. */
  const typeOf = (type: Type): string => {
    switch (type.kind) {
      case 'integer':
      case 'decimal':
      case 'timestamp':
      case 'duration':
        return 'bigint';
      case 'boolean':
        return 'boolean';
      case 'list':
      case 'map':
      case 'tuple':
        return 'jsonb';
      case 'row':
        return identityKind(type.resource) === 'uuid' ? 'text' : parameterType(identityKind(type.resource));
      default:
        return 'text';
    }
  };
  const call = (id: string, args: readonly string[]): string => {
    uses(id);
    return `${functionName(id)}(${args.join(', ')})`;
  };
  const uuidOf = (text: string): string => call('uuid', [text]);
  /** What JSON holds, as a value of a type. */
  const fromJson = (json: string, type: Type): string => {
    const sql = typeOf(type);
    if (sql === 'jsonb') return json;
    return sql === 'text' ? `(${json} #>> '{}')` : `(${json} #>> '{}')::${sql}`;
  };
  const ordered = (value: string, type: Type): string =>
    typeOf(type) === 'text' && !isUuid(type, identityKind) ? `${value} COLLATE "C"` : value;
  return {
    table: (resource) => quoted(tableName(resource)),
    column: (alias, _resource, field) => `${alias}.${quoted(columnName(field))}`,
    identity: (resource) => of(resource).identity,
    order: (resource) => of(resource).order,
    text: (value) => `${textLiteral(value)}::text`,
    parameter: (index, uuid, type) => `$${index}::${uuid ? 'uuid' : typeOf(type)}`,
    uuidIdentity: (resource) => identityKind(resource) === 'uuid',
    position: (text, part) => `strpos(${text}, ${part})`,
    same: (a, b) => (a === 'NULL' ? `${b} IS NULL` : b === 'NULL' ? `${a} IS NULL` : `${a} IS NOT DISTINCT FROM ${b}`),
    ordered,
    directed: (value, descending, type) => {
      // NULL stands first on SQLite, and last here.
      const nulls = type.nullable ? (descending ? ' NULLS LAST' : ' NULLS FIRST') : '';
      return `${ordered(value, type)}${descending ? ' DESC' : ''}${nulls}`;
    },
    divided: (fn, a, b) => `(${a} ${fn} nullif(${b}, 0))`,
    characters: (text) => `length(${text})::bigint`,
    endsWith: (text, part) => `(right(${text()}, length(${part()})) = ${part()})`,
    aggregate: (fn, value, type) => {
      if (fn === 'sum') return `coalesce(sum(${value}), 0)::bigint`;
      if (type.kind === 'boolean') return fn === 'min' ? `bool_and(${value})` : `bool_or(${value})`;
      if (isUuid(type, identityKind)) return `${fn}((${value})::text COLLATE "C")::uuid`;
      return `${fn}(${ordered(value, type)})`;
    },
    items: (json, alias) => `jsonb_array_elements(${json}) WITH ORDINALITY AS ${alias}(value, key)`,
    item: (alias, uuid, type) => (uuid ? uuidOf(`(${alias}.value #>> '{}')`) : fromJson(`${alias}.value`, type)),
    itemOrder: (alias) => `${alias}.key`,
    length: (json) => `jsonb_array_length(${json})::bigint`,
    array: (values) => `jsonb_build_array(${values.join(', ')})`,
    arrayOf: (value, order) => `coalesce(jsonb_agg(${value} ORDER BY ${order.join(', ')}), '[]'::jsonb)`,
    hexadecimal: (uuid) => `(${uuid})::text`,
    call: (id, args, type) => {
      // Here JSON says itself what is true, and has UUIDs as their text.
      if (id === 'whole_uuids' || id === 'whole_booleans') return args[0]!;
      return GIVE_ITEMS.has(id) ? fromJson(call(id, args), type) : call(id, args);
    },
    pattern: (source) => textLiteral(postgresPattern(source)),
    uuidText: (uuid) => `(${uuid})::text`,
    uuidOf,
    object: (members) =>
      `jsonb_build_object(${members.map(([name, value]) => `${textLiteral(name)}, ${value}`).join(', ')})`,
    json: (value) => value,
  };
}

/** True for what is stored as a UUID, which is in order by itself. */
const isUuid = (type: Type, identityKind: (resource: string) => ColumnKind): boolean =>
  (type.kind === 'string' && type.format === 'uuid') || (type.kind === 'row' && identityKind(type.resource) === 'uuid');

/** Text as a literal, whatever `standard_conforming_strings` says of backslashes. */
export function textLiteral(text: string): string {
  const inside = text.replaceAll("'", "''");
  return text.includes('\\') ? `E'${inside.replaceAll('\\', '\\\\')}'` : `'${inside}'`;
}

import type { Dialect } from '../../expression/sql/dialect.ts';
import { scalarKindOf, type Type } from '../../expression/tree/types.ts';
import { heldAs } from '../../expression/values/kinds.ts';
import type { Value } from '../../expression/values/value.ts';
import { resultsOf } from '../../plan/bounds.ts';
import { named } from '../../plan/named.ts';
import type { ColumnKind, ResourcePlan } from '../../plan/step.ts';
import type { ArgumentKind, StoreDialect, SystemFragments } from '../sql/dialect.ts';
import { itemsTableOf } from '../sql/items.ts';
import { columnName, FOLDED, quoted, tableName, wordsColumn } from '../tables.ts';
import { DATABASE_TIME } from './clock.ts';
import { functionName } from './functions.ts';
import { postgresPattern } from './patterns.ts';
import { COST_OF_WORDS, searchCondition, searchPoints } from './search.ts';
import { bound } from './values.ts';

/** The column type for each way to hold a value. */
const TYPES = {
  text: 'text',
  uuid: 'uuid',
  whole: 'bigint',
  boolean: 'boolean',
  json: 'jsonb',
} as const satisfies Readonly<Record<ReturnType<typeof heldAs>, string>>;

/** The SQL type of an argument, or of a parameter that replaces a column. */
export const argumentType = (kind: ArgumentKind): string => (kind === 'bytes' ? 'bytea' : TYPES[heldAs(kind)]);

/** The type of a column. Strings are compared by code point, whatever the database’s collation is. */
export const columnType = (kind: ColumnKind): string => {
  const type = argumentType(kind);
  return type === 'text' ? `${type} COLLATE "C"` : type;
};

/** Functions of lists and maps that return an item, which is JSON of any type. */
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

/** The SQL types of expressions over the resources of one plan. */
class Types {
  private readonly byName: ReadonlyMap<string, ResourcePlan>;

  constructor(resources: readonly ResourcePlan[]) {
    this.byName = new Map(resources.map((resource) => [resource.name, resource]));
  }

  resource(name: string): ResourcePlan {
    return this.byName.get(name)!;
  }

  identityKind(name: string): ColumnKind {
    const { columns, identity } = this.resource(name);
    return named(columns, identity).rule.kind;
  }

  /** The SQL type of a value that is not compared with stored UUIDs. */
  of(type: Type): string {
    switch (type.kind) {
      case 'list':
      case 'map':
      case 'tuple':
        return 'jsonb';
      case 'row': {
        const kind = this.identityKind(type.resource);
        return kind === 'uuid' ? 'text' : argumentType(kind);
      }
      default: {
        const kind = scalarKindOf(type);
        return kind === null || kind === 'uuid' ? 'text' : argumentType(kind);
      }
    }
  }

  /** Whether a type is stored as a UUID, which needs no collation. */
  isUuid(type: Type): boolean {
    if (type.kind === 'row') return this.identityKind(type.resource) === 'uuid';
    return type.kind === 'string' && type.format === 'uuid';
  }

  /** SQL that converts a JSON value to a value of a type. */
  fromJson(json: string, type: Type): string {
    const sql = this.of(type);
    if (sql === 'jsonb') return json;
    return sql === 'text' ? `(${json} #>> '{}')` : `(${json} #>> '{}')::${sql}`;
  }

  /** Strings are sorted by code point. */
  ordered(value: string, type: Type): string {
    return this.of(type) === 'text' && !this.isUuid(type) ? `${value} COLLATE "C"` : value;
  }
}

/** The SQL dialect of PostgreSQL. Calls `uses` with each library function that statements call. */
export function postgresDialect(resources: readonly ResourcePlan[], uses: (id: string) => void): StoreDialect {
  const types = new Types(resources);
  const call = (id: string, args: readonly string[]): string => {
    uses(id);
    return `${functionName(id)}(${args.join(', ')})`;
  };
  return {
    results: resultsOf(resources),
    ...values(types),
    total: (value) => call('exact', [`coalesce(sum(${value}), 0)`]),
    ...jsonValues(types, call),
    table: (resource) => quoted(tableName(resource)),
    column: (alias, _resource, field) => `${alias}.${quoted(columnName(field))}`,
    folded: (field) => FOLDED + field,
    querySyntax: 'tsquery',
    termSyntax: 'terms',
    matching: (alias, resource, query) =>
      searchCondition(types.resource(resource), alias, query, call(COST_OF_WORDS, [`${alias}.ctid`])),
    points: searchPoints,
    words: wordsColumn,
    identity: (resource) => types.resource(resource).identity,
    itemsTable: (resource, field) => itemsTableOf(types.resource(resource), field),
    order: (resource) => types.resource(resource).order,
    uuidIdentity: (resource) => types.identityKind(resource) === 'uuid',
    call: (id, args, type) => {
      // PostgreSQL’s JSON has booleans, and UUIDs as text.
      if (id === 'whole_uuids' || id === 'whole_booleans') return args[0]!;
      return GIVE_ITEMS.has(id) ? types.fromJson(call(id, args), type) : call(id, args);
    },
    uuidOf: (text) => call('uuid', [text]),
    argument: (number, kind) => `$${number}::${argumentType(kind)}`,
    literal,
    numbered: true,
    member: (alias, place, kind) => `(${alias}.value ->> ${place})::${argumentType(kind)}`,
    selected: (column) => column,
    // The column of the holder stores the identity as text.
    holderKind: () => 'text',
    holder: (stored, identity) => `${stored}::${argumentType(identity)}`,
    matches: null,
    givingKey: (column) => ` RETURNING ${column}`,
    system: SYSTEM_FRAGMENTS,
  };
}

/** A literal. If a UUID is expected and the text is none, the literal is NULL, which equals nothing. */
function literal(value: Value, uuid: boolean): string {
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (typeof value === 'number') return `(${value})`;
  const [given] = bound([value], [uuid]);
  if (typeof given !== 'string') return 'NULL';
  return `${textLiteral(given)}::${uuid ? 'uuid' : typeof value === 'string' ? 'text' : 'jsonb'}`;
}

/** Events get their place in the stream after their commit, since sequences do not follow the order of commits. */
const SYSTEM_FRAGMENTS: SystemFragments = {
  holderText: 'holder',
  place: 's.place',
  lastPlace: "SELECT value::bigint FROM ninefold_meta WHERE key = 'streamed'",
  // The number of the table tells the services of one database apart.
  claimed: (hash) =>
    `SELECT pg_try_advisory_xact_lock(hashtextextended(${hash}, 'ninefold_answer'::regclass::oid::bigint))::int`,
  held: ' FOR SHARE',
  clock: DATABASE_TIME,
  nextEvent: "SELECT nextval(pg_get_serial_sequence('ninefold_event', 'seq'))",
  deliveriesOf: (ids) => `CROSS JOIN LATERAL (${ids}) AS first JOIN ninefold_delivery d ON d.id = first.id`,
};

type Values =
  | 'text'
  | 'parameter'
  | 'position'
  | 'same'
  | 'ordered'
  | 'directed'
  | 'divided'
  | 'times'
  | 'apart'
  | 'characters'
  | 'endsWith'
  | 'aggregate'
  | 'pattern'
  | 'uuidText';

function values(types: Types): Pick<Dialect, Values> {
  return {
    text: (value) => `${textLiteral(value)}::text`,
    parameter: (index, uuid, type) => `$${index}::${uuid ? 'uuid' : types.of(type)}`,
    position: (text, part) => `strpos(${text}, ${part})`,
    same: (a, b) => {
      // PostgreSQL uses an index for IS NULL, and not for IS NOT DISTINCT FROM.
      if (a === 'NULL') return `${b} IS NULL`;
      return b === 'NULL' ? `${a} IS NULL` : `${a} IS NOT DISTINCT FROM ${b}`;
    },
    ordered: (value, type) => types.ordered(value, type),
    directed: (value, descending, type, nulls = descending ? 'last' : 'first') => {
      // SQLite sorts NULL first, and PostgreSQL last.
      const place = type.nullable ? ` NULLS ${nulls.toUpperCase()}` : '';
      return `${types.ordered(value, type)}${descending ? ' DESC' : ''}${place}`;
    },
    apart: ' OFFSET 0',
    times: (a, b) => `(${a}::numeric * ${b})`,
    divided: (fn, a, b) => `(${a} ${fn} nullif(${b}, 0))`,
    characters: (text) => `length(${text})::bigint`,
    endsWith: (text, part) => `(right(${text()}, length(${part()})) = ${part()})`,
    aggregate: (fn, value, type) => {
      if (fn === 'sum') return `coalesce(sum(${value}), 0)::bigint`;
      if (type.kind === 'boolean') return fn === 'min' ? `bool_and(${value})` : `bool_or(${value})`;
      if (types.isUuid(type)) return `${fn}((${value})::text COLLATE "C")::uuid`;
      return `${fn}(${types.ordered(value, type)})`;
    },
    pattern: (source) => textLiteral(postgresPattern(source)),
    uuidText: (uuid) => `(${uuid})::text`,
  };
}

type Json = 'items' | 'item' | 'itemOrder' | 'length' | 'array' | 'arrayOf' | 'hexadecimal' | 'object' | 'json';

/** SQL of lists, sets and maps, which are JSON with typed values. */
function jsonValues(types: Types, call: (id: string, args: readonly string[]) => string): Pick<Dialect, Json> {
  return {
    items: (json, alias) => `jsonb_array_elements(${json}) WITH ORDINALITY AS ${alias}(value, key)`,
    item: (alias, uuid, type) =>
      uuid ? call('uuid', [`(${alias}.value #>> '{}')`]) : types.fromJson(`${alias}.value`, type),
    itemOrder: (alias) => `${alias}.key`,
    length: (json) => `jsonb_array_length(${json})::bigint`,
    array: (values) => `jsonb_build_array(${values.join(', ')})`,
    arrayOf: (value, order) => `coalesce(jsonb_agg(${value} ORDER BY ${order.join(', ')}), '[]'::jsonb)`,
    hexadecimal: (uuid) => `(${uuid})::text`,
    object: (members) =>
      `jsonb_build_object(${members.map(([name, value]) => `${textLiteral(name)}, ${value}`).join(', ')})`,
    json: (value) => value,
  };
}

/** A string literal that does not depend on `standard_conforming_strings`. */
function textLiteral(text: string): string {
  const inside = text.replaceAll("'", "''");
  return text.includes('\\') ? `E'${inside.replaceAll('\\', '\\\\')}'` : `'${inside}'`;
}

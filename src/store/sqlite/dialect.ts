import { jsonOf } from '../../expression/values/json.ts';
import { heldAs } from '../../expression/values/kinds.ts';
import { uuidBytes } from '../../expression/values/uuid.ts';
import type { Value } from '../../expression/values/value.ts';
import { resultsOf } from '../../plan/bounds.ts';
import { named } from '../../plan/named.ts';
import type { ColumnKind, ResourcePlan } from '../../plan/step.ts';
import type { StoreDialect, SystemFragments } from '../sql/dialect.ts';
import { itemsTableOf } from '../sql/items.ts';
import { columnName, FOLDED, quoted, tableName, wordsColumn } from '../tables.ts';
import { functionName } from './functions.ts';
import { SEARCH } from './search.ts';

/** The column type for each way to hold a value. Lists, sets and maps are JSON text, which is equal for equal values. */
const TYPES = {
  text: 'TEXT',
  uuid: 'BLOB',
  whole: 'INTEGER',
  boolean: 'INTEGER',
  json: 'TEXT',
} as const satisfies Readonly<Record<ReturnType<typeof heldAs>, string>>;

export const columnType = (kind: ColumnKind): string => TYPES[heldAs(kind)];

/**
 * A placeholder. Without the sign, SQLite would look at its value to choose an index or for a limit, and prepare the
 * statement again for each new value (sqlite3_prepare_v3). The sign has no other effect.
 */
const PLACE = '+?';

const SYSTEM_FRAGMENTS: SystemFragments = {
  holderText: `CASE typeof(holder) WHEN 'blob' THEN lower(substr(hex(holder), 1, 8) || '-' ||
    substr(hex(holder), 9, 4) || '-' || substr(hex(holder), 13, 4) || '-' || substr(hex(holder), 17, 4) || '-' ||
    substr(hex(holder), 21)) ELSE holder END`,
  place: 's.event',
  lastPlace: 'SELECT coalesce(max(event), 0) FROM ninefold_streamed',
  claimed: (hash) => `SELECT ${hash} IS NOT NULL`,
  held: '',
  clock: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  nextEvent: 'SELECT coalesce(max(seq), 0) + 1 FROM ninefold_event',
  deliveriesOf: (ids) => `CROSS JOIN ninefold_delivery d ON d.id IN (${ids})`,
};

/** The SQL dialect of SQLite. */
export function sqliteDialect(resources: readonly ResourcePlan[]): StoreDialect {
  const byName = new Map(resources.map((resource) => [resource.name, resource]));
  const of = (name: string): ResourcePlan => byName.get(name)!;
  return {
    results: resultsOf(resources),
    table: (resource) => quoted(tableName(resource)),
    column: (alias, _resource, field) => `${alias}.${quoted(columnName(field))}`,
    folded: (field) => FOLDED + field,
    ...SEARCH,
    words: wordsColumn,
    identity: (resource) => of(resource).identity,
    itemsTable: (resource, field) => itemsTableOf(of(resource), field),
    order: (resource) => of(resource).order,
    text: textLiteral,
    parameter: () => PLACE,
    argument: () => PLACE,
    literal,
    numbered: false,
    member: (alias, place, kind) => {
      const value = `json_extract(${alias}.value, '$[${place}]')`;
      return heldAs(kind) === 'uuid' ? uuidOf(value) : value;
    },
    // A UUID is selected as hexadecimal digits, which the driver reads faster than a Buffer.
    selected: (column, kind) => (kind === 'uuid' ? `hex(${column})` : column),
    holderKind: (identity) => identity,
    holder: (stored) => stored,
    givingKey: () => '',
    system: SYSTEM_FRAGMENTS,
    uuidIdentity: (resource) => {
      const { identity, columns } = of(resource);
      return named(columns, identity).rule.kind === 'uuid';
    },
    same: (a, b) => `${a} IS ${b}`,
    ordered: (value) => value,
    directed: (value, descending, _type, nulls = descending ? 'last' : 'first') => {
      // SQLite regards NULL as the lowest value, and finds no index for an order that states this again.
      const place = nulls === (descending ? 'last' : 'first') ? '' : ` NULLS ${nulls.toUpperCase()}`;
      return `${value}${descending ? ' DESC' : ''}${place}`;
    },
    // An argument may be bound as a floating-point number, and SQLite would divide it as one.
    divided: (fn, a, b) => (fn === '%' ? `(${a} % ${b})` : `(CAST(${a} AS INTEGER) / CAST(${b} AS INTEGER))`),
    characters: (text) => `length(${text})`,
    endsWith: (text, part) => {
      const [a, b, c, d] = [part(), text(), part(), part()];
      return `(length(${a}) = 0 OR substr(${b}, -length(${c})) = ${d})`;
    },
    apart: ' LIMIT -1 OFFSET 0',
    times: (a, b) => `(${a} * ${b})`,
    // The sum is computed in two parts, each far from the overflow at which SQLite fails.
    total: (value) =>
      `CASE WHEN abs(coalesce(sum(${value} >> 26), 0)) < 68719476736 THEN ${functionName('exact')}(coalesce(sum(${value} >> 26), 0) * 67108864 + coalesce(sum(${value} & 67108863), 0)) END`,
    aggregate: (fn, value) => (fn === 'sum' ? `coalesce(sum(${value}), 0)` : `${fn}(${value})`),
    position: (text, part) => `instr(${text}, ${part})`,
    items: (json, alias) => `json_each(${json}) AS ${alias}`,
    item: (alias, uuid) => (uuid ? uuidOf(`${alias}.value`) : `${alias}.value`),
    itemOrder: (alias) => `${alias}.key`,
    length: (json) => `json_array_length(${json})`,
    array: (values) => `json_array(${values.join(', ')})`,
    arrayOf: (value, order) => `json_group_array(${value} ORDER BY ${order.join(', ')})`,
    hexadecimal: (uuid) => `nullif(lower(hex(${uuid})), '')`,
    call: (id, args) => `${functionName(id)}(${args.join(', ')})`,
    pattern: (_source, text) => text(),
    uuidText: (uuid) => `${functionName('uuid_text')}(${uuid})`,
    uuidOf,
    object: (members) => `json_object(${members.map(([name, value]) => `${textLiteral(name)}, ${value}`).join(', ')})`,
    json: (text) => `json(${text})`,
  };
}

const uuidOf = (text: string): string => `unhex(replace(${text}, '-', ''))`;

const textLiteral = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * A literal. A UUID is a blob of its bytes. If a UUID is expected and the text is none, the literal is NULL, which
 * equals nothing.
 */
function literal(value: Value, uuid: boolean): string {
  if (value === null) return 'NULL';
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return textLiteral(jsonOf(value));
  return uuid ? blobLiteral(uuidBytes(value)) : textLiteral(value);
}

const blobLiteral = (bytes: Buffer | null): string => (bytes ? `x'${bytes.toString('hex')}'` : 'NULL');

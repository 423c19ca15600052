import type { Dialect } from '../expression/dialect.ts';
import { show } from '../expression/expr.ts';
import { sortedMap, valueOfJson } from '../expression/json.ts';
import { type Parameter, SqlWriter } from '../expression/sql.ts';
import { STRING, type Type } from '../expression/types.ts';
import { uuidText } from '../expression/uuid.ts';
import type { Row, Value } from '../expression/value.ts';
import type { ColumnKind, Plan } from '../plan/step.ts';
import { sqliteDialect } from './sqlite.schema.ts';
import { SQLITE_SYSTEM, SYSTEM_TRAITS } from './sqlite.system.ts';
import type { StatementSpec } from './store.ts';
import { columnName, quoted, type StoredColumn, type StoredResource, storedResource, tieBreakers } from './tables.ts';

/** A statement as SQLite takes it. */
export interface Written {
  readonly sql: string;
  readonly parameters: readonly Parameter[];
  /** The tables that it reads, of one whose answers to its one argument are worth remembering. */
  readonly reads?: readonly string[];
  /** True where it gives the key of the row that it has inserted: RETURNING would cost as much as the insertion. */
  readonly numbers?: true;
  /** Which arguments, the parameters' first, are UUIDs. */
  readonly blobs: readonly boolean[];
  /** The kinds of the columns that come back; null where they are plain. */
  readonly columns: readonly Shape[] | null;
  /** Makes whole rows of what comes back, of one that reads some columns alone. */
  readonly widen?: (values: Row) => Row;
}

/** Writes each kind of statement in SQLite's SQL. */
export class SqliteWriter {
  private readonly dialect: Dialect;
  private readonly resources: ReadonlyMap<string, StoredResource>;

  constructor(plan: Plan) {
    this.dialect = sqliteDialect(plan.resources);
    this.resources = new Map(plan.resources.map((resource) => [resource.name, storedResource(resource)]));
  }

  write(spec: StatementSpec): Written {
    const written = this.written(spec);
    return { ...written, sql: unlooked(written.sql) };
  }

  private written(spec: StatementSpec): Written {
    switch (spec.kind) {
      case 'select':
        return this.select(spec);
      case 'count':
        return this.count(spec);
      case 'row':
        return this.row(spec);
      case 'by key':
        return this.byKey(spec);
      case 'pointing':
        return this.pointing(spec.resource, spec.field);
      case 'value':
        return this.value(spec);
      case 'shown':
        return this.shown(spec);
      case 'insert':
        return this.insert(spec.resource);
      case 'update':
        return this.update(spec);
      case 'delete':
        return this.delete(spec.resource);
      case 'taken':
        return this.taken(spec);
      case 'start sequence':
        return this.startSequence(spec);
      case 'due':
      case 'next due':
        return this.due(spec);
      case 'credential':
        return this.credential(spec);
      case 'insert key':
      case 'revoke keys':
        return this.key(spec);
      case 'system':
        return { sql: SQLITE_SYSTEM[spec.name], parameters: [], blobs: [], columns: null, ...SYSTEM_TRAITS[spec.name] };
    }
  }

  /** A key’s holder is stored as the identity that it stands for is. */
  private key(spec: Extract<StatementSpec, { kind: 'insert key' | 'revoke keys' }>): Written {
    const uuid = this.resource(spec.resource).identity.kind === 'uuid';
    const base = { parameters: [], columns: null };
    if (spec.kind === 'insert key') {
      const sql = 'INSERT INTO ninefold_key (id, hash, holder, scopes, created, mark) VALUES (?, ?, ?, ?, ?, ?)';
      return { ...base, sql, blobs: [false, false, uuid] };
    }
    const sql = 'UPDATE ninefold_key SET revoked = ? WHERE holder = ? AND mark = ? AND revoked IS NULL';
    return { ...base, sql, blobs: [false, uuid] };
  }

  private resource(name: string): StoredResource {
    return this.resources.get(name)!;
  }

  private select(spec: Extract<StatementSpec, { kind: 'select' }>): Written {
    const { columns, table, plan, identity } = this.resource(spec.resource);
    const writer = new SqlWriter(this.dialect).bind('this', spec.resource, 't');
    const read = spec.columns ? columns.filter(({ name }) => spec.columns!.includes(name)) : columns;
    // Parameters count in the order in which they stand in the text.
    const also = (spec.also ?? []).map((expr) => `, ${writer.shown(expr)}`).join('');
    const among = spec.among ? `(SELECT * FROM ${table} AS t WHERE ${writer.write(spec.among)} LIMIT 1)` : table;
    const conditions = spec.where ? [writer.write(spec.where)] : [];
    const blobs: boolean[] = [];
    let order = '';
    if (spec.order) {
      const direction = spec.order.descending ? 'DESC' : 'ASC';
      const { by } = spec.order;
      const first = (): string[] => (by ? [writer.write(by)] : []);
      const ties = tieBreakers(plan.order, by);
      const tied = ties.map((field) => `t.${quoted(columnName(field))}`);
      if (spec.after) {
        const keys = [...first(), ...tied];
        conditions.push(
          `(${keys.join(', ')}) ${spec.order.descending ? '<' : '>'} (${keys.map(() => '?').join(', ')})`,
        );
        const kinds = ties.map((field) => columns.find((column) => column.name === field)!.kind);
        blobs.push(...(by ? [writer.isUuid(by)] : []), ...kinds.map((kind) => kind === 'uuid'));
      }
      // What is computed as a column already is named by its place: its parameters stand before those of the page.
      const place = spec.also?.findIndex((expr) => by && show(expr) === show(by)) ?? -1;
      const ordered = [...(place < 0 ? first() : [`${read.length + place + 1}`]), ...tied];
      order = ` ORDER BY ${ordered.map((name) => `${name} ${direction}`).join(', ')}`;
    }
    if (spec.only) {
      conditions.push(`t.${quoted(columnName(identity.name))} = ?`);
      blobs.push(identity.kind === 'uuid');
    }
    const where = conditions.length ? ` WHERE ${conditions.join(' AND ')}` : '';
    const bounds = `${spec.limit ? ' LIMIT ?' : spec.any ? ' LIMIT 1' : ''}${spec.skip ? ' OFFSET ?' : ''}`;
    const sql = `SELECT ${list(read, 't.')}${also} FROM ${among} AS t${where}${order}${bounds}`;
    return {
      sql,
      parameters: writer.parameters,
      blobs: [...writer.parameters.map((parameter) => parameter.uuid), ...blobs],
      columns: [...kinds(read), ...(spec.also ?? []).map((expr) => this.shape(expr.type))],
      ...(read === columns ? {} : { widen: widener(read, columns) }),
    };
  }

  private count(spec: Extract<StatementSpec, { kind: 'count' }>): Written {
    const { table } = this.resource(spec.resource);
    const writer = new SqlWriter(this.dialect).bind('this', spec.resource, 't');
    const where = spec.where ? ` WHERE ${writer.write(spec.where)}` : '';
    return {
      sql: `SELECT count(*) FROM ${table} AS t${where}`,
      parameters: writer.parameters,
      blobs: writer.parameters.map((parameter) => parameter.uuid),
      columns: ['integer'],
    };
  }

  private row({ resource }: Extract<StatementSpec, { kind: 'row' }>): Written {
    const { columns, table, identity } = this.resource(resource);
    const key = quoted(columnName(identity.name));
    const uuid = identity.kind === 'uuid';
    const sql = `SELECT ${list(columns)} FROM ${table} WHERE ${key} = ?`;
    return { sql, parameters: [], blobs: [uuid], columns: kinds(columns) };
  }

  /** One of the identities that JSON holds. */
  private among(uuid: boolean): string {
    return `IN (SELECT ${this.dialect.item('i', uuid, STRING)} FROM ${this.dialect.items('?', 'i')})`;
  }

  private shown(spec: Extract<StatementSpec, { kind: 'shown' }>): Written {
    const { table, identity } = this.resource(spec.resource);
    const writer = new SqlWriter(this.dialect).bind('this', spec.resource, 't');
    const also = spec.also.map((expr) => `, ${writer.shown(expr)}`).join('');
    const key = `t.${quoted(columnName(identity.name))}`;
    const uuid = identity.kind === 'uuid';
    return {
      sql: `SELECT ${list([identity], 't.')}${also} FROM ${table} AS t WHERE ${key} ${spec.many ? this.among(uuid) : '= ?'}`,
      parameters: writer.parameters,
      blobs: [...writer.parameters.map((parameter) => parameter.uuid), uuid && !spec.many],
      columns: [...kinds([identity]), ...spec.also.map((expr) => this.shape(expr.type))],
    };
  }

  private pointing(name: string, field: string): Written {
    const { columns, table, plan } = this.resource(name);
    const column = columns.find((one) => one.name === field)!;
    const order = plan.order.map((one) => quoted(columnName(one))).join(', ');
    const sql = `SELECT ${list(columns)} FROM ${table} WHERE ${quoted(columnName(field))} = ? ORDER BY ${order}`;
    return { sql, parameters: [], blobs: [column.kind === 'uuid'], columns: kinds(columns) };
  }

  private value(spec: Extract<StatementSpec, { kind: 'value' }>): Written {
    const writer = new SqlWriter(this.dialect);
    const sql = `SELECT ${writer.shown(spec.value)}`;
    return {
      sql,
      parameters: writer.parameters,
      blobs: writer.parameters.map((parameter) => parameter.uuid),
      columns: [this.shape(spec.value.type)],
    };
  }

  /** What a computed value comes back as. */
  private shape(type: Type): Shape {
    switch (type.kind) {
      case 'list':
        return { list: this.shape(type.of) };
      case 'map':
        return { map: this.shape(type.of) };
      case 'tuple':
        return { tuple: type.of.map((one) => this.shape(one)) };
      case 'row':
        return this.resource(type.resource).identity.kind;
      case 'string':
        return type.format === 'uuid' ? 'uuid' : 'text';
      case 'boolean':
      case 'integer':
      case 'timestamp':
      case 'date':
      case 'decimal':
      case 'duration':
        return type.kind;
      default:
        return 'integer';
    }
  }

  private insert(name: string): Written {
    const { columns, table } = this.resource(name);
    const names = columns.map((column) => quoted(columnName(column.name)));
    const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
    return { sql, parameters: [], blobs: columns.map((column) => column.kind === 'uuid'), columns: null };
  }

  private update(spec: Extract<StatementSpec, { kind: 'update' }>): Written {
    const { columns, table, identity } = this.resource(spec.resource);
    const written = columns.filter((column) => spec.columns.includes(column.name));
    const set = written.map((column) => `${quoted(columnName(column.name))} = ?`);
    const sql = `UPDATE ${table} SET ${set.join(', ')} WHERE ${quoted(columnName(identity.name))} = ?`;
    return {
      sql,
      parameters: [],
      blobs: [...written, identity].map((column) => column.kind === 'uuid'),
      columns: null,
    };
  }

  private delete(name: string): Written {
    const { table, identity } = this.resource(name);
    const sql = `DELETE FROM ${table} WHERE ${quoted(columnName(identity.name))} = ?`;
    return { sql, parameters: [], blobs: [identity.kind === 'uuid'], columns: null };
  }

  private byKey(spec: Extract<StatementSpec, { kind: 'by key' }>): Written {
    const { columns, table } = this.resource(spec.resource);
    const keys = spec.fields.map((field) => columns.find((column) => column.name === field)!);
    const equal = keys.map((column) => `${quoted(columnName(column.name))} = ?`).join(' AND ');
    return {
      sql: `SELECT ${list(columns)} FROM ${table} WHERE ${equal}`,
      parameters: [],
      blobs: keys.map((column) => column.kind === 'uuid'),
      columns: kinds(columns),
    };
  }

  private taken(spec: Extract<StatementSpec, { kind: 'taken' }>): Written {
    const { columns, table, identity } = this.resource(spec.resource);
    const keys = spec.fields.map((field) => columns.find((column) => column.name === field)!);
    const writer = new SqlWriter(this.dialect).bind('this', spec.resource, 't');
    const condition = spec.while ? `${writer.write(spec.while)} AND ` : '';
    const equal = keys.map((column) => `t.${quoted(columnName(column.name))} = ?`).join(' AND ');
    const other = `t.${quoted(columnName(identity.name))} IS NOT ?`;
    const blobs = [
      ...writer.parameters.map((p) => p.uuid),
      ...[...keys, identity].map((column) => column.kind === 'uuid'),
    ];
    const sql = `SELECT 1 FROM ${table} AS t WHERE ${condition}${equal} AND ${other} LIMIT 1`;
    return { sql, parameters: writer.parameters, blobs, columns: null };
  }

  /** Rows may be there from before, numbered by something else. */
  private startSequence(spec: Extract<StatementSpec, { kind: 'start sequence' }>): Written {
    const { columns, table } = this.resource(spec.resource);
    const per = columns.find((column) => column.name === spec.per);
    const where = per ? ` WHERE ${quoted(columnName(per.name))} = ?` : '';
    const last = `SELECT coalesce(max(${quoted(columnName(spec.field))}), 0) + 1 FROM ${table}${where}`;
    const sql = `INSERT INTO ninefold_sequence (name, per, last) VALUES (?, ?, (${last})) RETURNING last`;
    return { sql, parameters: [], blobs: per ? [false, false, per.kind === 'uuid'] : [], columns: null };
  }

  private due(spec: Extract<StatementSpec, { kind: 'due' | 'next due' }>): Written {
    const { columns, table, identity } = this.resource(spec.resource);
    const due = quoted(columnName(spec.column));
    const base = { parameters: [], blobs: [] };
    if (spec.kind === 'next due')
      return { ...base, sql: `SELECT min(${due}) FROM ${table} WHERE ${due} > 0`, columns: null };
    const order = `${due}, ${quoted(columnName(identity.name))}`;
    const sql = `SELECT ${list(columns)} FROM ${table} WHERE ${due} > 0 AND ${due} <= ? ORDER BY ${order} LIMIT 1`;
    return { ...base, sql, columns: kinds(columns) };
  }

  private credential({ resource, mark }: Extract<StatementSpec, { kind: 'credential' }>): Written {
    const { columns, table, identity } = this.resource(resource);
    const join = `t.${quoted(columnName(identity.name))} = k.holder`;
    const sql = `SELECT k.hash, k.scopes, ${list(columns, 't.')} FROM ninefold_key k JOIN ${table} t ON ${join}
      WHERE k.id = ? AND k.mark = '${mark.replaceAll("'", "''")}' AND k.revoked IS NULL`;
    const shapes: Shape[] = ['text', 'text', ...kinds(columns)];
    return { sql, parameters: [], blobs: [false], columns: shapes, reads: ['ninefold_key', table] };
  }
}

/**
 * A bare parameter is looked into for an index that its value may fit, or for a limit, and then SQLite prepares the
 * statement anew whenever another value is bound (sqlite3_prepare_v3). The sign keeps it from that, and changes nothing.
 */
const unlooked = (sql: string): string =>
  sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\?/g, (part) => (part === '?' ? '+?' : part));

/** Columns as they are selected: a UUID as its digits, since the driver makes text of them sooner than a Buffer. */
export function list(columns: readonly StoredColumn[], prefix = ''): string {
  const value = ({ name, kind }: StoredColumn): string => {
    const column = `${prefix}${quoted(columnName(name))}`;
    return kind === 'uuid' ? `hex(${column})` : column;
  };
  return columns.map(value).join(', ');
}

/** Puts the values of some columns, and what is computed of a row besides, where they stand in a whole row. */
function widener(read: readonly StoredColumn[], columns: readonly StoredColumn[]): (values: Row) => Row {
  const places = read.map((column) => columns.indexOf(column));
  const empty: Row = columns.map(() => null);
  return (values) => {
    const row = empty.slice();
    for (let i = 0; i < values.length; i++) row[places[i] ?? columns.length + i - places.length] = values[i]!;
    return row;
  };
}

/** What columns come back as that are selected so. */
export const kinds = (columns: readonly StoredColumn[]): Shape[] =>
  columns.map(({ kind }) => (kind === 'uuid' ? 'digits' : kind));

/** A stored value, or JSON that nests such. The digits of a UUID are none where there is no UUID. */
export type Shape =
  | ColumnKind
  | 'digits'
  | { readonly list: Shape }
  | { readonly map: Shape }
  | { readonly tuple: readonly Shape[] };

type Decode = (value: unknown) => Value;

/** How values that SQLite stores in another form come back: booleans as 0 and 1, UUIDs as 16 bytes, lists as JSON. */
export function columnDecoders(columns: readonly Shape[]): ReadonlyArray<{ at: number; value: Decode }> | null {
  const decoders = columns.map((shape): Decode | null => {
    if (typeof shape === 'object') {
      const nested = nestedDecoder(shape);
      return (value: unknown) => nested(JSON.parse(value as string));
    }
    if (shape === 'boolean') return (value: unknown) => value === 1;
    if (shape === 'list' || shape === 'set' || shape === 'map') return (value: unknown) => valueOfJson(value as string);
    if (shape === 'digits')
      return (value: unknown) => (value === '' ? null : uuidText((value as string).toLowerCase()));
    return shape === 'uuid' ? (value: unknown) => uuidText((value as Buffer).toString('hex')) : null;
  });
  const some = decoders.flatMap((value, at) => (value ? [{ at, value }] : []));
  return some.length ? some : null;
}

/** Inside JSON a UUID is its digits, since bytes can't stand there. */
function nestedDecoder(shape: Shape): Decode {
  if (typeof shape === 'object' && 'list' in shape) {
    const item = nestedDecoder(shape.list);
    return (value) => (value === null ? null : (value as unknown[]).map(item));
  }
  if (typeof shape === 'object' && 'map' in shape) {
    const one = nestedDecoder(shape.map);
    return (value) => (value === null ? null : mapOf(value as Record<string, unknown>, one));
  }
  if (typeof shape === 'object') {
    const items = shape.tuple.map(nestedDecoder);
    return (value) => (value === null ? null : items.map((item, i) => item((value as unknown[])[i])));
  }
  if (shape === 'boolean') return (value) => (value === null ? null : value === 1 || value === true);
  // In a list that a row holds a UUID is its text, and elsewhere in JSON its digits.
  if (shape === 'uuid')
    return (value) =>
      value === null || (value as string).includes('-') ? (value as Value) : uuidText(value as string);
  return (value) => value as Value;
}

const mapOf = (object: Record<string, unknown>, decode: Decode): Value =>
  sortedMap(Object.entries(object).map(([key, value]) => [key, decode(value)]));

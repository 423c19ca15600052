import { type Dialect, type Parameter, SqlWriter } from '../expression/sql.ts';
import type { Value } from '../expression/value.ts';
import type { ColumnKind, Plan, ResourcePlan } from '../plan/step.ts';
import { sqliteDialect } from './sqlite.schema.ts';
import { SQLITE_SYSTEM } from './sqlite.system.ts';
import type { StatementSpec } from './store.ts';
import type { SystemStatement } from './system.ts';
import { columnName, quoted, type StoredColumn, storedColumns, tableName } from './tables.ts';

/** A statement as SQLite takes it. */
export interface Written {
  readonly sql: string;
  readonly parameters: readonly Parameter[];
  /** Which arguments, the parameters' first, are UUIDs. */
  readonly blobs: readonly boolean[];
  /** The kinds of the columns that come back; null where they are plain. */
  readonly columns: readonly ColumnKind[] | null;
}

/** Writes each kind of statement in SQLite's SQL. */
export class SqliteWriter {
  private readonly plan: Plan;
  private readonly dialect: Dialect;

  constructor(plan: Plan) {
    this.plan = plan;
    this.dialect = sqliteDialect(plan.resources);
  }

  write(spec: StatementSpec): Written {
    switch (spec.kind) {
      case 'select':
        return this.select(spec);
      case 'row':
        return this.row(spec.resource);
      case 'by key':
        return this.byKey(spec);
      case 'aggregate':
        return this.aggregate(spec);
      case 'insert':
        return this.insert(spec.resource);
      case 'update':
        return this.update(spec.resource);
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
        return this.credential(spec.resource);
      case 'system':
        return this.system(spec.name);
    }
  }

  /** A key's holder is stored as the identity it stands for is. */
  private system(name: SystemStatement): Written {
    const resource = this.plan.credentials?.resource;
    const uuid = resource !== undefined && this.resource(resource).identity.kind === 'uuid';
    const base = { sql: SQLITE_SYSTEM[name], parameters: [], blobs: [], columns: null };
    if (name === 'insert key') return { ...base, blobs: [false, false, uuid] };
    if (name === 'revoke keys of holder') return { ...base, blobs: [false, uuid] };
    if (name === 'list keys') return { ...base, columns: ['text', uuid ? 'uuid' : 'text'] };
    return base;
  }

  private resource(name: string): {
    plan: ResourcePlan;
    columns: StoredColumn[];
    table: string;
    identity: StoredColumn;
  } {
    const plan = this.plan.resources.find((resource) => resource.name === name)!;
    const columns = storedColumns(plan);
    const identity = columns.find((column) => column.name === plan.identity)!;
    return { plan, columns, table: quoted(tableName(name)), identity };
  }

  private select(spec: Extract<StatementSpec, { kind: 'select' }>): Written {
    const { columns, table, identity } = this.resource(spec.resource);
    const writer = new SqlWriter(this.dialect).bind('this', spec.resource, 't');
    const conditions = spec.where ? [writer.write(spec.where)] : [];
    const blobs = writer.parameters.map((parameter) => parameter.uuid);
    let order = '';
    if (spec.order) {
      const by = columns.find((column) => column.name === spec.order!.field)!;
      const keys = [by, ...(by === identity ? [] : [identity])];
      const names = keys.map((column) => `t.${quoted(columnName(column.name))}`);
      const direction = spec.order.descending ? 'DESC' : 'ASC';
      order = ` ORDER BY ${names.map((name) => `${name} ${direction}`).join(', ')}`;
      if (spec.after) {
        conditions.push(
          `(${names.join(', ')}) ${spec.order.descending ? '<' : '>'} (${keys.map(() => '?').join(', ')})`,
        );
        blobs.push(...keys.map((column) => column.kind === 'uuid'));
      }
    }
    const where = conditions.length ? ` WHERE ${conditions.join(' AND ')}` : '';
    const sql = `SELECT ${list(columns, 't.')} FROM ${table} AS t${where}${order}${spec.limit ? ' LIMIT ?' : ''}`;
    return { sql, parameters: writer.parameters, blobs, columns: columns.map((column) => column.kind) };
  }

  private row(name: string): Written {
    const { columns, table, identity } = this.resource(name);
    const sql = `SELECT ${list(columns)} FROM ${table} WHERE ${quoted(columnName(identity.name))} = ?`;
    return { sql, parameters: [], blobs: [identity.kind === 'uuid'], columns: columns.map((column) => column.kind) };
  }

  private aggregate(spec: Extract<StatementSpec, { kind: 'aggregate' }>): Written {
    const writer = new SqlWriter(this.dialect);
    const sql = writer.aggregate(spec.query);
    const columns: ColumnKind[] = [spec.query.fn === 'exists' ? 'boolean' : 'integer'];
    return { sql, parameters: writer.parameters, blobs: writer.parameters.map((parameter) => parameter.uuid), columns };
  }

  private insert(name: string): Written {
    const { columns, table } = this.resource(name);
    const sql = `INSERT INTO ${table} (${list(columns)}) VALUES (${columns.map(() => '?').join(', ')})`;
    return { sql, parameters: [], blobs: columns.map((column) => column.kind === 'uuid'), columns: null };
  }

  private update(name: string): Written {
    const { columns, table, identity } = this.resource(name);
    const others = columns.filter((column) => column !== identity);
    const set = others.map((column) => `${quoted(columnName(column.name))} = ?`);
    const sql = `UPDATE ${table} SET ${set.join(', ')} WHERE ${quoted(columnName(identity.name))} = ?`;
    return {
      sql,
      parameters: [],
      blobs: [...others, identity].map((column) => column.kind === 'uuid'),
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
      columns: columns.map((column) => column.kind),
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
    return { ...base, sql, columns: columns.map((column) => column.kind) };
  }

  private credential(name: string): Written {
    const { columns, table, identity } = this.resource(name);
    const join = `t.${quoted(columnName(identity.name))} = k.holder`;
    const sql = `SELECT k.hash, k.scopes, ${list(columns, 't.')} FROM ninefold_key k JOIN ${table} t ON ${join}
      WHERE k.id = ? AND k.revoked IS NULL`;
    return { sql, parameters: [], blobs: [false], columns: ['text', 'text', ...columns.map((column) => column.kind)] };
  }
}

function list(columns: readonly StoredColumn[], prefix = ''): string {
  return columns.map((column) => `${prefix}${quoted(columnName(column.name))}`).join(', ');
}

/** How values that SQLite stores in another form come back: booleans as 0 and 1, UUIDs as 16 bytes, lists as JSON. */
export function columnDecoders(columns: readonly ColumnKind[]): Array<((value: unknown) => Value) | null> | null {
  const decoders = columns.map((kind) => {
    if (kind === 'boolean') return (value: unknown) => value === 1;
    if (kind === 'list' || kind === 'set') return (value: unknown) => JSON.parse(value as string) as Value;
    return kind === 'uuid' ? (value: unknown) => uuidText(value as Buffer) : null;
  });
  return decoders.some((one) => one) ? decoders : null;
}

function uuidText(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

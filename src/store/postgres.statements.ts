import type { Dialect } from '../expression/dialect.ts';
import { type Parameter, SqlWriter } from '../expression/sql.ts';
import type { Type } from '../expression/types.ts';
import type { ColumnKind, Plan } from '../plan/step.ts';
import { parameterType, postgresDialect, textLiteral } from './postgres.dialect.ts';
import { POSTGRES_SYSTEM } from './postgres.system.ts';
import type { StatementSpec } from './store.ts';
import { columnName, quoted, type StoredColumn, type StoredResource, storedResource, tieBreakers } from './tables.ts';

/** A statement as PostgreSQL takes it. */
export interface PostgresWritten {
  readonly sql: string;
  readonly parameters: readonly Parameter[];
  /** Which arguments, the parameters' first, are UUIDs: text that is none matches nothing. */
  readonly uuids: readonly boolean[];
}

type Of<K extends StatementSpec['kind']> = Extract<StatementSpec, { kind: K }>;

/** What a statement takes after its parameters, numbered once those are known. */
class Arguments {
  private readonly kinds: (ColumnKind | null)[] = [];

  /** The next argument: a stored value of a kind, or a number of rows. */
  next(kind: ColumnKind | null): string {
    this.kinds.push(kind);
    return `\u0000${this.kinds.length}\u0000`;
  }

  /** The statement with its arguments numbered. */
  written(sql: string, parameters: readonly Parameter[] = []): PostgresWritten {
    const numbered = sql.replace(/\u0000(\d+)\u0000/g, (_all, place: string) => {
      const type = parameterType(this.kinds[Number(place) - 1] ?? 'integer');
      return `$${parameters.length + Number(place)}::${type}`;
    });
    const uuids = [...parameters.map((one) => one.uuid), ...this.kinds.map((kind) => kind === 'uuid')];
    return { sql: numbered, parameters, uuids };
  }
}

/** Writes each kind of statement in PostgreSQL’s SQL. */
export class PostgresWriter {
  private readonly dialect: Dialect;
  private readonly resources: ReadonlyMap<string, StoredResource>;

  /** `uses` is told each function of the library that a statement calls. */
  constructor(plan: Plan, uses: (id: string) => void) {
    this.dialect = postgresDialect(plan.resources, uses);
    this.resources = new Map(plan.resources.map((resource) => [resource.name, storedResource(resource)]));
  }

  write(spec: StatementSpec): PostgresWritten {
    switch (spec.kind) {
      case 'select':
        return this.select(spec);
      case 'count':
        return this.count(spec);
      case 'row':
      case 'shown':
        return this.byIdentity(spec);
      case 'by key':
        return this.byKey(spec);
      case 'pointing':
        return this.pointing(spec);
      case 'value':
        return this.value(spec);
      case 'insert':
      case 'update':
      case 'delete':
        return this.change(spec);
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
        return keyStatement(spec);
      case 'system':
        return { sql: POSTGRES_SYSTEM[spec.name], parameters: [], uuids: [] };
    }
  }

  private resource(name: string): StoredResource {
    return this.resources.get(name)!;
  }

  private writer(resource: string): SqlWriter {
    return new SqlWriter(this.dialect).bind('this', resource, 't');
  }

  private select(spec: Of<'select'>): PostgresWritten {
    const { columns, table, plan, identity } = this.resource(spec.resource);
    const writer = this.writer(spec.resource);
    const args = new Arguments();
    const also = (spec.also ?? []).map((expr) => `, ${writer.shown(expr)}`).join('');
    const among = spec.among ? `(SELECT * FROM ${table} AS t WHERE ${writer.write(spec.among)} LIMIT 1)` : table;
    const conditions = spec.where ? [writer.write(spec.where)] : [];
    let order = '';
    if (spec.order) {
      const { by, descending } = spec.order;
      const ties = tieBreakers(plan.order, by).map((field) => columns.find((column) => column.name === field)!);
      const tied = ties.map((column) => `t.${quoted(columnName(column.name))}`);
      if (spec.after) {
        const keys = [...(by ? [this.dialect.ordered(writer.write(by), by.type)] : []), ...tied];
        const kinds = [...(by ? [this.kindOf(by.type)] : []), ...ties.map((one) => one.kind)];
        const last = kinds.map((kind) => args.next(kind));
        conditions.push(`(${keys.join(', ')}) ${descending ? '<' : '>'} (${last.join(', ')})`);
      }
      const first = by ? [this.dialect.directed(writer.write(by), descending, by.type)] : [];
      order = ` ORDER BY ${[...first, ...tied.map((name) => `${name}${descending ? ' DESC' : ''}`)].join(', ')}`;
    }
    if (spec.only) conditions.push(`t.${quoted(columnName(identity.name))} = ${args.next(identity.kind)}`);
    const where = conditions.length ? ` WHERE ${conditions.join(' AND ')}` : '';
    const limit = spec.limit ? ` LIMIT ${args.next(null)}` : spec.any ? ' LIMIT 1' : '';
    const skip = spec.skip ? ` OFFSET ${args.next(null)}` : '';
    const sql = `SELECT ${list(columns, 't.', spec.columns)}${also} FROM ${among} AS t${where}${order}${limit}${skip}`;
    return args.written(sql, writer.parameters);
  }

  /** The kind of column that would hold a value. */
  private kindOf(type: Type): ColumnKind {
    if (type.kind === 'row') return this.resource(type.resource).identity.kind;
    if (type.kind === 'string') return type.format === 'uuid' ? 'uuid' : 'text';
    return type.kind === 'boolean' || type.kind === 'date' || type.kind === 'list' || type.kind === 'map'
      ? type.kind
      : 'integer';
  }

  private count(spec: Of<'count'>): PostgresWritten {
    const writer = this.writer(spec.resource);
    const where = spec.where ? ` WHERE ${writer.write(spec.where)}` : '';
    const sql = `SELECT count(*) FROM ${this.resource(spec.resource).table} AS t${where}`;
    return new Arguments().written(sql, writer.parameters);
  }

  private byIdentity(spec: Of<'row' | 'shown'>): PostgresWritten {
    const { columns, table, identity } = this.resource(spec.resource);
    const writer = this.writer(spec.resource);
    const args = new Arguments();
    const chosen = spec.kind === 'row' ? columns : [identity];
    const also = spec.kind === 'row' ? [] : spec.also;
    const more = also.map((expr) => `, ${writer.shown(expr)}`).join('');
    const key = `t.${quoted(columnName(identity.name))}`;
    const item = { kind: identity.kind === 'uuid' ? 'string' : this.typeName(identity.kind), nullable: false } as Type;
    const one = this.dialect.item('i', identity.kind === 'uuid', item);
    const equal =
      spec.kind === 'shown' && spec.many
        ? `IN (SELECT ${one} FROM ${this.dialect.items(args.next('list'), 'i')})`
        : `= ${args.next(identity.kind)}`;
    const sql = `SELECT ${list(chosen, 't.')}${more} FROM ${table} AS t WHERE ${key} ${equal}`;
    return args.written(sql, writer.parameters);
  }

  private typeName(kind: ColumnKind): Type['kind'] {
    return kind === 'text' || kind === 'date' ? 'string' : kind === 'boolean' ? 'boolean' : 'integer';
  }

  private pointing({ resource, field }: Of<'pointing'>): PostgresWritten {
    const { columns, table, plan } = this.resource(resource);
    const column = columns.find((one) => one.name === field)!;
    const order = plan.order.map((one) => quoted(columnName(one))).join(', ');
    const args = new Arguments();
    const equal = `${quoted(columnName(field))} = ${args.next(column.kind)}`;
    const sql = `SELECT ${list(columns)} FROM ${table} WHERE ${equal} ORDER BY ${order}`;
    return args.written(sql);
  }

  private value(spec: Of<'value'>): PostgresWritten {
    const writer = new SqlWriter(this.dialect);
    const sql = `SELECT ${writer.shown(spec.value)}`;
    return new Arguments().written(sql, writer.parameters);
  }

  private change(spec: Of<'insert' | 'update' | 'delete'>): PostgresWritten {
    const { columns, table, identity } = this.resource(spec.resource);
    const args = new Arguments();
    const name = (column: StoredColumn): string => quoted(columnName(column.name));
    if (spec.kind === 'insert') {
      const values = columns.map((column) => args.next(column.kind)).join(', ');
      return args.written(`INSERT INTO ${table} (${columns.map(name).join(', ')}) VALUES (${values})`);
    }
    const set = columns
      .filter((column) => spec.kind === 'update' && spec.columns.includes(column.name))
      .map((column) => `${name(column)} = ${args.next(column.kind)}`);
    const what = spec.kind === 'update' ? `UPDATE ${table} SET ${set.join(', ')}` : `DELETE FROM ${table}`;
    return args.written(`${what} WHERE ${name(identity)} = ${args.next(identity.kind)}`);
  }

  private byKey(spec: Of<'by key'>): PostgresWritten {
    const { columns, table } = this.resource(spec.resource);
    const args = new Arguments();
    const keys = spec.fields.map((field) => columns.find((column) => column.name === field)!);
    const equal = keys.map((column) => `${quoted(columnName(column.name))} = ${args.next(column.kind)}`).join(' AND ');
    return args.written(`SELECT ${list(columns)} FROM ${table} WHERE ${equal}`);
  }

  private taken(spec: Of<'taken'>): PostgresWritten {
    const { columns, table, identity } = this.resource(spec.resource);
    const writer = this.writer(spec.resource);
    const args = new Arguments();
    const keys = spec.fields.map((field) => columns.find((column) => column.name === field)!);
    const condition = spec.while ? `${writer.write(spec.while)} AND ` : '';
    const equal = keys
      .map((column) => `t.${quoted(columnName(column.name))} = ${args.next(column.kind)}`)
      .join(' AND ');
    const other = `t.${quoted(columnName(identity.name))} IS DISTINCT FROM ${args.next(identity.kind)}`;
    const sql = `SELECT 1 FROM ${table} AS t WHERE ${condition}${equal} AND ${other} LIMIT 1`;
    return args.written(sql, writer.parameters);
  }

  /** Rows may be there from before, numbered by something else. */
  private startSequence(spec: Of<'start sequence'>): PostgresWritten {
    const { columns, table } = this.resource(spec.resource);
    const per = columns.find((column) => column.name === spec.per);
    const args = new Arguments();
    const names = [args.next('text'), args.next('text')].join(', ');
    const where = per ? ` WHERE ${quoted(columnName(per.name))} = ${args.next(per.kind)}` : '';
    const last = `SELECT coalesce(max(${quoted(columnName(spec.field))}), 0) + 1 FROM ${table}${where}`;
    const sql = `INSERT INTO ninefold_sequence (name, per, last) VALUES (${names}, (${last})) RETURNING last`;
    return args.written(sql);
  }

  private due(spec: Of<'due' | 'next due'>): PostgresWritten {
    const { columns, table, identity } = this.resource(spec.resource);
    const due = quoted(columnName(spec.column));
    const args = new Arguments();
    if (spec.kind === 'next due') return args.written(`SELECT min(${due}) FROM ${table} WHERE ${due} > 0`);
    const order = `${due}, ${quoted(columnName(identity.name))}`;
    const come = `${due} > 0 AND ${due} <= ${args.next('timestamp')}`;
    const sql = `SELECT ${list(columns)} FROM ${table} WHERE ${come} ORDER BY ${order} LIMIT 1`;
    return args.written(sql);
  }

  private credential({ resource, mark }: Of<'credential'>): PostgresWritten {
    const { columns, table, identity } = this.resource(resource);
    const args = new Arguments();
    const join = `t.${quoted(columnName(identity.name))} = k.holder::${parameterType(identity.kind)}`;
    // The mark is looked at before the holder is read: another scheme’s may be no identity of this resource.
    const sql = `SELECT k.hash, k.scopes, ${list(columns, 't.')} FROM
      (SELECT hash, scopes, CASE WHEN mark = ${textLiteral(mark)} THEN holder END AS holder FROM ninefold_key
        WHERE id = ${args.next('text')} AND revoked IS NULL) AS k JOIN ${table} t ON ${join}`;
    return args.written(sql);
  }
}

/** A key’s holder is stored as the text of the identity that it stands for. */
function keyStatement({ kind }: Of<'insert key' | 'revoke keys'>): PostgresWritten {
  const sql =
    kind === 'insert key'
      ? 'INSERT INTO ninefold_key (id, hash, holder, scopes, created, mark) VALUES ($1, $2, $3, $4, $5, $6)'
      : 'UPDATE ninefold_key SET revoked = $1 WHERE holder = $2 AND mark = $3 AND revoked IS NULL';
  return { sql, parameters: [], uuids: [] };
}

/** Columns as they are selected; NULL for those that nobody needs. */
function list(columns: readonly StoredColumn[], prefix = '', needed?: readonly string[]): string {
  return columns
    .map(({ name }) => (needed && !needed.includes(name) ? 'NULL' : `${prefix}${quoted(columnName(name))}`))
    .join(', ');
}

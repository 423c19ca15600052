import { layoutOf } from '../../expression/javascript.ts';
import { SqlWriter } from '../../expression/sql/sql.ts';
import { comparesFolded, type Expr, show, some } from '../../expression/tree/expression.ts';
import { queryTextOf, searchOf } from '../../expression/tree/search.ts';
import { BOOLEAN, INTEGER, STRING, scalarKindOf, type Type } from '../../expression/tree/types.ts';
import { heldAs } from '../../expression/values/kinds.ts';
import type { OrderKey } from '../../plan/inside-step.ts';
import type { ColumnKind, ResourcePlan } from '../../plan/step.ts';
import type { Following } from '../following.ts';
import type { StatementSpec } from '../store.ts';
import type { SystemStatement } from '../system.ts';
import {
  columnName,
  fieldOfRow,
  quoted,
  type StoredColumn,
  type StoredResource,
  storedResource,
  tieBreakers,
} from '../tables.ts';
import { Arguments, type CompiledStatement } from './arguments.ts';
import { type ComputedShape, selectedColumns, shapesOf, widener } from './columns.ts';
import type { ArgumentKind, StoreDialect } from './dialect.ts';
import { writeGroups } from './groups.ts';
import { inlined } from './inlined.ts';
import { itemsTableName } from './items.ts';
import { SYSTEM, writeSystem } from './system.ts';

const OF_ROW = layoutOf('A unique rule’s condition may depend on its row alone');

/** The kinds of identities that JSON holds as text. */

type Of<K extends StatementSpec['kind']> = Extract<StatementSpec, { kind: K }>;
/** Compiles each kind of statement to a database’s SQL. */
export class StatementCompiler {
  private readonly dialect: StoreDialect;
  private readonly resources: ReadonlyMap<string, StoredResource>;

  constructor(resources: readonly ResourcePlan[], dialect: StoreDialect) {
    this.dialect = dialect;
    this.resources = new Map(resources.map((resource) => [resource.name, storedResource(resource)]));
  }

  compile(spec: StatementSpec): CompiledStatement {
    switch (spec.kind) {
      case 'select':
        return this.select(spec);
      case 'matches':
        return this.matches(spec);
      case 'count':
        return this.count(spec);
      case 'groups':
        return this.groups(spec);
      case 'tally':
        return this.tally(spec);
      case 'row':
        return this.row(spec);
      case 'rows':
        return this.rows(spec);
      case 'shown':
        return this.shown(spec);
      case 'by key':
        return this.byKey(spec);
      case 'pointing':
      case 'pointing count':
        return this.pointing(spec);
      case 'delete many':
        return this.deleteMany(spec);
      case 'value':
        return this.value(spec);
      case 'insert':
        return this.insert(spec);
      case 'update':
      case 'delete':
        return this.change(spec);
      case 'update many':
        return this.updateMany(spec);
      case 'taken':
        return this.taken(spec);
      case 'start sequence':
        return this.startSequence(spec);
      case 'due':
      case 'next due':
        return this.due(spec);
      case 'due count':
        return this.dueCount(spec);
      case 'credential':
        return this.credential(spec);
      case 'insert key':
      case 'revoke keys':
        return this.key(spec);
      case 'release unused files':
        return this.releaseUnused(spec);
      case 'system': {
        const { writes = null, reads = null, keyColumn = null } = SYSTEM[spec.name];
        const args = new Arguments(this.dialect);
        const sql = writeSystem(spec.name, this.dialect, (kind) => args.next(kind));
        return args.written(sql, { writes, reads, givesKey: keyColumn !== null });
      }
      case 'ahead':
      case 'pause':
        return new Arguments(this.dialect).written('SELECT 1 WHERE 1 = 0');
    }
  }

  private resource(name: string): StoredResource {
    const resource = this.resources.get(name);
    if (!resource) throw new Error(`The plan has no resource “${name}”`);
    return resource;
  }

  /** A writer of expressions over the rows of a resource, whose alias is `t`. */
  private writer(resource: string, options: ConstructorParameters<typeof SqlWriter>[1] = {}): SqlWriter {
    return new SqlWriter(this.dialect, options).bind('this', resource, 't');
  }

  /** The condition of a unique rule, as its index has it. */
  private condition(expr: Expr, resource: string): string {
    return inlined(expr, resource, this.dialect, { alias: null, layout: OF_ROW, now: 0 });
  }

  private columns(columns: readonly StoredColumn[], prefix = ''): string {
    return selectedColumns(this.dialect, columns, prefix);
  }

  private select(spec: Of<'select'>): CompiledStatement {
    const { columns, table, identity } = this.resource(spec.resource);
    // A look-up that ignores case can use only the index of its unique rule, which may be limited by a condition.
    const folds = spec.where !== null && comparesFolded(spec.where);
    const writer = this.writer(spec.resource, folds ? { literal: this.dialect.literal } : {});
    const needed = spec.columns;
    const read = needed ? columns.filter(({ name }) => needed.includes(name)) : columns;
    const computed = spec.also ?? [];
    // Where the dialect binds arguments by position, expressions have to be written in the order in which the SQL has
    // them.
    const also = computed.map((expr) => `, ${writer.shown(expr)}`).join('');
    const among = spec.among ? `(SELECT * FROM ${table} AS t WHERE ${writer.write(spec.among)} LIMIT 1)` : table;
    const separate = this.separatesKeys(spec);
    const before = separate ? this.order(spec, writer, read.length) : null;
    const conditions = spec.where ? [writer.write(spec.where)] : [];
    const ordered = before ?? this.order(spec, writer, read.length);
    const args = new Arguments(this.dialect, writer.parameters);
    const from = separate
      ? keyed(among, ordered.keys, isSearched(spec.where) || spec.listed === true)
      : spec.isPart
        ? partOf(table, args)
        : among;
    const keys = separate ? ordered.keys.map((key, i) => ({ ...key, sql: `t.${keyColumn(i)}` })) : ordered.keys;
    if (spec.after) conditions.push(...follows(spec.after, keys, args));
    if (spec.listed) conditions.push(`t._rowid_ IN (SELECT value FROM json_each(${args.next('list')}))`);
    if (spec.only) conditions.push(args.equal([identity], 't.'));
    const where = conditions.length ? ` WHERE ${conditions.join(' AND ')}` : '';
    const limit = spec.limit ? ` LIMIT ${args.next('integer')}` : spec.any ? ' LIMIT 1' : '';
    const skip = spec.skip ? ` OFFSET ${args.next('integer')}` : '';
    const id = spec.listed || spec.isPart ? ', t._rowid_' : '';
    // An index of a condition would find rows that are not listed, too, for each part of the rows.
    const source = spec.listed && from === table ? `${from} AS t NOT INDEXED` : `${from} AS t`;
    const sql = `SELECT ${this.columns(read, 't.')}${also}${id} FROM ${source}${where}${ordered.by}${limit}${skip}`;
    return args.written(sql, {
      columns: [...shapesOf(read), ...computed.map(({ type }) => this.shape(type))],
      widen: read === columns ? null : widener(read, columns),
    });
  }

  private matches({ resource, matching }: Of<'matches'>): CompiledStatement {
    if (matching === null) {
      const args = new Arguments(this.dialect);
      const [after, most] = [args.next('integer'), args.next('integer')];
      const { table } = this.resource(resource);
      return args.written(`SELECT _rowid_ FROM ${table} WHERE _rowid_ > ${after} ORDER BY _rowid_ LIMIT ${most}`);
    }
    const writer = this.writer(resource);
    const search = searchOf(matching.op === 'call' ? matching.args : []);
    const query = writer.write(queryTextOf(search, this.dialect.querySyntax));
    const args = new Arguments(this.dialect, writer.parameters);
    return args.written(this.dialect.matches!(resource, query, args.next('integer'), args.next('integer')));
  }

  /**
   * Whether a subquery computes the sort keys. With positional arguments, the parameters of all keys have to come before
   * the values that they are compared with.
   */
  private separatesKeys({ order, after }: Of<'select'>): boolean {
    if (!order || !after || after.equal === 0 || this.dialect.numbered) return false;
    return order.keys.some(({ by }) => fieldOfRow(by) === null);
  }

  /** The order of rows: the clause, and the keys that are compared with the last row of a page. */
  private order(
    { order, after, also, resource }: Of<'select'>,
    writer: SqlWriter,
    before: number,
  ): { readonly by: string; readonly keys: readonly Key[] } {
    if (!order) return { by: '', keys: [] };
    const { columns, plan } = this.resource(resource);
    const { keys: sorted, descending } = order;
    const ties = tieBreakers(
      plan.order,
      sorted.map(({ by }) => by),
    ).map((field) => columnOf(columns, field));
    const tied = ties.map(({ name, kind }) => ({ sql: `t.${quoted(columnName(name))}`, kind, descending }));
    // A key that is written has to be used: its parameters are arguments of the statement.
    const keys = (after ? sorted.slice(0, comparedKeys(after)) : []).map((key) => ({
      sql: this.dialect.ordered(writer.write(key.by), key.by.type),
      kind: this.kindOf(key.by.type),
      descending: key.descending,
    }));
    // With positional arguments, an order by an expression that is also a column uses the number of that column:
    // written again, the expression’s parameters would follow the arguments.
    const placeOf = (by: Expr): number =>
      this.dialect.numbered ? -1 : (also ?? []).findIndex((expr) => show(expr) === show(by));
    const directed = ({ by, descending, nulls }: OrderKey): string => {
      const place = placeOf(by);
      const value = place < 0 ? writer.write(by) : `${before + place + 1}`;
      return this.dialect.directed(value, descending, by.type, nulls);
    };
    const all = [...sorted.map(directed), ...tied.map(({ sql }) => `${sql}${descending ? ' DESC' : ''}`)];
    return { by: ` ORDER BY ${all.join(', ')}`, keys: keys.length < sorted.length ? keys : [...keys, ...tied] };
  }

  private count(spec: Of<'count'>): CompiledStatement {
    const writer = this.writer(spec.resource);
    const where = spec.where ? ` WHERE ${writer.write(spec.where)}` : '';
    const sql = `SELECT count(*) FROM ${this.resource(spec.resource).table} AS t${where}`;
    return new Arguments(this.dialect, writer.parameters).written(sql, { columns: ['integer'] });
  }

  private groups(spec: Of<'groups'>): CompiledStatement {
    const { sql, parameters } = writeGroups(spec, this.writer(spec.resource), this.dialect);
    const args = new Arguments(this.dialect, parameters);
    const shapes = [...spec.keys, ...spec.values].map(({ type }) => this.shape(type));
    return args.written(`${sql} LIMIT ${args.next('integer')}`, { columns: shapes });
  }

  private tally(spec: Of<'tally'>): CompiledStatement {
    const { columns, table } = this.resource(spec.resource);
    const of = columnOf(columns, spec.field);
    const args = new Arguments(this.dialect);
    const column = quoted(columnName(of.name));
    const [from, last] = spec.isPart ? [partOf(table, args), ', max(_rowid_)'] : [table, ''];
    const sql = `SELECT ${this.columns([of])}, count(*)${last} FROM ${from} GROUP BY ${column}`;
    return args.written(sql, { columns: [...shapesOf([of]), 'integer', ...(spec.isPart ? ['integer' as const] : [])] });
  }

  private row({ resource }: Of<'row'>): CompiledStatement {
    const { columns, table, identity } = this.resource(resource);
    const args = new Arguments(this.dialect);
    const sql = `SELECT ${this.columns(columns)} FROM ${table} WHERE ${args.equal([identity])}`;
    return args.written(sql, { columns: shapesOf(columns) });
  }

  private shown(spec: Of<'shown'>): CompiledStatement {
    const { table, identity } = this.resource(spec.resource);
    const writer = this.writer(spec.resource);
    const also = spec.also.map((expr) => `, ${writer.shown(expr)}`).join('');
    const args = new Arguments(this.dialect, writer.parameters);
    const which = spec.many ? this.among(identity, args, 't.') : args.equal([identity], 't.');
    const sql = `SELECT ${this.columns([identity], 't.')}${also} FROM ${table} AS t WHERE ${which}`;
    return args.written(sql, { columns: [...shapesOf([identity]), ...spec.also.map(({ type }) => this.shape(type))] });
  }

  /** Compares the column of an identity with many identities in a JSON array. */
  private among({ name, kind }: StoredColumn, args: Arguments, prefix = ''): string {
    const held = heldAs(kind);
    const type = held === 'boolean' ? BOOLEAN : held === 'whole' ? INTEGER : STRING;
    const item = this.dialect.item('i', held === 'uuid', type);
    return `${prefix}${quoted(columnName(name))} IN (SELECT ${item} FROM ${this.dialect.items(args.next('list'), 'i')})`;
  }

  private rows({ resource }: Of<'rows'>): CompiledStatement {
    const { columns, table, identity } = this.resource(resource);
    const args = new Arguments(this.dialect);
    const sql = `SELECT ${this.columns(columns)} FROM ${table} WHERE ${this.among(identity, args)}`;
    return args.written(sql, { columns: shapesOf(columns) });
  }

  private pointing(spec: Of<'pointing' | 'pointing count'>): CompiledStatement {
    const { columns, identity, plan } = this.resource(spec.resource);
    const args = new Arguments(this.dialect);
    const { table, by, place } = this.referring(spec.resource, spec.field);
    if (spec.kind === 'pointing count')
      return args.written(`SELECT count(*) FROM ${table} WHERE ${args.equal([by])}`, { columns: ['integer'] });
    const which = spec.many ? this.among(by, args) : args.equal([by]);
    const order = plan.order.map((one) => quoted(columnName(one))).join(', ');
    const read = identity === by ? [identity] : [identity, by];
    const sql = `SELECT ${this.columns(read)} FROM ${table} WHERE ${which} ORDER BY ${order}`;
    const widen = widener(
      read.map((one) => (one === by ? place : one)),
      columns,
    );
    return args.written(sql, { columns: shapesOf(read), widen });
  }

  /**
   * The rows that refer to others by a field, with the column to compare: a row for each item, if the field is a list or
   * a set of references. `place`: the column in whose place of a row the compared value is given.
   */
  private referring(
    resource: string,
    field: string,
  ): { readonly table: string; readonly by: StoredColumn; readonly place: StoredColumn } {
    const { columns, table, identity, plan } = this.resource(resource);
    const place = columnOf(columns, field);
    const { references, rule } = plan.columns.find(({ name }) => name === field) ?? {};
    if (references === undefined || !rule?.items) return { table, by: place, place };
    const own = [...new Set([identity.name, ...plan.order])].map((name) => `o.${quoted(columnName(name))}`).join(', ');
    const items = quoted(itemsTableName(resource, field));
    const joined = `${table} AS o JOIN ${items} AS i ON i.holder = o.${quoted(columnName(identity.name))}`;
    const each = `(SELECT ${own}, i.item AS ${quoted(columnName(field))} FROM ${joined}) AS t`;
    return { table: each, by: { ...place, kind: rule.items.kind }, place };
  }

  private deleteMany({ resource }: Of<'delete many'>): CompiledStatement {
    const { table, identity } = this.resource(resource);
    const args = new Arguments(this.dialect);
    return args.written(`DELETE FROM ${table} WHERE ${this.among(identity, args)} RETURNING 1`, { writes: table });
  }

  private value({ value }: Of<'value'>): CompiledStatement {
    const writer = new SqlWriter(this.dialect);
    const sql = `SELECT ${writer.shown(value)}`;
    return new Arguments(this.dialect, writer.parameters).written(sql, { columns: [this.shape(value.type)] });
  }

  private insert({ resource }: Of<'insert'>): CompiledStatement {
    const { columns, table } = this.resource(resource);
    const args = new Arguments(this.dialect);
    const names = columns.map(({ name }) => quoted(columnName(name))).join(', ');
    const values = columns.map(({ kind }) => args.next(kind)).join(', ');
    return args.written(`INSERT INTO ${table} (${names}) VALUES (${values})`, { writes: table });
  }

  private change(spec: Of<'update' | 'delete'>): CompiledStatement {
    const { columns, table, identity } = this.resource(spec.resource);
    const args = new Arguments(this.dialect);
    const set = columns
      .filter(({ name }) => spec.kind === 'update' && spec.columns.includes(name))
      .map(({ name, kind }) => `${quoted(columnName(name))} = ${args.next(kind)}`);
    const what = spec.kind === 'update' ? `UPDATE ${table} SET ${set.join(', ')}` : `DELETE FROM ${table}`;
    return args.written(`${what} WHERE ${args.equal([identity])}`, { writes: table });
  }

  private updateMany(spec: Of<'update many'>): CompiledStatement {
    const { columns, table, identity } = this.resource(spec.resource);
    const args = new Arguments(this.dialect);
    const of = ({ kind }: StoredColumn, place: number): string => this.dialect.member('v', place, kind);
    const name = (column: StoredColumn): string => quoted(columnName(column.name));
    const set = spec.columns.map((one, i) => {
      const column = columnOf(columns, one);
      return `${name(column)} = ${of(column, i + 1)}`;
    });
    const rows = this.dialect.items(args.next('list'), 'v');
    const sql = `UPDATE ${table} AS t SET ${set.join(', ')} FROM ${rows} WHERE t.${name(identity)} = ${of(identity, 0)} RETURNING 1`;
    return args.written(sql, { writes: table });
  }

  private byKey(spec: Of<'by key'>): CompiledStatement {
    const { columns, table } = this.resource(spec.resource);
    const condition = spec.while ? `${this.condition(spec.while, spec.resource)} AND ` : '';
    const args = new Arguments(this.dialect);
    const which = args.equal(spec.fields.map((field) => columnOf(columns, field)));
    return args.written(`SELECT ${this.columns(columns)} FROM ${table} WHERE ${condition}${which}`, {
      columns: shapesOf(columns),
    });
  }

  private taken(spec: Of<'taken'>): CompiledStatement {
    const { columns, table, identity } = this.resource(spec.resource);
    const writer = this.writer(spec.resource);
    const condition = spec.while ? `${writer.write(spec.while)} AND ` : '';
    const args = new Arguments(this.dialect, writer.parameters);
    const which = spec.fields.map((field) => columnOf(columns, field));
    const equal = args.equal(which, 't.');
    const other = `t.${quoted(columnName(identity.name))} IS DISTINCT FROM ${args.next(identity.kind)}`;
    return args.written(`SELECT 1 FROM ${table} AS t WHERE ${condition}${equal} AND ${other} LIMIT 1`);
  }

  /** A sequence continues after the highest stored number, since rows may have numbers from another source. */
  private startSequence(spec: Of<'start sequence'>): CompiledStatement {
    const { columns, table } = this.resource(spec.resource);
    const args = new Arguments(this.dialect);
    const names = [args.next('text'), args.next('text')].join(', ');
    const where = spec.per === null ? '' : ` WHERE ${args.equal([columnOf(columns, spec.per)])}`;
    const last = `SELECT coalesce(max(${quoted(columnName(spec.field))}), 0) + 1 FROM ${table}${where}`;
    const sql = `INSERT INTO ninefold_sequence (name, per, last) VALUES (${names}, (${last})) RETURNING last`;
    return args.written(sql, { writes: 'ninefold_sequence' });
  }

  private due(spec: Of<'due' | 'next due'>): CompiledStatement {
    const { columns, table, identity } = this.resource(spec.resource);
    const due = quoted(columnName(spec.column));
    const args = new Arguments(this.dialect);
    if (spec.kind === 'next due') return args.written(`SELECT min(${due}) FROM ${table} WHERE ${due} > 0`);
    const isDue = `${due} > 0 AND ${due} <= ${args.next('timestamp')}`;
    const order = `${due}, ${quoted(columnName(identity.name))}`;
    const sql = `SELECT ${this.columns(columns)} FROM ${table} WHERE ${isDue} ORDER BY ${order} LIMIT 1`;
    return args.written(sql, { columns: shapesOf(columns) });
  }

  private dueCount(spec: Of<'due count'>): CompiledStatement {
    const { table } = this.resource(spec.resource);
    const due = quoted(columnName(spec.column));
    const args = new Arguments(this.dialect);
    const come = `${due} > 0 AND ${due} <= ${args.next('timestamp')}`;
    const some = `SELECT ${due} FROM ${table} WHERE ${come} ORDER BY ${due} LIMIT ${args.next('integer')}`;
    return args.written(`SELECT count(*) FROM (${some}) AS come`);
  }

  private credential({ resource, mark }: Of<'credential'>): CompiledStatement {
    const { columns, table, identity } = this.resource(resource);
    const args = new Arguments(this.dialect);
    const join = `t.${quoted(columnName(identity.name))} = ${this.dialect.holder('k.holder', identity.kind)}`;
    // The mark is checked before the holder is converted: the holder of another scheme’s key may be no identity of this
    // resource.
    const sql = `SELECT k.hash, k.scopes, ${this.columns(columns, 't.')} FROM
      (SELECT hash, scopes, CASE WHEN mark = ${this.dialect.text(mark)} THEN holder END AS holder FROM ninefold_key
        WHERE id = ${args.next('text')} AND revoked IS NULL) AS k JOIN ${table} t ON ${join}`;
    return args.written(sql, { columns: ['text', 'text', ...shapesOf(columns)], reads: ['ninefold_key', table] });
  }

  private key(spec: Of<'insert key' | 'revoke keys'>): CompiledStatement {
    const holder = this.dialect.holderKind(this.resource(spec.resource).identity.kind);
    const args = new Arguments(this.dialect);
    const writes = 'ninefold_key';
    if (spec.kind === 'insert key') {
      const kinds: ArgumentKind[] = ['text', 'bytes', holder, 'text', 'timestamp', 'text'];
      const values = kinds.map((kind) => args.next(kind)).join(', ');
      const sql = `INSERT INTO ninefold_key (id, hash, holder, scopes, created, mark) VALUES (${values})`;
      return args.written(sql, { writes });
    }
    const [revoked, whose, mark] = [args.next('timestamp'), args.next(holder), args.next('text')];
    const sql = `UPDATE ninefold_key SET revoked = ${revoked} WHERE holder = ${whose} AND mark = ${mark} AND revoked IS NULL`;
    return args.written(sql, { writes });
  }

  private releaseUnused(spec: Of<'release unused files'>): CompiledStatement {
    const args = new Arguments(this.dialect);
    const until = args.next('timestamp');
    const unused = spec.columns.map(({ resource, column }) => {
      const { table } = this.resource(resource);
      return ` AND NOT EXISTS (SELECT 1 FROM ${table} AS t WHERE t.${quoted(columnName(column))} = ninefold_file.id)`;
    });
    const sql = `UPDATE ninefold_file SET until = ${until} WHERE until IS NULL${unused.join('')} RETURNING 1`;
    return args.written(sql, { writes: 'ninefold_file' });
  }

  /** The column kind that a value of a type has. */
  private kindOf(type: Type): ColumnKind {
    const shape = this.shape(type);
    if (typeof shape === 'string') return shape;
    return 'map' in shape ? 'map' : 'list';
  }

  /** The shape of a computed value. */
  private shape(type: Type): ComputedShape {
    switch (type.kind) {
      case 'list':
        return { list: this.shape(type.of) };
      case 'map':
        return { map: this.shape(type.of) };
      case 'tuple':
        return { tuple: type.of.map((one) => this.shape(one)) };
      case 'row':
        return this.resource(type.resource).identity.kind;
      default:
        return scalarKindOf(type) ?? 'integer';
    }
  }
}

/** A sort key in SQL. */
interface Key {
  readonly sql: string;
  readonly kind: ColumnKind;
  readonly descending: boolean;
}

/** How many sort keys, from the first, a part of the rows after a given row compares with those of that row. */
const comparedKeys = ({ next, equal, until }: Following): number => (next === 'after' ? until : equal + 1);

/** The name of a sort key that a subquery computes. */
const keyColumn = (at: number): string => `"ninefold_key_${at + 1}"`;

/** A table with a column for each sort key, and one by which a full-text index finds rows. */
const keyed = (table: string, keys: readonly Key[], searched: boolean): string =>
  `(SELECT t.*, ${searched ? 't._rowid_ AS _rowid_, ' : ''}${keys.map(({ sql }, i) => `${sql} AS ${keyColumn(i)}`).join(', ')} FROM ${table} AS t)`;

/** The first rows of a table after a row id, up to a number. */
const partOf = (table: string, args: Arguments): string =>
  `(SELECT *, _rowid_ AS _rowid_ FROM ${table} WHERE _rowid_ > ${args.next('integer')} ORDER BY _rowid_ LIMIT ${args.next('integer')})`;

const isSearched = (where: Expr | null): boolean =>
  where !== null && some(where, (part) => part.op === 'call' && part.fn === 'matching');

/** The conditions for a part of the rows after a given row. */
function follows({ equal, nulls, next, until }: Following, keys: readonly Key[], args: Arguments): string[] {
  const same = keys
    .slice(0, equal)
    .map(({ sql, kind }, i) => (nulls[i] ? `${sql} IS NULL` : `${sql} = ${args.next(kind)}`));
  const run = keys.slice(equal, until);
  if (next !== 'after') return [...same, `${run[0]!.sql} IS ${next === 'null' ? 'NULL' : 'NOT NULL'}`];
  const values = run.map(({ kind }) => args.next(kind));
  return [
    ...same,
    `(${run.map(({ sql }) => sql).join(', ')}) ${run[0]!.descending ? '<' : '>'} (${values.join(', ')})`,
  ];
}

function columnOf(columns: readonly StoredColumn[], name: string): StoredColumn {
  const column = columns.find((one) => one.name === name);
  if (!column) throw new Error(`No column holds “${name}”`);
  return column;
}

/** Compiles one of the service’s own statements. */
export const compileSystem = (name: SystemStatement, dialect: StoreDialect): CompiledStatement =>
  new StatementCompiler([], dialect).compile({ kind: 'system', name });

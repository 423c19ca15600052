import type { Expr, Query } from '../tree/expression.ts';
import { isSimple } from '../tree/results.ts';
import { INTEGER, NULL, nullable, rowOf, type Type } from '../tree/types.ts';
import type { Dialect } from './dialect.ts';

/** A placeholder for a list that has been written already. */
const EMPTY: Expr = { op: 'list', items: [], type: { kind: 'list', of: NULL, nullable: false } };

const NOTHING: Expr = { op: 'const', value: null, type: NULL };
const ONE: Expr = { op: 'const', value: 1, type: INTEGER };

/** Writes the SQL of queries, macros and JSON. `SqlWriter` writes that of values. */
export abstract class RowsWriter {
  protected readonly dialect: Dialect;
  /** The row names in scope and the aliases of their tables. */
  protected readonly rows = new Map<string, { alias: string; resource: string }>();
  /** The names that macros bind to items of JSON arrays, with the aliases of the arrays. */
  protected readonly bound = new Map<string, string>();
  protected aliases = 0;
  /** The values of rows that the aggregates of groups need, each a column of the rows that are grouped. */
  readonly grouped: Expr[] = [];
  /** Whether an aggregate reads such a column several times, and it is no simple value. */
  repeats = false;

  constructor(dialect: Dialect) {
    this.dialect = dialect;
  }

  abstract write(expr: Expr, uuid?: boolean): string;
  abstract isUuid(expr: Expr): boolean;
  protected abstract text(arg: Expr): string;
  protected abstract as(expr: Expr, type: Type): string;

  /** Binds `name` to a row of the table that has the alias `alias`. */
  bind(name: string, resource: string, alias: string): this {
    this.rows.set(name, { alias, resource });
    return this;
  }

  /**
   * An aggregate of the rows of one group. Its arguments are columns `g.v0`, `g.v1` … of the grouped rows, which the
   * statement selects from the table first: so each is written once, however often an aggregate reads it.
   */
  protected ofGroup(query: Query): string {
    const { fn, where, value } = query;
    const column = (expr: Expr): string => `g.v${this.grouped.push(expr) - 1}`;
    const kept = (expr: Expr): Expr =>
      where ? { op: 'if', test: where, then: expr, else: NOTHING, type: nullable(expr.type, true) } : expr;
    const count = (): string => `count(${where ? column(kept(ONE)) : '*'})`;
    if (fn === 'count') return count();
    if (fn === 'exists') return `(${count()} > 0)`;
    if ((fn !== 'sum' && fn !== 'min' && fn !== 'max') || !value) throw new Error(`A group has no “${fn}”`);
    const of = column(kept(value));
    if (!this.dialect.results.lacks(query)) return this.dialect.aggregate(fn, of, value.type);
    this.repeats ||= where !== null || !isSimple(value);
    const all = fn === 'sum' ? this.dialect.total(of) : this.dialect.aggregate(fn, of, value.type);
    return `(CASE WHEN ${count()} = count(${of}) THEN ${all} END)`;
  }

  /** A query for stored rows, as a SELECT of one value. */
  protected query(query: Query): string {
    const alias = `q${++this.aliases}`;
    this.bind(query.row, query.resource, alias);
    const row: Expr = { op: 'name', name: query.row, type: rowOf(query.resource) };
    const value = query.value ?? row;
    const order = (): string[] => this.order(query, alias);
    const ordered = query.fn === 'first';
    // An aggregate that names only columns of an outer query would belong to that query, so this one names its own
    // identity.
    const identity = this.write(row);
    const own = (): string =>
      value.op === 'get' && value.of.op === 'name' && value.of.name === query.row
        ? this.write(value)
        : `CASE WHEN ${identity} IS NULL THEN NULL ELSE ${this.write(value)} END`;
    const what = {
      exists: () => '1',
      count: () => 'count(*)',
      sum: () => this.dialect.aggregate('sum', own(), value.type),
      min: () => this.dialect.aggregate('min', own(), value.type),
      max: () => this.dialect.aggregate('max', own(), value.type),
      one: () => (nests(value.type) ? this.json(value) : this.write(value)),
      first: () => (nests(value.type) ? this.json(value) : this.write(value)),
      list: () => this.known(query, this.dialect.arrayOf(this.json(value), order())),
    };
    const { fn } = query;
    const taken = fn === 'sum' || fn === 'min' || fn === 'max' ? fn : null;
    if (taken !== null && this.dialect.results.lacks(query)) {
      const apart = isSimple(value) ? '' : this.dialect.apart;
      const select = this.selected(query, alias, `${this.write(value)} AS v`, () => apart);
      this.rows.delete(query.row);
      return this.taken(taken, select, value.type);
    }
    const select = this.selected(query, alias, what[fn](), () =>
      ordered ? ` ORDER BY ${order().join(', ')} LIMIT 1` : '',
    );
    this.rows.delete(query.row);
    return fn === 'exists' ? `SELECT EXISTS (${select})` : select;
  }

  private selected(query: Query, alias: string, what: string, after = () => ''): string {
    const where = query.where ? ` WHERE ${this.write(query.where)}` : '';
    return `SELECT ${what} FROM ${this.dialect.table(query.resource)} AS ${alias}${where}${after()}`;
  }

  /** An aggregate of values that may have no result: if one has none, the aggregate has none. */
  private taken(fn: 'sum' | 'min' | 'max', values: string, type: Type): string {
    const alias = `a${++this.aliases}`;
    const value = `${alias}.v`;
    const all = fn === 'sum' ? this.dialect.total(value) : this.dialect.aggregate(fn, value, type);
    return `SELECT CASE WHEN count(*) = count(${value}) THEN ${all} END FROM (${values}) AS ${alias}`;
  }

  /** A list or a map that has no result if one of its items, which are never absent, has none. */
  protected known(expr: Expr, json: string): string {
    const of = expr.type.kind === 'list' || expr.type.kind === 'map' ? expr.type.of : null;
    if (!of || of.nullable || of.kind === 'tuple' || !this.dialect.results.lacks(expr)) return json;
    return this.dialect.json(this.dialect.call('known', [json], expr.type));
  }

  /** A computation over a list that may have no result, or be `absent`; `of` receives a function that writes the list. */
  protected guarded(list: Expr, of: (list: () => string) => string, absent = false): string {
    if (!absent && !this.dialect.results.lacks(list)) return of(() => this.write(list));
    const alias = `g${++this.aliases}`;
    const given = of(() => `${alias}.v`);
    return `(SELECT CASE WHEN ${alias}.v IS NOT NULL THEN ${given} END FROM (SELECT ${this.write(list)} AS v${this.dialect.apart}) AS ${alias})`;
  }

  /** The sort keys of a query’s rows. They end with the identity, so that no two rows are equal. */
  private order(query: Query, alias: string): string[] {
    const identity = this.dialect
      .order(query.resource)
      .map((field) => this.dialect.column(alias, query.resource, field));
    return [
      ...(query.order ?? []).map(({ by, descending }) => this.dialect.directed(this.placed(by), descending, by.type)),
      ...identity.map((column) => `${column}${query.backwards ? ' DESC' : ''}`),
    ];
  }

  /** A sort key of rows or items: absent values come first. */
  private placed(by: Expr): string {
    if (by.type.nullable || !this.dialect.results.lacks(by)) return this.write(by);
    return this.write({ op: 'call', fn: 'or lowest', args: [by], type: by.type });
  }

  /** A value as an item of a JSON array whose items are of the type `of`. */
  protected json(expr: Expr, of = expr.type): string {
    if (expr.op === 'tuple') return this.dialect.array(expr.items.map((item) => this.json(item)));
    // The items may have a type in their context that differs from the one that the value’s own type gives.
    const inner = of.kind === 'list' || of.kind === 'map' ? of.of : of;
    if (expr.op === 'list')
      return this.known(expr, this.dialect.array(expr.items.map((item) => this.json(item, inner))));
    if (expr.op === 'map') {
      const members = expr.values.map((value, i) => [expr.keys[i]!, this.json(value, inner)] as const);
      return this.known(expr, this.dialect.object(members));
    }
    if (nests(expr.type)) return this.dialect.json(this.as(expr, of));
    const uuid = this.isUuid(expr) && this.isUuid({ ...expr, type: of } as Expr);
    return uuid ? this.dialect.hexadecimal(this.write(expr, true)) : this.text(expr);
  }

  protected each(expr: Extract<Expr, { op: 'each' }>): string {
    // In a shown form, the items of an absent list are absent, too.
    return this.guarded(expr.list, (list) => this.over(expr, list), expr.list.type.nullable);
  }

  /**
   * A macro over a JSON array. Its parts are written in the order in which the SQL has them, since parameters count in
   * it.
   */
  private over(expr: Extract<Expr, { op: 'each' }>, list: () => string): string {
    const alias = `e${++this.aliases}`;
    const from = (): string => this.dialect.items(list(), alias);
    const body = (): string => {
      this.bound.set(expr.name, alias);
      const sorted = expr.macro === 'sortBy';
      const text =
        expr.macro === 'map' ? this.json(expr.body) : sorted ? this.placed(expr.body) : this.write(expr.body);
      this.bound.delete(expr.name);
      return text;
    };
    const order = [this.dialect.itemOrder(alias)];
    const of = expr.list.type.kind === 'list' ? expr.list.type.of : null;
    const value = this.dialect.item(alias, false, of ?? NULL);
    const item = of && nests(of) ? this.dialect.json(value) : value;
    switch (expr.macro) {
      case 'exists':
        return `EXISTS (SELECT 1 FROM ${from()} WHERE ${body()})`;
      case 'all':
        return `(NOT EXISTS (SELECT 1 FROM ${from()} WHERE (${body()}) IS NOT TRUE))`;
      case 'exists_one':
        return `((SELECT count(*) FROM ${from()} WHERE ${body()}) = 1)`;
      case 'filter': {
        return `(SELECT ${this.dialect.arrayOf(item, order)} FROM ${from()} WHERE ${body()})`;
      }
      case 'sortBy': {
        const sorted = this.dialect.arrayOf(item, [this.dialect.ordered(body(), expr.body.type), ...order]);
        return `(SELECT ${sorted} FROM ${from()})`;
      }
      case 'map': {
        const each = this.dialect.arrayOf(body(), order);
        return this.known({ ...expr, list: EMPTY }, `(SELECT ${each} FROM ${from()})`);
      }
    }
  }
}

/** Whether values of a type are JSON in the database. */
export function nests(type: Type): boolean {
  return type.kind === 'list' || type.kind === 'map' || type.kind === 'tuple';
}

import type { Dialect } from './dialect.ts';
import { type Expr, type Query, some } from './expr.ts';
import { inLibrary, meaningOf } from './library/index.ts';
import type { LibraryFn } from './library/names.ts';
import { rescaledBy } from './operators.ts';
import { BOOLEAN, NULL, type Type } from './types.ts';

/** A value that the statement is given when it runs. */
export interface Parameter {
  readonly expr: Expr;
  readonly uuid: boolean;
}

/** Texts that are written out, so that a store may see which of its indexes they fit; any other is a parameter. */
const PLAIN = /^[\w .:@/-]{0,60}$/;

/** Compiles expressions over rows to SQL. What doesn't depend on a row becomes a parameter, computed in JavaScript. */
export class SqlWriter {
  readonly parameters: Parameter[] = [];
  private readonly dialect: Dialect;
  /** The row names in scope and the aliases of their tables. */
  private readonly rows = new Map<string, { alias: string; resource: string }>();
  /** The names that macros bind to items of JSON arrays, with the aliases of those. */
  private readonly bound = new Map<string, string>();
  private aliases = 0;

  constructor(dialect: Dialect) {
    this.dialect = dialect;
  }

  /** Lets `name` stand for a row of the table that `alias` names. */
  bind(name: string, resource: string, alias: string): this {
    this.rows.set(name, { alias, resource });
    return this;
  }

  /** The expression as SQL; `uuid` says that it is compared with a stored UUID. */
  write(expr: Expr, uuid = false): string {
    if (expr.op === 'const' && !uuid && typeof expr.value === 'string' && PLAIN.test(expr.value))
      return this.dialect.text(expr.value);
    if (expr.op === 'const' && expr.value === null) return 'NULL';
    if (!this.depends(expr)) return this.parameter(expr, uuid);
    switch (expr.op) {
      case 'name': {
        const row = this.rows.get(expr.name);
        if (!row) return this.dialect.item(this.bound.get(expr.name)!, this.isUuid(expr), expr.type);
        return this.dialect.column(row.alias, row.resource, this.dialect.identity(row.resource));
      }
      case 'get': {
        const row = expr.of.op === 'name' ? this.rows.get(expr.of.name) : undefined;
        if (!row) throw new Error(`“${expr.member}” can’t be read in SQL`);
        return this.dialect.column(row.alias, row.resource, expr.member);
      }
      case 'if': {
        const test = this.write(expr.test);
        return `(CASE WHEN ${test} THEN ${this.as(expr.then, expr.type)} ELSE ${this.as(expr.else, expr.type)} END)`;
      }
      case 'query':
        return `(${this.query(expr)})`;
      case 'each':
        return this.each(expr);
      case 'list':
      case 'map':
      case 'tuple':
        return this.json(expr);
      case 'call':
        return this.call(expr);
      default:
        throw new Error(`“${expr.op}” can’t be written in SQL`);
    }
  }

  /** The expression as a column that is read: lists and views as JSON. */
  shown(expr: Expr): string {
    return expr.op === 'tuple' ? this.json(expr) : this.write(expr);
  }

  /** True where the value is not the same for every row, or is not known without asking the database. */
  private depends(expr: Expr): boolean {
    return some(
      expr,
      (part) => part.op === 'query' || (part.op === 'name' && (this.rows.has(part.name) || this.bound.has(part.name))),
    );
  }

  /** Stored rows as a SELECT of one value. */
  private query(query: Query): string {
    const alias = `q${++this.aliases}`;
    this.bind(query.row, query.resource, alias);
    const row: Expr = { op: 'name', name: query.row, type: { kind: 'row', resource: query.resource, nullable: false } };
    const value = query.value ?? row;
    const order = (): string[] => this.order(query, alias);
    const ordered = query.fn === 'first';
    // SQL takes an aggregate of nothing but an outer query’s columns for that query’s: here it names one of this query’s.
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
      list: () => this.dialect.arrayOf(this.json(value), order()),
    }[query.fn]();
    const where = query.where ? ` WHERE ${this.write(query.where)}` : '';
    const from = `${this.dialect.table(query.resource)} AS ${alias}`;
    const select = `SELECT ${what} FROM ${from}${where}${ordered ? ` ORDER BY ${order().join(', ')} LIMIT 1` : ''}`;
    this.rows.delete(query.row);
    return query.fn === 'exists' ? `SELECT EXISTS (${select})` : select;
  }

  /** What the rows of a query are put in order by; no two have the same identity. */
  private order(query: Query, alias: string): string[] {
    const identity = this.dialect
      .order(query.resource)
      .map((field) => this.dialect.column(alias, query.resource, field));
    return [
      ...(query.order ?? []).map(({ by, descending }) => this.dialect.directed(this.write(by), descending, by.type)),
      ...identity.map((column) => `${column}${query.backwards ? ' DESC' : ''}`),
    ];
  }

  /** A value as it stands in a JSON array, whose items are of a type. */
  private json(expr: Expr, of = expr.type): string {
    if (expr.op === 'tuple') return this.dialect.array(expr.items.map((item) => this.json(item)));
    // What stands beside it may say otherwise of what it holds than its own type does.
    const inner = of.kind === 'list' || of.kind === 'map' ? of.of : of;
    if (expr.op === 'list') return this.dialect.array(expr.items.map((item) => this.json(item, inner)));
    if (expr.op === 'map')
      return this.dialect.object(expr.values.map((value, i) => [expr.keys[i]!, this.json(value, inner)] as const));
    if (nests(expr.type)) return this.dialect.json(this.as(expr, of));
    const uuid = this.isUuid(expr) && this.isUuid({ ...expr, type: of } as Expr);
    return uuid ? this.dialect.hexadecimal(this.write(expr, true)) : this.text(expr);
  }

  /** A macro over a JSON array. Parameters count in the order in which they stand in the text. */
  private each(expr: Extract<Expr, { op: 'each' }>): string {
    const alias = `e${++this.aliases}`;
    const from = (): string => this.dialect.items(this.write(expr.list), alias);
    const body = (): string => {
      this.bound.set(expr.name, alias);
      const text = expr.macro === 'map' ? this.json(expr.body) : this.write(expr.body);
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
        return `(NOT EXISTS (SELECT 1 FROM ${from()} WHERE NOT ${body()}))`;
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
        return `(SELECT ${each} FROM ${from()})`;
      }
    }
  }

  private parameter(expr: Expr, uuid: boolean): string {
    this.parameters.push({ expr, uuid });
    return this.dialect.parameter(this.parameters.length, uuid, expr.type);
  }

  private call(expr: Extract<Expr, { op: 'call' }>): string {
    const { fn, args } = expr;
    if (inLibrary(fn)) return this.library(expr, fn);
    const texts = (): string[] => args.map((arg) => this.text(arg));
    switch (fn) {
      case 'and':
        return `(${texts().join(' AND ')})`;
      case 'or':
        return `(${texts().join(' OR ')})`;
      case 'not':
        return `(NOT ${texts()[0]})`;
      case 'negate':
        return `(-${texts()[0]})`;
      case '==':
      case '!=':
        return this.equality(fn, args);
      case '<':
      case '<=':
      case '>':
      case '>=':
        return `(${this.compared(args)
          .map((one, i) => this.dialect.ordered(one, args[i]!.type))
          .join(` ${fn} `)})`;
      case '*':
        return `(${texts().join(` ${fn} `)})`;
      case '%':
      case '/':
        return this.dialect.divided(fn, ...(texts() as [string, string]));
      case '+':
      case '-':
        return this.sum(fn, args, expr.type);
      case 'rescale':
        return `(${this.text(args[0]!)} * ${10 ** rescaledBy(args[0]!, args[1]!)})`;
      case 'contains':
        return `(${this.dialect.position(...(texts() as [string, string]))} > 0)`;
      case 'size':
        if (args[0]!.type.kind === 'list') return this.dialect.length(this.write(args[0]!));
        if (args[0]!.type.kind === 'map') return this.dialect.call('map_size', texts(), expr.type);
        return this.dialect.characters(texts()[0]!);
      case 'sum': {
        const sum = this.dialect.aggregate('sum', this.dialect.item('s', false, expr.type), expr.type);
        return `(SELECT ${sum} FROM ${this.dialect.items(texts()[0]!, 's')})`;
      }
      case 'startsWith': {
        const [a, b, c] = [this.text(args[0]!), this.text(args[1]!), this.text(args[1]!)];
        return `(substr(${a}, 1, length(${b})) = ${c})`;
      }
      case 'endsWith':
        return this.dialect.endsWith(
          () => this.text(args[0]!),
          () => this.text(args[1]!),
        );
      case 'in':
        return this.membership(args[0]!, args[1]!);
      default:
        throw new Error(`“${fn}” can’t be written in SQL`);
    }
  }

  private sum(fn: '+' | '-', args: readonly Expr[], type: Type): string {
    const [kind, other] = args.map((arg) => arg.type.kind);
    if (kind === 'list')
      return this.dialect.call(
        'list_plus',
        args.map((arg) => this.whole(arg)),
        type,
      );
    const texts = args.map((arg) => this.text(arg));
    if (kind === 'string') return `(${texts.join(' || ')})`;
    if (kind !== 'date') return `(${texts.join(` ${fn} `)})`;
    if (other === 'date') return this.dialect.call('days_between', texts, type);
    return this.dialect.call(fn === '+' ? 'date_plus' : 'date_minus', texts, type);
  }

  /** What SQL has no means for is computed by the same code as in JavaScript. */
  private library(expr: Expr & { op: 'call' }, fn: LibraryFn): string {
    const { args } = expr;
    const meaning = meaningOf(fn, args);
    const written = args.map((arg) => {
      if (fn === 'matches' && arg === args[1] && arg.op === 'const')
        return this.dialect.pattern(String(arg.value), () => this.text(arg));
      return nests(arg.type) ? this.whole(arg) : this.text(arg);
    });
    const also = (meaning.also?.(args) ?? []).map(String);
    const value = this.dialect.call(meaning.id, [...written, ...also], expr.type);
    return this.isUuid(expr) ? this.dialect.uuidOf(value) : value;
  }

  /** A value as functions of text take it: a UUID as its text. */
  private text(arg: Expr): string {
    const written = this.write(arg);
    return this.isUuid(arg) && this.depends(arg) ? this.dialect.uuidText(written) : written;
  }

  /** A value where one of another type may stand too: as UUIDs are stored, where each of them is one. */
  private as(expr: Expr, type: Type): string {
    const uuid = this.isUuid({ ...expr, type: innermost(type) } as Expr);
    if (nests(expr.type)) return uuid ? this.write(expr) : this.whole(expr);
    return uuid ? this.write(expr, true) : this.text(expr);
  }

  /** A list or a map as functions take it: SQL makes JSON of 0 and 1, and of UUIDs without hyphens. */
  private whole(arg: Expr): string {
    const written = this.write(arg);
    const item = innermost(arg.type);
    if (!this.depends(arg)) return written;
    if (this.isUuid({ ...arg, type: item } as Expr)) return this.dialect.call('whole_uuids', [written], arg.type);
    return item.kind === 'boolean' ? this.dialect.call('whole_booleans', [written], arg.type) : written;
  }

  /** Values to compare: UUIDs as they are stored, where all of them are. */
  private compared(args: readonly Expr[]): string[] {
    const stored = args.every((arg) => this.isUuid(arg) || arg.type.kind === 'null');
    return args.map((arg) => (stored ? this.write(arg, true) : this.text(arg)));
  }

  private membership(item: Expr, list: Expr): string {
    if (list.type.kind === 'map') {
      const map = this.write(list);
      return this.dialect.call('map_has', [map, this.text(item)], BOOLEAN);
    }
    if (list.op === 'list') {
      if (list.items.length === 0) return 'FALSE';
      // Of JSON, equal values may be written in several ways.
      const apart = [item, ...list.items].some((one) => one.type.nullable || nests(one.type));
      if (apart) return `(${list.items.map((one) => this.equality('==', [item, one])).join(' OR ')})`;
      const [looked, ...among] = this.compared([item, ...list.items]);
      return `(${looked} IN (${among.join(', ')}))`;
    }
    const of = list.type.kind === 'list' ? list.type.of : NULL;
    if (nests(of)) return this.dialect.call('list_has', [this.whole(list), this.whole(item)], BOOLEAN);
    const alias = `e${++this.aliases}`;
    const uuid = this.isUuid(item) && this.isUuid({ ...list, type: of } as Expr);
    // Parameters count in the order in which they stand in the text.
    const looked = uuid ? this.write(item, true) : this.text(item);
    const items = this.dialect.items(this.write(list), alias);
    const one = this.dialect.item(alias, uuid, of);
    const maybe = item.type.nullable || of.nullable;
    if (maybe)
      return `(EXISTS (SELECT 1 FROM (SELECT ${looked} AS looked) AS l${alias}, ${items} WHERE ${this.dialect.same(one, `l${alias}.looked`)}))`;
    return `(${looked} IN (SELECT ${one} FROM ${items}))`;
  }

  /** `==` never gives NULL: where null may stand, IS compares it as a value. */
  private equality(fn: '==' | '!=', args: readonly Expr[]): string {
    if (args.every((arg) => nests(arg.type))) {
      const same = this.dialect.call(
        'same',
        args.map((arg) => this.whole(arg)),
        BOOLEAN,
      );
      return fn === '==' ? same : `(NOT ${same})`;
    }
    const [a, b] = this.compared(args) as [string, string];
    const maybe = args.some((arg) => arg.type.nullable);
    if (!maybe) return `(${a} ${fn === '==' ? '=' : '<>'} ${b})`;
    return fn === '==' ? `(${this.dialect.same(a, b)})` : `(NOT ${this.dialect.same(a, b)})`;
  }

  isUuid(expr: Expr): boolean {
    const { type } = expr;
    return (
      (type.kind === 'string' && type.format === 'uuid') ||
      (type.kind === 'row' && this.dialect.uuidIdentity(type.resource))
    );
  }
}

/** True for values that are JSON in the database. */
function nests(type: Type): boolean {
  return type.kind === 'list' || type.kind === 'map' || type.kind === 'tuple';
}

/** What a list, or a list of lists, holds in the end. */
function innermost(type: Type): Type {
  return type.kind === 'list' || type.kind === 'map' ? innermost(type.of) : type;
}

import { type Expr, type Fn, type Query, some } from './expr.ts';
import { inLibrary, meaningOf } from './library/index.ts';
import type { LibraryFn } from './library/names.ts';
import { rescaledBy } from './operators.ts';
import type { Type } from './types.ts';

/** How one database writes what SQL dialects write differently. */
export interface Dialect {
  /** A quoted table and a quoted column; names come from the document and are never put in bare. */
  table(resource: string): string;
  column(alias: string, resource: string, field: string): string;
  identity(resource: string): string;
  /** The fields by which a resource’s rows are in order. */
  order(resource: string): readonly string[];
  /** Writes a parameter; `uuid` says that it is compared with stored UUIDs. */
  parameter(index: number, uuid: boolean): string;
  /** True if the identity of the resource is stored as a UUID. */
  uuidIdentity(resource: string): boolean;
  /** Position of one text in another, from 1, or 0. */
  position(text: string, part: string): string;
  /** A JSON array as rows that `alias` names; one item of it, which may be a UUID; how many it has. */
  items(json: string, alias: string): string;
  item(alias: string, uuid: boolean): string;
  itemOrder(alias: string): string;
  length(json: string): string;
  /** JSON arrays of values: of one row’s, and of one value of many rows. A UUID among them is 32 hexadecimal digits. */
  array(values: readonly string[]): string;
  arrayOf(value: string, order: readonly string[]): string;
  hexadecimal(uuid: string): string;
  /** A function of the library, by its meaning’s name. */
  call(id: string, args: readonly string[]): string;
  /** The text of a stored UUID. */
  uuidText(uuid: string): string;
  /** Says that text is JSON already, so that it is nested and not quoted. */
  json(text: string): string;
}

/** A value that the statement is given when it runs. */
export interface Parameter {
  readonly expr: Expr;
  readonly uuid: boolean;
}

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
    if (!this.depends(expr)) return this.parameter(expr, uuid);
    switch (expr.op) {
      case 'name': {
        const row = this.rows.get(expr.name);
        if (!row) return this.dialect.item(this.bound.get(expr.name)!, this.isUuid(expr));
        return this.dialect.column(row.alias, row.resource, this.dialect.identity(row.resource));
      }
      case 'get': {
        const row = expr.of.op === 'name' ? this.rows.get(expr.of.name) : undefined;
        if (!row) throw new Error(`“${expr.member}” can’t be read in SQL`);
        return this.dialect.column(row.alias, row.resource, expr.member);
      }
      case 'if':
        return `(CASE WHEN ${this.write(expr.test)} THEN ${this.write(expr.then, uuid)} ELSE ${this.write(expr.else, uuid)} END)`;
      case 'query':
        return `(${this.query(expr)})`;
      case 'each':
        return this.each(expr);
      case 'list':
      case 'tuple':
        return this.json(expr);
      case 'call':
        return this.call(expr.fn, expr.args);
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
    const order = this.dialect.order(query.resource).map((field) => this.dialect.column(alias, query.resource, field));
    const what = {
      exists: () => '1',
      count: () => 'count(*)',
      sum: () => `coalesce(sum(${this.write(value)}), 0)`,
      one: () => (nests(value.type) ? this.json(value) : this.write(value)),
      list: () => this.dialect.arrayOf(this.json(value), order),
    }[query.fn]();
    const where = query.where ? ` WHERE ${this.write(query.where)}` : '';
    const select = `SELECT ${what} FROM ${this.dialect.table(query.resource)} AS ${alias}${where}`;
    this.rows.delete(query.row);
    return query.fn === 'exists' ? `SELECT EXISTS (${select})` : select;
  }

  /** A value as it stands in a JSON array. */
  private json(expr: Expr): string {
    if (expr.op === 'tuple' || expr.op === 'list') return this.dialect.array(expr.items.map((item) => this.json(item)));
    if (nests(expr.type)) return this.dialect.json(this.write(expr));
    return this.isUuid(expr) ? this.dialect.hexadecimal(this.write(expr, true)) : this.write(expr);
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
    switch (expr.macro) {
      case 'exists':
        return `EXISTS (SELECT 1 FROM ${from()} WHERE ${body()})`;
      case 'all':
        return `(NOT EXISTS (SELECT 1 FROM ${from()} WHERE NOT ${body()}))`;
      case 'exists_one':
        return `((SELECT count(*) FROM ${from()} WHERE ${body()}) = 1)`;
      case 'filter': {
        const item = this.dialect.item(alias, false);
        return `(SELECT ${this.dialect.arrayOf(item, order)} FROM ${from()} WHERE ${body()})`;
      }
      case 'map': {
        const each = this.dialect.arrayOf(body(), order);
        return `(SELECT ${each} FROM ${from()})`;
      }
    }
  }

  private parameter(expr: Expr, uuid: boolean): string {
    this.parameters.push({ expr, uuid });
    return this.dialect.parameter(this.parameters.length, uuid);
  }

  private call(fn: Fn, args: readonly Expr[]): string {
    if (inLibrary(fn)) return this.library(fn, args);
    const uuid = args.some((arg) => this.isUuid(arg));
    const text = (): string[] => args.map((arg) => this.write(arg, uuid));
    switch (fn) {
      case 'and':
        return `(${text().join(' AND ')})`;
      case 'or':
        return `(${text().join(' OR ')})`;
      case 'not':
        return `(NOT ${text()[0]})`;
      case 'negate':
        return `(-${text()[0]})`;
      case '==':
      case '!=':
        return this.equality(fn, args, text());
      case '<':
      case '<=':
      case '>':
      case '>=':
      case '*':
      case '/':
      case '%':
        return `(${text().join(` ${fn} `)})`;
      case '+':
      case '-':
        return this.sum(fn, args, text());
      case 'rescale':
        return `(${text()[0]} * ${10 ** rescaledBy(args[0]!, args[1]!)})`;
      case 'contains':
        return `(${this.dialect.position(...(text() as [string, string]))} > 0)`;
      case 'size':
        if (args[0]!.type.kind === 'list') return this.dialect.length(this.write(args[0]!));
        return `length(${text()[0]})`;
      case 'sum':
        return `(SELECT coalesce(sum(${this.dialect.item('s', false)}), 0) FROM ${this.dialect.items(text()[0]!, 's')})`;
      case 'startsWith': {
        const [a, b, c] = [this.write(args[0]!), this.write(args[1]!), this.write(args[1]!)];
        return `(substr(${a}, 1, length(${b})) = ${c})`;
      }
      case 'endsWith': {
        const [a, b, c, d] = [this.write(args[1]!), this.write(args[0]!), this.write(args[1]!), this.write(args[1]!)];
        return `(length(${a}) = 0 OR substr(${b}, -length(${c})) = ${d})`;
      }
      case 'in':
        return this.membership(args[0]!, args[1]!, uuid);
      default:
        throw new Error(`“${fn}” can’t be written in SQL`);
    }
  }

  private sum(fn: '+' | '-', args: readonly Expr[], text: string[]): string {
    const [kind, other] = args.map((arg) => arg.type.kind);
    if (kind === 'string') return `(${text.join(' || ')})`;
    if (kind === 'list') return this.dialect.call('list_plus', text);
    if (kind !== 'date') return `(${text.join(` ${fn} `)})`;
    if (other === 'date') return this.dialect.call('days_between', text);
    return this.dialect.call(fn === '+' ? 'date_plus' : 'date_minus', text);
  }

  /** What SQL has no means for is computed by the same code as in JavaScript. */
  private library(fn: LibraryFn, args: readonly Expr[]): string {
    const meaning = meaningOf(fn, args);
    const texts = args.map((arg) => this.text(arg));
    return this.dialect.call(meaning.id, [...texts, ...(meaning.also?.(args) ?? []).map(String)]);
  }

  /** A value as functions of text take it: a UUID as its text. */
  private text(arg: Expr): string {
    const written = this.write(arg);
    return this.isUuid(arg) && this.depends(arg) ? this.dialect.uuidText(written) : written;
  }

  private membership(item: Expr, list: Expr, uuid: boolean): string {
    if (list.op === 'list') {
      if (list.items.length === 0) return 'FALSE';
      return `(${this.write(item, uuid)} IN (${list.items.map((one) => this.write(one, uuid)).join(', ')}))`;
    }
    const alias = `e${++this.aliases}`;
    // Parameters count in the order in which they stand in the text.
    const looked = this.write(item, uuid);
    const of = `SELECT ${this.dialect.item(alias, uuid)} FROM ${this.dialect.items(this.write(list), alias)}`;
    const found = `(${looked} IN (${of}))`;
    return item.type.nullable ? `coalesce(${found}, FALSE)` : found;
  }

  /** `==` never gives NULL: where null may stand, IS compares it as a value. */
  private equality(fn: '==' | '!=', args: readonly Expr[], [a, b]: string[]): string {
    const maybe = args.some((arg) => arg.type.nullable);
    if (fn === '==') return maybe ? `(${a} IS ${b})` : `(${a} = ${b})`;
    return maybe ? `(${a} IS NOT ${b})` : `(${a} <> ${b})`;
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

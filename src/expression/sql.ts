import type { Expr, Fn, Query } from './expr.ts';
import { uses } from './expr.ts';

/** How one database writes what SQL dialects write differently. */
export interface Dialect {
  /** A quoted table and a quoted column; names come from the document and are never put in bare. */
  table(resource: string): string;
  column(alias: string, resource: string, field: string): string;
  identity(resource: string): string;
  /** Writes a parameter; `uuid` says that it is compared with stored UUIDs. */
  parameter(index: number, uuid: boolean): string;
  /** True if the identity of the resource is stored as a UUID. */
  uuidIdentity(resource: string): boolean;
  /** Position of one text in another, from 1, or 0. */
  position(text: string, part: string): string;
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

  constructor(dialect: Dialect) {
    this.dialect = dialect;
  }

  /** Lets `name` stand for a row of the table that `alias` names. */
  bind(name: string, resource: string, alias: string): this {
    this.rows.set(name, { alias, resource });
    return this;
  }

  /** The expression as SQL; null where it needs something that SQL is not given. */
  write(expr: Expr, uuid = false): string {
    if (![...this.rows.keys()].some((row) => uses(expr, row)) && !hasQuery(expr)) return this.parameter(expr, uuid);
    switch (expr.op) {
      case 'const':
        return this.parameter(expr, uuid);
      case 'name': {
        const row = this.rows.get(expr.name);
        if (!row) return this.parameter(expr, uuid);
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
        return `(${this.aggregate(expr)})`;
      case 'call':
        return this.call(expr.fn, expr.args);
      default:
        throw new Error(`“${expr.op}” can’t be written in SQL`);
    }
  }

  /** An aggregate as a SELECT of one value. */
  aggregate(query: Query): string {
    const alias = `q${this.rows.size}`;
    const before = this.rows.get(query.row);
    this.bind(query.row, query.resource, alias);
    const what =
      query.fn === 'sum' ? `coalesce(sum(${this.write(query.value!)}), 0)` : query.fn === 'count' ? 'count(*)' : '1';
    const where = query.where ? ` WHERE ${this.write(query.where)}` : '';
    const select = `SELECT ${what} FROM ${this.dialect.table(query.resource)} AS ${alias}${where}`;
    if (before) this.rows.set(query.row, before);
    else this.rows.delete(query.row);
    return query.fn === 'exists' ? `SELECT EXISTS (${select})` : select;
  }

  private parameter(expr: Expr, uuid: boolean): string {
    this.parameters.push({ expr, uuid });
    return this.dialect.parameter(this.parameters.length, uuid);
  }

  private call(fn: Fn, args: readonly Expr[]): string {
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
      case '-':
      case '*':
      case '/':
      case '%':
        return `(${text().join(` ${fn} `)})`;
      case '+':
        return `(${text().join(args[0]!.type.kind === 'string' ? ' || ' : ' + ')})`;
      case 'contains':
        return `(${this.dialect.position(...(text() as [string, string]))} > 0)`;
      case 'size':
        return `length(${text()[0]})`;
      case 'startsWith': {
        const [a, b, c] = [this.write(args[0]!), this.write(args[1]!), this.write(args[1]!)];
        return `(substr(${a}, 1, length(${b})) = ${c})`;
      }
      case 'endsWith': {
        const [a, b, c, d] = [this.write(args[1]!), this.write(args[0]!), this.write(args[1]!), this.write(args[1]!)];
        return `(length(${a}) = 0 OR substr(${b}, -length(${c})) = ${d})`;
      }
      case 'string':
        return `CAST(${text()[0]} AS TEXT)`;
      case 'in':
        return this.membership(args[0]!, args[1]!, uuid);
      default:
        throw new Error(`“${fn}” can’t be written in SQL`);
    }
  }

  private membership(item: Expr, list: Expr, uuid: boolean): string {
    if (list.op !== 'list') throw new Error('Only a list that is written out can be searched for a value of a row');
    if (list.items.length === 0) return 'FALSE';
    return `(${this.write(item, uuid)} IN (${list.items.map((one) => this.write(one, uuid)).join(', ')}))`;
  }

  /** `==` never gives NULL: where null may stand, IS compares it as a value. */
  private equality(fn: '==' | '!=', args: readonly Expr[], [a, b]: string[]): string {
    const maybe = args.some((arg) => arg.type.nullable);
    if (fn === '==') return maybe ? `(${a} IS ${b})` : `(${a} = ${b})`;
    return maybe ? `(${a} IS NOT ${b})` : `(${a} <> ${b})`;
  }

  private isUuid(expr: Expr): boolean {
    const { type } = expr;
    return (
      (type.kind === 'string' && type.format === 'uuid') ||
      (type.kind === 'row' && this.dialect.uuidIdentity(type.resource))
    );
  }
}

function hasQuery(expr: Expr): boolean {
  if (expr.op === 'query') return true;
  if (expr.op === 'call') return expr.args.some(hasQuery);
  return expr.op === 'if' && [expr.test, expr.then, expr.else].some(hasQuery);
}

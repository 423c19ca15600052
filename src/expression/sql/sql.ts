import { inLibrary, meaningOf } from '../library/index.ts';
import { lowestOf } from '../operators.ts';
import { type Expr, isFolded, show, some } from '../tree/expression.ts';
import type { LibraryFn } from '../tree/library-names.ts';
import { isSimple, rangeOfType } from '../tree/results.ts';
import { rescaledBy } from '../tree/scales.ts';
import { queryTextOf, searchOf } from '../tree/search.ts';
import { BOOLEAN, NULL, type Type } from '../tree/types.ts';
import type { Dialect } from './dialect.ts';
import { nests, RowsWriter } from './rows.ts';

/** A value that a statement receives when it runs. */
export interface Parameter {
  readonly expr: Expr;
  readonly uuid: boolean;
}

/**
 * Strings that are written as literals, so that the database can choose an index by them; other strings are parameters.
 */
const PLAIN = /^[\w .:@/-]{0,60}$/;

/** Number of conditions from which a chain is written as a tree. */
const LONG_CHAIN = 200;

type Call = Extract<Expr, { op: 'call' }>;

interface Options {
  /** Numbers beyond the exact range are left to the database, since an index requires that. */
  readonly plainly?: boolean | undefined;
  /** Writes constants as literals, so that the database can use an index that is limited by a condition with them. */
  readonly literal?: ((value: string | number | boolean | null, uuid: boolean) => string) | undefined;
}

/** Compiles expressions over rows to SQL. Parts that depend on no row become parameters, which JavaScript computes. */
export class SqlWriter extends RowsWriter {
  readonly parameters: Parameter[] = [];
  private readonly plainly: boolean;
  private readonly literal: Options['literal'];

  constructor(dialect: Dialect, { plainly = false, literal }: Options = {}) {
    super(dialect);
    this.plainly = plainly;
    this.literal = literal;
  }

  /** The expression as SQL; `uuid` says that it is compared with a stored UUID. */
  write(expr: Expr, uuid = false): string {
    if (expr.op === 'const' && !uuid && typeof expr.value === 'string' && PLAIN.test(expr.value))
      return this.dialect.text(expr.value);
    if (expr.op === 'const' && expr.value === null) return 'NULL';
    if (expr.op === 'const' && this.literal) return this.literal(expr.value, uuid);
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
        return expr.grouped ? this.ofGroup(expr) : `(${this.query(expr)})`;
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

  /** The expression as a selected column: lists and views are JSON. */
  shown(expr: Expr): string {
    return expr.op === 'tuple' ? this.json(expr) : this.write(expr);
  }

  /** Whether the value depends on a row or a query. */
  private depends(expr: Expr): boolean {
    return some(
      expr,
      (part) => part.op === 'query' || (part.op === 'name' && (this.rows.has(part.name) || this.bound.has(part.name))),
    );
  }

  private parameter(expr: Expr, uuid: boolean): string {
    this.parameters.push({ expr, uuid });
    return this.dialect.parameter(this.parameters.length, uuid, expr.type);
  }

  /**
   * Writes a long chain of conditions as a balanced binary tree: SQLite allows 1,000 levels, and a chain has a level
   * for each condition. Null for a short chain.
   */
  private chain(expr: Call, between: string): string | null {
    const terms: Expr[] = [];
    const rest: Expr[] = [expr];
    for (let term = rest.pop(); term; term = rest.pop()) {
      if (term.op !== 'call' || term.fn !== expr.fn) terms.push(term);
      else for (const arg of term.args.toReversed()) rest.push(arg);
    }
    if (terms.length <= LONG_CHAIN) return null;
    const texts = terms.map((term) => this.text(term));
    const tree = (from: number, to: number): string => {
      if (to - from === 1) return texts[from]!;
      const half = (from + to) >> 1;
      return `(${tree(from, half)}${between}${tree(half, to)})`;
    };
    return tree(0, texts.length);
  }

  private call(expr: Extract<Expr, { op: 'call' }>): string {
    const { fn, args } = expr;
    if (inLibrary(fn)) return this.library(expr, fn);
    const texts = (): string[] => args.map((arg) => this.text(arg));
    switch (fn) {
      case 'and':
        return this.chain(expr, ' AND ') ?? `(${texts().join(' AND ')})`;
      case 'or':
        return this.chain(expr, ' OR ') ?? `(${texts().join(' OR ')})`;
      case 'not':
        return `(NOT ${texts()[0]})`;
      case 'fails':
        return `(${texts()[0]} IS NOT TRUE)`;
      case 'or lowest':
        return `coalesce(${texts()[0]}, ${this.lowest(expr.type)})`;
      case 'folded':
        return this.foldedField(args[0]!);
      case 'matching':
      case 'points':
        return this.search(fn, args);
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
        return this.bounded(expr, () => texts() as [string, string]);
      case '%':
      case '/':
        return this.dialect.divided(fn, ...(texts() as [string, string]));
      case '+':
      case '-':
        return this.sum(expr);
      case 'rescale': {
        const factor = String(10 ** rescaledBy(args[0]!, args[1]!));
        return this.bounded(expr, () => [this.text(args[0]!), factor]);
      }
      case 'contains':
        return `(${this.dialect.position(...(texts() as [string, string]))} > 0)`;
      case 'size':
        if (args[0]!.type.kind === 'list') return this.dialect.length(this.write(args[0]!));
        if (args[0]!.type.kind === 'map') return this.dialect.call('map_size', texts(), expr.type);
        return this.dialect.characters(texts()[0]!);
      case 'sum': {
        if (this.dialect.results.lacks(expr)) return this.dialect.call('list_sum', texts(), expr.type);
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

  /** The stored folded form of a field; SQL cannot fold other texts as JavaScript does. */
  private foldedField(text: Expr): string {
    const row = text.op === 'get' && text.of.op === 'name' ? this.rows.get(text.of.name) : undefined;
    if (text.op !== 'get' || !row) throw new Error(`The case of “${show(text)}” can’t be folded in SQL`);
    return this.dialect.column(row.alias, row.resource, this.dialect.folded(text.member));
  }

  /** Whether the row matches a query, by the index of the search; or the points of the row, of its stored words. */
  private search(fn: 'matching' | 'points', args: readonly Expr[]): string {
    const search = searchOf(args);
    if (fn === 'matching') {
      const { alias, resource } = this.rowOf(search.fields[0]!.field);
      return this.dialect.matching(alias, resource, this.write(queryTextOf(search, this.dialect.querySyntax)));
    }
    const each = search.fields.map(({ field, weight }) => {
      const { alias, resource } = this.rowOf(field);
      return {
        words: this.dialect.column(alias, resource, this.dialect.words(memberOf(field), search)),
        weight,
      };
    });
    return this.dialect.points(each, () => this.write(queryTextOf(search, this.dialect.termSyntax)));
  }

  /** The row whose field an expression reads. */
  private rowOf(field: Expr): { readonly alias: string; readonly resource: string } {
    const row = field.op === 'get' && field.of.op === 'name' ? this.rows.get(field.of.name) : undefined;
    if (!row) throw new Error(`“${show(field)}” can’t be searched in SQL`);
    return row;
  }

  private sum(expr: Call): string {
    const { args, type } = expr;
    const fn = expr.fn as '+' | '-';
    const [kind, other] = args.map((arg) => arg.type.kind);
    if (kind === 'list')
      return this.dialect.call(
        'list_plus',
        args.map((arg) => this.whole(arg)),
        type,
      );
    const texts = (): string[] => args.map((arg) => this.text(arg));
    if (kind === 'string') return `(${texts().join(' || ')})`;
    if (kind !== 'date') return this.bounded(expr, () => texts() as [string, string]);
    if (other === 'date') return this.dialect.call('days_between', texts(), type);
    return this.dialect.call(fn === '+' ? 'date_plus' : 'date_minus', texts(), type);
  }

  /** A number that is NULL beyond the exact range, or an instant that is NULL beyond the years 1 to 9999. */
  private bounded(expr: Call, operands: () => readonly [string, string]): string {
    const { type, args, fn } = expr;
    const times = fn === '*' || fn === 'rescale';
    const plain = (): string => `(${operands().join(times ? ' * ' : ` ${fn} `)})`;
    if (this.plainly || !this.dialect.results.goesBeyond(expr)) return plain();
    if (!times && args.every(isSimple)) {
      const [least, most] = rangeOfType(type);
      return `(CASE WHEN ${plain()} BETWEEN ${least} AND ${most} THEN ${plain()} END)`;
    }
    const written = times ? this.dialect.times(...operands()) : plain();
    return this.dialect.call(type.kind === 'timestamp' ? 'in_years' : 'exact', [written], type);
  }

  private lowest(type: Type): string {
    const lowest = lowestOf(type);
    if (typeof lowest === 'string') return this.dialect.text(lowest);
    return typeof lowest === 'boolean' ? 'FALSE' : `(${lowest})`;
  }

  /** A function that SQL lacks is computed by the code that JavaScript uses, too. */
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

  /** A value as a string argument: a UUID is converted to text. */
  protected text(arg: Expr): string {
    const written = this.write(arg);
    return this.isUuid(arg) && this.depends(arg) ? this.dialect.uuidText(written) : written;
  }

  /** A value in a place that accepts another type, too: in the form of stored UUIDs, if all values there are UUIDs. */
  protected as(expr: Expr, type: Type): string {
    const uuid = this.isUuid({ ...expr, type: innermost(type) } as Expr);
    if (nests(expr.type)) return uuid ? this.write(expr) : this.whole(expr);
    return uuid ? this.write(expr, true) : this.text(expr);
  }

  /** A list or a map as an argument: in JSON made by SQL, booleans are 0 and 1, and UUIDs have no hyphens. */
  private whole(arg: Expr): string {
    const written = this.write(arg);
    const item = innermost(arg.type);
    if (!this.depends(arg)) return written;
    if (this.isUuid({ ...arg, type: item } as Expr)) return this.dialect.call('whole_uuids', [written], arg.type);
    return item.kind === 'boolean' ? this.dialect.call('whole_booleans', [written], arg.type) : written;
  }

  /** Values for a comparison: UUIDs in their stored form, if all values are UUIDs. */
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
      // Equal values may have different JSON texts.
      const apart = [item, ...list.items].some((one) => one.type.nullable || nests(one.type));
      if (apart) return `(${list.items.map((one) => this.equality('==', [item, one])).join(' OR ')})`;
      const [looked, ...among] = this.compared([item, ...list.items]);
      return `(${looked} IN (${among.join(', ')}))`;
    }
    const of = list.type.kind === 'list' ? list.type.of : NULL;
    const held = this.heldItems(list);
    if (held !== null) {
      const looked = this.isUuid({ ...list, type: of } as Expr) ? this.write(item, true) : this.text(item);
      return `(${held.holder} IN (SELECT holder FROM ${held.table} WHERE item = ${looked}))`;
    }
    if (nests(of)) return this.dialect.call('list_has', [this.whole(list), this.whole(item)], BOOLEAN);
    return this.guarded(list, (written) => this.among(item, written, of, this.isUuid({ ...list, type: of } as Expr)));
  }

  /** The table of the items of a stored list of references, which has an index, and the identity of the list’s row. */
  private heldItems(list: Expr): { readonly table: string; readonly holder: string } | null {
    const row = list.op === 'get' && list.of.op === 'name' ? this.rows.get(list.of.name) : undefined;
    if (list.op !== 'get' || !row) return null;
    const table = this.dialect.itemsTable(row.resource, list.member);
    return table === null ? null : { table, holder: this.write(list.of) };
  }

  /** Whether a value is an item of a JSON array. */
  private among(item: Expr, list: () => string, of: Type, uuids: boolean): string {
    const alias = `e${++this.aliases}`;
    const uuid = uuids && this.isUuid(item);
    // Parameters count in the order in which the SQL has them, so the item is written before the list.
    const looked = uuid ? this.write(item, true) : this.text(item);
    const items = this.dialect.items(list(), alias);
    const one = this.dialect.item(alias, uuid, of);
    const maybe = item.type.nullable || of.nullable;
    if (maybe)
      return `(EXISTS (SELECT 1 FROM (SELECT ${looked} AS looked) AS l${alias}, ${items} WHERE ${this.dialect.same(one, `l${alias}.looked`)}))`;
    return `(${looked} IN (SELECT ${one} FROM ${items}))`;
  }

  /** `==` never gives NULL: IS compares values that may be null. */
  private equality(fn: '==' | '!=', args: readonly Expr[]): string {
    if (args.every((arg) => nests(arg.type))) {
      const sure = args.every((arg) => !arg.type.nullable) && args.some((arg) => this.dialect.results.lacks(arg));
      const same = this.dialect.call(
        sure ? 'alike' : 'same',
        args.map((arg) => this.whole(arg)),
        BOOLEAN,
      );
      return fn === '==' ? same : `(NOT ${same})`;
    }
    const [a, b] = this.compared(args) as [string, string];
    // Where a look-up ignores case, null equals nothing, and both databases use the index of the folded texts.
    if (args.every(isFolded)) return `(${a} = ${b})`;
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

const memberOf = (field: Expr): string => (field.op === 'get' ? field.member : '');

/** The type of the innermost values of a list or map. */
function innermost(type: Type): Type {
  return type.kind === 'list' || type.kind === 'map' ? innermost(type.of) : type;
}

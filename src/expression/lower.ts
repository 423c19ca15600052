import {
  both,
  conjuncts,
  type Expr,
  type Fn,
  folded,
  isAsked,
  type Macro,
  mapParts,
  type Query,
  some,
  unfolded,
  uses,
} from './tree/expression.ts';
import { BOOLEAN, INTEGER, rowOf, type Type } from './tree/types.ts';

/** The properties of resources that lowering needs. */
interface Resources {
  readonly identity: (resource: string) => { readonly name: string; readonly type: Type };
  /** The expression of a derived field. */
  readonly derived: (resource: string, field: string) => Expr;
  /** The condition under which the caller sees a row; null where everyone sees every row. */
  readonly visible: (resource: string) => Expr | null;
  /** True where no two rows share a value of the field. */
  readonly unique: (resource: string, field: string) => boolean;
}

type Each = Extract<Expr, { op: 'each' }>;
type Get = Extract<Expr, { op: 'get' }>;

/**
 * Converts expressions of the document to a form for the database: derived fields become their expressions, reading
 * through a reference becomes a query for the one row, and macros over stored rows become one query. The rest is
 * computed row by row: names, stored fields of rows in the frame, and functions of them.
 *
 * With `sighted`, all queries leave out rows that the caller may not see, except inside the condition of visibility
 * itself, and where the document says `every`.
 */
export class Lowering {
  private readonly resources: Resources;
  private readonly sighted: boolean;
  /** A counter for generated names, which makes them unique. */
  private readonly made: { count: number };
  /** The expressions of names that macros have bound, where a query has replaced the macro. */
  private env: ReadonlyMap<string, Expr> = new Map();
  /** The names that macros bind to items of values: a row among the items is only its identity. */
  private readonly identities = new Set<string>();

  constructor(resources: Resources, sighted: boolean, made = { count: 0 }) {
    this.resources = resources;
    this.sighted = sighted;
    this.made = made;
  }

  lower(expr: Expr): Expr {
    switch (expr.op) {
      case 'name':
        return this.env.get(expr.name) ?? expr;
      case 'rows':
        return expr.among === 'group' ? groupOf(expr.resource, expr.type) : this.rows(expr);
      case 'get':
        return expr.of.type.kind === 'row' ? this.read(expr) : mapParts(expr, (part) => this.lower(part));
      case 'each':
        return this.each(expr);
      case 'call':
        return this.call(expr);
      default:
        return mapParts(expr, (part) => this.lower(part));
    }
  }

  /** Lowers an expression of a resource, which names `row` as `this` and no other name from outside. */
  of(row: Expr, expr: Expr): Expr {
    return this.within(new Map([['this', row]]), expr);
  }

  private within(env: ReadonlyMap<string, Expr>, expr: Expr): Expr {
    const before = this.env;
    this.env = env;
    const lowered = this.lower(expr);
    this.env = before;
    return lowered;
  }

  /** A condition that selects rows, named `this`, and leaves out rows that the caller may not see. */
  where(resource: string, condition: Expr | null): Expr | null {
    const visible = this.visible(resource, { op: 'name', name: 'this', type: rowOf(resource) });
    const all = both(condition && this.lower(condition), visible);
    if (!all) return null;
    return conjuncts(all)
      .map((one) => this.turned(one))
      .reduce<Expr | null>(both, null);
  }

  /**
   * Builds the query that computes `value` for the row to which `reference` points. A row that is already loaded into
   * the frame (the named rows of the request) is read even if the caller may not see it.
   */
  through(reference: Expr, value: (row: Expr) => Expr, type: Type): Query {
    const resource = resourceOf(reference);
    const row = this.fresh(resource);
    const { name, type: kind } = this.resources.identity(resource);
    const own: Expr = { op: 'get', of: row, member: name, type: kind };
    const same: Expr = { op: 'call', fn: '==', args: [own, reference], type: BOOLEAN };
    const where = this.isAtHand(reference) ? same : both(same, this.visible(resource, row));
    return { op: 'query', fn: 'one', resource, row: row.name, where, value: value(row), type };
  }

  /** A name for the items of a list of values: a row among the items is only its identity. */
  item(): string {
    const name = `item ${++this.made.count}`;
    this.identities.add(name);
    return name;
  }

  /** Whether an expression is a whole row in the frame, of a step or of the caller, and not the identity of a row. */
  private isAtHand(row: Expr): boolean {
    if (row.op === 'if') return this.isAtHand(row.then) && this.isAtHand(row.else);
    return row.op === 'name' && !this.identities.has(row.name);
  }

  private fresh(resource: string): Extract<Expr, { op: 'name' }> {
    return { op: 'name', name: `${resource} ${++this.made.count}`, type: rowOf(resource) };
  }

  private visible(resource: string, row: Expr): Expr | null {
    const visible = this.sighted ? this.resources.visible(resource) : null;
    if (!visible) return null;
    return new Lowering(this.resources, false, this.made).of(row, visible);
  }

  private rows({ resource, among, type }: Extract<Expr, { op: 'rows' }>): Query {
    const row = this.fresh(resource);
    return {
      op: 'query',
      fn: 'list',
      resource,
      row: row.name,
      where: among === 'every' ? null : this.visible(resource, row),
      value: null,
      type,
    };
  }

  private read(get: Get): Expr {
    const { of, member, type, derived } = get;
    if (of.op === 'if') {
      const [yes, no] = [of.then, of.else].map((one): Expr => {
        return one.type.kind === 'row' ? { ...get, of: one } : { op: 'const', value: null, type };
      });
      return this.lower({ op: 'if', test: of.test, then: yes!, else: no!, type });
    }
    const row = this.lower(of);
    const resource = resourceOf(row);
    const value = (at: Expr): Expr => {
      if (derived) return this.of(at, this.resources.derived(resource, member));
      return { op: 'get', of: at, member, type };
    };
    if (row.op === 'name' && !this.identities.has(row.name)) return value(row);
    if (row.op === 'query' && row.fn === 'first' && !row.value)
      return { ...row, value: value({ op: 'name', name: row.row, type: rowOf(resource) }), type };
    const hides = this.sighted && this.resources.visible(resource) !== null;
    // A reference is stored as the identity of its target.
    if (member === this.resources.identity(resource).name && !hides) return { ...row, type } as Expr;
    return this.through(row, value, type);
  }

  private each(expr: Each): Expr {
    const list = this.lower(expr.list);
    if (list.op !== 'query' || list.fn !== 'list') {
      const name = `${expr.name} ${++this.made.count}`;
      const type = list.type.kind === 'list' ? list.type.of : expr.type;
      const body = (): Expr => this.bound(expr.name, { op: 'name', name, type }, expr.body);
      if (list.op !== 'name') this.identities.add(name);
      const lowered: Expr = { ...expr, list, name, body: body() };
      if (list.op !== 'name' || type.kind !== 'row' || !isAsked(lowered)) return lowered;
      // Rows in the frame are passed to the store by their identities.
      this.identities.add(name);
      return { ...lowered, body: body() };
    }
    const item: Expr = list.value ?? { op: 'name', name: list.row, type: rowOf(list.resource) };
    return combined(expr.macro, list, this.bound(expr.name, item, expr.body), expr.type);
  }

  private bound(name: string, value: Expr, body: Expr): Expr {
    return this.within(new Map(this.env).set(name, value), body);
  }

  private call(expr: Extract<Expr, { op: 'call' }>): Expr {
    const args = expr.args.map((arg) => this.lower(arg));
    const [a, b] = args;
    if (expr.fn === 'size' && a?.op === 'query' && a.fn === 'list')
      return { ...a, fn: 'count', value: null, type: INTEGER };
    if (expr.fn === 'folded' && a?.op === 'query' && a.fn === 'one' && a.value)
      return { ...a, value: folded(a.value), type: expr.type };
    if (a?.op === 'query' && a.fn === 'list' && IN_QUERY.has(expr.fn)) return inQuery(expr.fn, a, expr.type);
    if (expr.fn === 'in' && a && b?.op === 'query' && b.fn === 'list') {
      const item: Expr = b.value ?? { op: 'name', name: b.row, type: rowOf(b.resource) };
      return combined('exists', b, { op: 'call', fn: '==', args: [item, a], type: BOOLEAN }, BOOLEAN);
    }
    return { ...expr, args };
  }

  /**
   * Rewrites `order.customer.email == x`, where the email is unique, as `order.customer == the customer whose email is
   * x`, for which the database can use the index of the reference.
   */
  private turned(condition: Expr): Expr {
    if (condition.op !== 'call' || condition.fn !== '==') return condition;
    for (const [a, b] of [condition.args, condition.args.toReversed()]) {
      if (!a || !b || a.op !== 'query' || a.fn !== 'one' || uses(b, 'this')) continue;
      const { where: found, value } = a;
      const [same, ...rest] = found ? conjuncts(found) : [];
      const field = value && unfolded(value);
      if (!value || field?.op !== 'get' || b.type.nullable) continue;
      if (field.of.op !== 'name' || field.of.name !== a.row || rest.length > 0) continue;
      if (same?.op !== 'call' || same.fn !== '==' || !this.resources.unique(a.resource, field.member)) continue;
      const [identity, reference] = same.args;
      if (!identity || reference?.op !== 'get' || reference.type.nullable) continue;
      if (some(b, (part) => part.op === 'query')) continue;
      const where: Expr = { op: 'call', fn: '==', args: [value, b], type: BOOLEAN };
      const target: Expr = { ...a, where, value: identity, type: reference.type };
      return this.turned({ ...condition, args: [reference, target] });
    }
    return condition;
  }
}

/** The rows of a group, which are rows of the statement itself. */
const groupOf = (resource: string, type: Type): Query => ({
  op: 'query',
  fn: 'list',
  resource,
  row: 'this',
  grouped: true,
  where: null,
  value: null,
  type,
});

/** The list functions that a query computes itself. */
const IN_QUERY: ReadonlySet<Fn> = new Set<Fn>(['sum', 'min', 'max', 'sort', 'reverse', 'first', 'last']);

/** Makes a function of a query’s list a part of the query. */
function inQuery(fn: Fn, list: Query, type: Type): Query {
  const item: Expr = list.value ?? { op: 'name', name: list.row, type: rowOf(list.resource) };
  if (fn === 'sum' || fn === 'min' || fn === 'max') return { ...list, fn, type };
  if (fn === 'sort') return { ...list, order: [{ by: item, descending: false }, ...(list.order ?? [])], type };
  if (fn === 'first') return { ...list, fn, type };
  const order = (list.order ?? []).map((one) => ({ ...one, descending: !one.descending }));
  return { ...list, fn: fn === 'last' ? 'first' : 'list', order, backwards: !list.backwards, type };
}

/** Makes a macro over stored rows a part of the query that selects them. `body` uses the query’s own row. */
function combined(macro: Macro, list: Query, body: Expr, type: Type): Expr {
  switch (macro) {
    case 'filter':
      return { ...list, where: both(list.where, body), type };
    case 'map':
      return { ...list, value: body, type };
    case 'exists':
      return { ...list, fn: 'exists', where: both(list.where, body), value: null, type };
    case 'all': {
      const broken: Expr = { op: 'call', fn: 'fails', args: [body], type: BOOLEAN };
      const none: Expr = { ...list, fn: 'exists', where: both(list.where, broken), value: null, type };
      return { op: 'call', fn: 'not', args: [none], type };
    }
    case 'sortBy':
      return { ...list, order: [{ by: body, descending: false }, ...(list.order ?? [])], type };
    case 'exists_one': {
      const count: Expr = { ...list, fn: 'count', where: both(list.where, body), value: null, type: INTEGER };
      return { op: 'call', fn: '==', args: [count, { op: 'const', value: 1, type: INTEGER }], type };
    }
  }
}

function resourceOf(expr: Expr): string {
  if (expr.type.kind !== 'row') throw new Error('Only a row has fields');
  return expr.type.resource;
}

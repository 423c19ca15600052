import { type Layout, toJavaScript } from '../../src/expression/javascript.ts';
import { compareValues } from '../../src/expression/library/lists.ts';
import type { Expr } from '../../src/expression/tree/expression.ts';
import { sortedMap } from '../../src/expression/values/json.ts';
import { emptyFrame, sameValue, type Value } from '../../src/expression/values/value.ts';
import { type Fields, PLAN, type Tables } from './world.ts';

/** A row that is at hand, with the resource that it is of. */
class Held {
  readonly resource: keyof Tables;
  readonly fields: Fields;

  constructor(resource: keyof Tables, fields: Fields) {
    this.resource = resource;
    this.fields = fields;
  }
}

type Known = Value | Held | readonly Held[];

const NO_LAYOUT = (): never => {
  throw new Error('Not in a naive evaluation');
};

/** Evaluates expressions as the reference tells it, one item after the other, over tables that are arrays. */
export class Naive {
  private readonly tables: Tables;
  private readonly now: number;

  constructor(tables: Tables, now: number) {
    this.tables = tables;
    this.now = now;
  }

  row(resource: keyof Tables, fields: Fields): Known {
    return new Held(resource, fields);
  }

  /** The value of an expression; a row is its identity. */
  value(expr: Expr, names: ReadonlyMap<string, Known>): Value {
    return plain(this.evaluate(expr, names));
  }

  private evaluate(expr: Expr, names: ReadonlyMap<string, Known>): Known {
    const of = (part: Expr): Known => this.evaluate(part, names);
    switch (expr.op) {
      case 'const':
        return expr.value;
      case 'name':
        return names.get(expr.name)!;
      case 'rows':
        return this.all(expr.resource as keyof Tables);
      case 'get':
        return this.read(of(expr.of) as Held, expr);
      case 'if':
        return of(of(expr.test) === true ? expr.then : expr.else);
      case 'list':
        return expr.items.map((item) => plain(of(item)));
      case 'map':
        return sortedMap(expr.values.map((value, i) => [expr.keys[i]!, plain(of(value))]));
      case 'each':
        return this.each(expr, of(expr.list) as readonly Known[], names);
      case 'call':
        return this.call(expr, of);
      default:
        throw new Error(`“${expr.op}” is not evaluated naively`);
    }
  }

  private all(resource: keyof Tables): readonly Held[] {
    return this.tables[resource]
      .filter((fields) => seen(resource, fields))
      .map((fields) => new Held(resource, fields))
      .sort((a, b) => compareValues(a.fields.id!, b.fields.id!));
  }

  private read(row: Held, { member, derived, type }: Extract<Expr, { op: 'get' }>): Known {
    // What is read through a reference to a hidden row is absent.
    if (!seen(row.resource, row.fields)) return null;
    const plan = PLAN.resources.find((one) => one.name === row.resource)!;
    if (derived) return this.evaluate(plan.derived.find((one) => one.name === member)!.value, new Map([['this', row]]));
    const value = row.fields[member] ?? null;
    return type.kind === 'row' && value !== null ? this.found(type.resource as keyof Tables, value) : value;
  }

  private found(resource: keyof Tables, id: Value): Held {
    return new Held(resource, this.tables[resource].find((fields) => fields.id === id)!);
  }

  private each(expr: Extract<Expr, { op: 'each' }>, list: readonly Known[], names: ReadonlyMap<string, Known>): Known {
    const body = (item: Known): Known => this.evaluate(expr.body, new Map(names).set(expr.name, item));
    const kept = (): readonly Known[] => list.filter((item) => body(item) === true);
    switch (expr.macro) {
      case 'all':
        return kept().length === list.length;
      case 'exists':
        return kept().length > 0;
      case 'exists_one':
        return kept().length === 1;
      case 'filter':
        return kept() as Known;
      case 'map':
        return list.map(body) as Known;
      case 'sortBy': {
        const keyed = list.map((item) => [body(item) as Value, item] as const);
        return keyed.sort(([a], [b]) => compareValues(a, b)).map(([, item]) => item) as Known;
      }
    }
  }

  /** What compares and decides is done here; sums, functions of text and the like are those of the product. */
  private call(expr: Extract<Expr, { op: 'call' }>, of: (part: Expr) => Known): Known {
    const [a, b] = expr.args;
    if (expr.fn === 'and') return of(a!) === true && of(b!) === true;
    if (expr.fn === 'or') return of(a!) === true || of(b!) === true;
    if (expr.fn === '==') return sameValue(plain(of(a!)), plain(of(b!)));
    if (expr.fn === '!=') return !sameValue(plain(of(a!)), plain(of(b!)));
    if (expr.fn === 'reverse' && a!.type.kind === 'list') return [...(of(a!) as Value[])].reverse();
    if (expr.fn === 'now') return this.now;
    const values = expr.args.map((arg) => plain(of(arg)));
    if (expr.fn === 'in' && values[1] instanceof Map) return values[1].has(values[0] as string);
    if (expr.fn === 'in') return (values[1] as readonly Value[]).some((one) => sameValue(one, values[0]));
    const args = expr.args.map(
      (arg, i): Expr => (arg.op === 'const' ? arg : { op: 'name', name: `${i}`, type: arg.type }),
    );
    const layout: Layout = {
      column: NO_LAYOUT,
      identity: () => 0,
      revision: NO_LAYOUT,
      slot: Number,
      member: NO_LAYOUT,
      stored: NO_LAYOUT,
      uuid: NO_LAYOUT,
      secret: NO_LAYOUT,
      random: NO_LAYOUT,
      url: null,
    };
    return toJavaScript({ ...expr, args }, layout)({ ...emptyFrame(this.now, ''), vars: values }) as Value;
  }
}

/** What the document says of who sees what. */
function seen(resource: keyof Tables, fields: Fields): boolean {
  return resource !== 'Card' || fields.open === true;
}

/** A row as its identity, and rows as theirs. */
function plain(value: Known): Value {
  if (value instanceof Held) return value.fields.id!;
  return Array.isArray(value) ? (value as Known[]).map(plain) : (value as Value);
}

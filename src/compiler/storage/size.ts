import type { Expr, Fn } from '../../expression/tree/expression.ts';
import type { ResourcePlan } from '../../plan/rows.ts';

/** The size of an expression as SQL: its terms, and the depth of their nesting. */
export interface Size {
  readonly terms: number;
  readonly depth: number;
  /** For a list, the size of the expression for one of its items. */
  readonly item: Size | null;
}

type Env = ReadonlyMap<string, Size>;

const ONE: Size = { terms: 1, depth: 1, item: null };
/** A row that a query goes through, whose fields are at hand. */
const ROW: Size = { terms: 1, depth: 1, item: null };
const NONE: Size = { terms: 0, depth: 0, item: null };

/** More than any store takes: deeper nesting isn’t counted further. */
const ENDLESS: Size = { terms: Number.POSITIVE_INFINITY, depth: Number.POSITIVE_INFINITY, item: null };
const DEEPEST = 500;

/** The approximate number of characters of a text that count as much as one term. */
const TERM = 16;

/**
 * The nesting levels that a query counts as: SQLite allows 1,000 levels of simple expressions, but only some twenty
 * nested queries.
 */
const LEVELS = 20;

/**
 * The number of times that SQLite processes the argument of an aggregate while it prepares a statement, as measured.
 * The numbers of nested aggregates multiply, so that even a short statement may be slow.
 */
const TERMS_PER_ITEM: Readonly<Partial<Record<Fn, number>>> = { join: 8, distinct: 2 };

/** The size of a query besides its condition and its value: the table, the row’s identity, its order. */
const QUERY: Size = { terms: 5, depth: 3, item: null };

/** The size of expressions side by side. */
const sumOf = (...sizes: readonly Size[]): Size => sum(sizes);

/**
 * The size of any number of adjacent expressions. A loop, since a call of `Math.max` accepts only a limited number of
 * arguments.
 */
function sum(sizes: readonly Size[]): Size {
  let [terms, depth] = [0, 0];
  for (const one of sizes) {
    terms += one.terms;
    depth = Math.max(depth, one.depth);
  }
  return { terms, depth, item: null };
}

/** The size of an expression inside another, which nests it by one level or more. */
const inside = (size: Size, levels = 1): Size => ({ terms: size.terms + 1, depth: size.depth + levels, item: null });

const times = (size: Size, count: number): Size => ({ ...size, terms: size.terms * count });

/**
 * Sizes of expressions as SQL: a derived field counts as its expression, a reference includes the condition `Visible`
 * of its row, and a macro has its list in place of names. The sizes are computed from the expressions, once for each
 * derived field, condition and form; no SQL is written.
 */
export class Sizes {
  private readonly resources: ReadonlyMap<string, ResourcePlan>;
  private readonly known = new Map<string, Size>();
  private readonly fields = new Map<string, ReadonlyMap<string, Expr>>();
  /** The depth of derived fields, conditions and forms whose sizes are being computed, each for the one before. */
  private under = 0;
  /** Cache of the sizes of expressions outside any macro, where no name is bound. */
  private readonly plain = new Map<Expr, Size>();

  constructor(resources: readonly ResourcePlan[]) {
    this.resources = new Map(resources.map((one) => [one.name, one]));
  }

  /** The size of an expression of a step, or of a row that is called `this`. */
  of(expr: Expr): Size {
    const known = this.plain.get(expr) ?? this.size(expr, new Map(), true);
    this.plain.set(expr, known);
    return known;
  }

  /**
   * The size of a derived field; within the condition `Visible`, references don't include a further visibility
   * condition.
   */
  derived(resource: string, field: string, sighted = true): Size {
    return this.once(`${sighted} ${resource}.${field}`, () => {
      const value = this.derivedOf(resource).get(field);
      return value ? this.size(value, new Map(), sighted) : ONE;
    });
  }

  /** The size of the condition under which a caller sees a row. */
  visible(resource: string, sighted = true): Size {
    if (!sighted) return NONE;
    return this.once(`${resource} visible`, () => {
      const visible = this.resources.get(resource)?.visible;
      return visible ? this.size(visible, new Map(), false) : NONE;
    });
  }

  /** The size of a form in which rows are shown, with the forms that it holds. */
  view(resource: string, name: string): Size {
    return this.once(`${resource} as ${name}`, () => {
      const members = this.resources.get(resource)?.views.find((one) => one.name === name)?.members ?? [];
      const sizes = members.map(({ value, view }): Size => {
        const own = this.of(value);
        if (!view) return own;
        return inside(sumOf(own, QUERY, this.visible(view.resource), this.view(view.resource, view.name)), LEVELS);
      });
      return inside(sum(sizes));
    });
  }

  /** The derived fields of a resource, by their names. */
  private derivedOf(resource: string): ReadonlyMap<string, Expr> {
    const fields = this.resources.get(resource)?.derived ?? [];
    const made = this.fields.get(resource) ?? new Map(fields.map(({ name, value }) => [name, value]));
    this.fields.set(resource, made);
    return made;
  }

  private once(key: string, work: () => Size): Size {
    const known = this.known.get(key);
    if (known) return known;
    if (this.under === DEEPEST) return ENDLESS;
    // Ends the recursion in a cycle, which the checks of derived fields and forms have reported.
    this.known.set(key, ONE);
    this.under++;
    const size = work();
    this.under--;
    this.known.set(key, size);
    return size;
  }

  private size(expr: Expr, env: Env, sighted: boolean): Size {
    const of = (part: Expr): Size => this.size(part, env, sighted);
    switch (expr.op) {
      case 'const':
        return typeof expr.value === 'string' ? { ...ONE, terms: 1 + Math.floor(expr.value.length / TERM) } : ONE;
      case 'name':
        return env.get(expr.name) ?? ONE;
      case 'rows':
        return { ...sumOf(QUERY, this.visible(expr.resource, sighted)), item: ROW };
      case 'get':
        return this.member(expr, env, sighted);
      case 'sent':
        return inside(of(expr.of));
      case 'if':
        return inside(sumOf(of(expr.test), of(expr.then), of(expr.else)), 2);
      case 'list':
      case 'tuple':
        return inside(sumOf(...expr.items.map(of)));
      case 'map':
        return inside(sumOf(...expr.values.map(of)));
      case 'each':
        return this.each(expr, env, sighted);
      case 'query':
        return sumOf(QUERY, ...[expr.where, expr.value].filter((one) => one !== null).map(of));
      case 'call':
        return this.call(expr, env, sighted);
    }
  }

  /**
   * The size of a field, or of the expression that it is derived from; through a reference, with the query for the row.
   */
  private member(expr: Extract<Expr, { op: 'get' }>, env: Env, sighted: boolean): Size {
    const { of, member, derived } = expr;
    if (of.op === 'if' && of.type.kind === 'row') {
      const branches = [of.then, of.else].map((one) =>
        one.type.kind === 'row' ? this.member({ ...expr, of: one }, env, sighted) : ONE,
      );
      return inside(sumOf(this.size(of.test, env, sighted), ...branches), 2);
    }
    const row = this.size(of, env, sighted);
    if (of.type.kind !== 'row') return inside(row);
    const { resource } = of.type;
    const value = derived ? this.derived(resource, member, sighted) : ONE;
    if (of.op === 'name' && (env.get(of.name) ?? ROW) === ROW) return { ...value, terms: value.terms + 1 };
    const query = sumOf(inside(row, 3), QUERY, this.visible(resource, sighted), value);
    return { terms: query.terms, depth: query.depth + LEVELS, item: value.item };
  }

  private each({ macro, list, name, body }: Extract<Expr, { op: 'each' }>, env: Env, sighted: boolean): Size {
    const items = this.size(list, env, sighted);
    const item = items.item ?? ONE;
    const each = this.size(body, new Map(env).set(name, item), sighted);
    // The sort keys of rows are written beside the values that are read.
    const whole = inside(sumOf(items, each, macro === 'sortBy' ? item : NONE), LEVELS);
    return { ...whole, item: macro === 'map' ? each : item };
  }

  private call({ fn, args }: Extract<Expr, { op: 'call' }>, env: Env, sighted: boolean): Size {
    const sizes = args.map((arg) => this.size(arg, env, sighted));
    const [first = NONE, second = NONE] = sizes;
    const [, list] = args;
    switch (fn) {
      // SQL has no such function: it is written with the same text again.
      case 'endsWith':
        return inside(sumOf(first, times(second, 3)), 3);
      case 'startsWith':
        return inside(sumOf(first, times(second, 2)), 3);
      case 'in': {
        const count = list?.op === 'list' ? list.items.length : 2;
        return inside(sumOf(times(first, Math.max(1, count)), second, second.item ?? NONE), 3);
      }
      case 'sort':
        return { ...inside(sumOf(first, first.item ?? NONE), 3), item: first.item };
      default: {
        // A function that selects items of a list of rows is still one query.
        const again = times(first.item ?? NONE, (TERMS_PER_ITEM[fn] ?? 1) - 1);
        const whole = inside(sumOf(...sizes, again), args[0]?.type.kind === 'list' ? 4 : 1);
        return { ...whole, item: first.item };
      }
    }
  }
}

import type { Expr, Fn } from '../../expression/tree/expression.ts';
import type { ResourcePlan } from '../../plan/rows.ts';

/** How large an expression is once it is written out for the store: its terms, and how deep they are nested. */
export interface Size {
  readonly terms: number;
  readonly depth: number;
  /** Of a list: what stands for one of its items. */
  readonly item: Size | null;
}

type Env = ReadonlyMap<string, Size>;

const ONE: Size = { terms: 1, depth: 1, item: null };
/** A row that a query goes through, whose fields are at hand. */
const ROW: Size = { terms: 1, depth: 1, item: null };
const NONE: Size = { terms: 0, depth: 0, item: null };

/** More than any store takes: how many stand one in another isn’t counted further. */
const ENDLESS: Size = { terms: Number.POSITIVE_INFINITY, depth: Number.POSITIVE_INFINITY, item: null };
const DEEPEST = 500;

/** About how many characters of a text weigh as much as a term. */
const TERM = 16;

/** How many levels a query stands for: SQLite, which takes 1,000 of the simplest, takes some twenty queries one in another. */
const LEVELS = 20;

/**
 * How many times SQLite goes through what is aggregated while it prepares a statement, as measured: queries in aggregates
 * in aggregates multiply with each level, however short their text is.
 */
const TERMS_PER_ITEM: Readonly<Partial<Record<Fn, number>>> = { join: 8, distinct: 2 };

/** What a query says beside its condition and its value: the table, the row’s identity, its order. */
const QUERY: Size = { terms: 5, depth: 3, item: null };

/** Side by side. */
const sumOf = (...sizes: readonly Size[]): Size => sum(sizes);

/** The same of however many: a call takes only so many arguments. */
function sum(sizes: readonly Size[]): Size {
  let [terms, depth] = [0, 0];
  for (const one of sizes) {
    terms += one.terms;
    depth = Math.max(depth, one.depth);
  }
  return { terms, depth, item: null };
}

/** In something else, which nests them by one level, or more. */
const inside = (size: Size, levels = 1): Size => ({ terms: size.terms + 1, depth: size.depth + levels, item: null });

const times = (size: Size, count: number): Size => ({ ...size, terms: size.terms * count });

/**
 * Sizes of expressions as lowering writes them out: derived fields as their expressions, references with the condition
 * that says who sees the row, macros with their lists in place of names. They are computed from the expressions as they
 * stand, each derived field, condition and form once, and nothing is written out for it.
 */
export class Sizes {
  private readonly resources: ReadonlyMap<string, ResourcePlan>;
  private readonly known = new Map<string, Size>();
  private readonly fields = new Map<string, ReadonlyMap<string, Expr>>();
  /** How many derived fields, conditions and forms are being computed, one for the other. */
  private under = 0;
  /** What each expression comes to where nothing is bound around it. */
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

  /** The size of a derived field; inside the condition that says who sees a row, no row is looked at by another. */
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
    // What goes round in a circle has been found by the checks of derived fields and forms.
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

  /** Of a row at hand, a field or what it is derived from; through a reference, the query for the row as well. */
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
    // What rows are put in order by stands beside what is read of them.
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
        // Lists of rows stay one query, whichever of them is taken.
        const again = times(first.item ?? NONE, (TERMS_PER_ITEM[fn] ?? 1) - 1);
        const whole = inside(sumOf(...sizes, again), args[0]?.type.kind === 'list' ? 4 : 1);
        return { ...whole, item: first.item };
      }
    }
  }
}

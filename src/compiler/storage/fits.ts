import { layoutOf, toJavaScript } from '../../expression/javascript.ts';
import { type Expr, isChanging, parts } from '../../expression/tree/expression.ts';
import { factsOf, heldAs, isScalarKind } from '../../expression/values/kinds.ts';
import { emptyFrame } from '../../expression/values/value.ts';
import type { OrderPlan, Plan, ResourcePlan } from '../../plan/step.ts';
import { mostCharacters } from '../../store/longest-text.ts';
import { type IndexKey, listKeys, lookedUp } from '../../store/lookups.ts';
import { columnName, foldedFields, storedColumns, tableName, uniqueColumns } from '../../store/tables.ts';
import type { Finding } from '../../syntax/diagnostic.ts';
import type { Span } from '../../syntax/span.ts';
import { longest } from '../../text/lists.ts';
import { storeDiagnostics as d } from './messages.ts';
import { type Size, Sizes } from './size.ts';

/** Limits of the terms of one SQL statement, of the terms of all statements of a document, and of levels of nesting. */
const MOST_TERMS = 10_000;
const MOST_IN_ALL = 2_000_000;
const MOST_LEVELS = 400;
/** SQLite takes 1,000 levels in the condition that compares all columns of a row, PostgreSQL 1,600 columns in all. */
const MOST_COLUMNS = 800;
/** PostgreSQL: a page of 8 KiB less its own header and the row’s; a name; an index; an entry of one, as text. */
const MOST_BYTES = 8000;
const LONGEST_NAME = 63;
const MOST_INDEXED = 32;
/** Databases look at each index of a table for each statement, and each rule that rows are unique by has both. */
const MOST_UNIQUES = 400;
const LONGEST_IDENTITY = 650;

/** The columns that PostgreSQL gives every table. */
const SYSTEM_COLUMNS = ['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'];

/** Where a document states a resource, or a field, a derived field or a form of it; and an endpoint. */
export interface Places {
  resource(name: string, member?: string): Span | null;
  endpoint(name: string): Span | null;
}

const count = (number: number): string => (Number.isFinite(number) ? number.toLocaleString('en') : 'endlessly many');

/**
 * Finds the tables and expressions of a plan that a store cannot take, or not in bounded time and memory at its start.
 * The limits of both stores apply, whichever is used; sizes are computed without writing SQL.
 */
export function checkFits(plan: Plan, places: Places): Finding[] {
  return new Fits(plan, places).check();
}

class Fits {
  private readonly findings: Finding[] = [];
  private readonly plan: Plan;
  private readonly places: Places;
  private readonly sizes: Sizes;
  private total = 0;

  constructor(plan: Plan, places: Places) {
    this.plan = plan;
    this.places = places;
    this.sizes = new Sizes(plan.resources);
  }

  check(): Finding[] {
    const keys = listKeys(this.plan);
    for (const resource of this.plan.resources) {
      this.checkTable(resource);
      this.checkIndexes(resource, keys.get(resource.name) ?? []);
      this.checkExpressions(resource);
    }
    // Statements that read a resource which is too large would be too large as well.
    if (this.findings.length > 0) return this.findings;
    for (const endpoint of this.plan.endpoints)
      this.weigh(endpoint, this.places.endpoint(endpoint.name), endpoint.name);
    this.weigh(this.plan.handlers, null, 'What follows a handler');
    for (const one of this.plan.schedules ?? []) this.weigh(one, null, `Schedule ${one.name}`);
    this.weigh(this.plan.webhook, null, 'What receivers hear');
    if (this.total > MOST_IN_ALL && this.findings.length === 0)
      this.findings.push(d.report.total(null, { count: count(this.total), most: count(MOST_IN_ALL) }));
    return this.findings;
  }

  private checkTable(resource: ResourcePlan): void {
    const { name } = resource;
    const at = this.places.resource(name);
    const table = tableName(name);
    if (/^(?:sqlite|pg)_/.test(table))
      this.findings.push(d.report.reserved(at, { what: `The resource ${name}`, name: table }));
    this.checkName(at, `The resource ${name}`, table);
    const columns = storedColumns(resource);
    if (columns.length > MOST_COLUMNS)
      this.findings.push(
        d.report.columns(at, { resource: name, count: count(columns.length), most: count(MOST_COLUMNS) }),
      );
    const bytes = rowBytes(resource);
    if (bytes > MOST_BYTES && columns.length <= MOST_COLUMNS)
      this.findings.push(d.report.rowSize(at, { resource: name, count: count(bytes), most: count(MOST_BYTES) }));
    const names = new Set<string>();
    for (const column of columns.toReversed()) {
      const stored = columnName(column.name);
      const what = column.name.startsWith(' ') ? `What ${name} keeps beside its fields` : `${name}.${column.name}`;
      const place = this.places.resource(name, column.name.split(' ').at(-1)) ?? at;
      if (SYSTEM_COLUMNS.includes(stored)) this.findings.push(d.report.reserved(place, { what, name: stored }));
      this.checkName(place, what, stored);
      // SQLite ignores case in the names of columns.
      const other = stored.toLowerCase();
      if (names.has(other)) this.findings.push(d.report.reserved(place, { what, name: stored }));
      names.add(other);
    }
    for (const view of resource.views)
      if (view.members.length > MOST_COLUMNS) {
        const params = { view: view.name, count: count(view.members.length), most: count(MOST_COLUMNS) };
        this.findings.push(d.report.members(this.places.resource(name, view.name) ?? at, params));
      }
    const identity = resource.columns.find((column) => column.name === resource.identity);
    const most = identity ? mostCharacters(identity.rule) : 0;
    if (most > LONGEST_IDENTITY) {
      const params = {
        field: `${name}.${resource.identity}`,
        count: Number.isFinite(most) ? count(most) : 'any number of',
        most: count(LONGEST_IDENTITY),
      };
      this.findings.push(d.report.identitySize(this.places.resource(name, resource.identity) ?? at, params));
    }
  }

  private checkName(at: Span | null, what: string, name: string): void {
    const bytes = Buffer.byteLength(name);
    if (bytes > LONGEST_NAME)
      this.findings.push(d.report.longName(at, { what, name, bytes: `${bytes}`, most: `${LONGEST_NAME}` }));
  }

  private checkIndexes(resource: ResourcePlan, listed: readonly IndexKey[][]): void {
    const at = this.places.resource(resource.name);
    const checkIndex = (what: string, columns: number): void => {
      if (columns > MOST_INDEXED)
        this.findings.push(d.report.index(at, { what, count: `${columns}`, most: `${MOST_INDEXED}` }));
    };
    if (resource.uniques.length > MOST_UNIQUES) {
      const params = { resource: resource.name, count: count(resource.uniques.length), most: count(MOST_UNIQUES) };
      this.findings.push(d.report.uniques(at, params));
    }
    for (const rule of resource.uniques) {
      checkIndex(`A unique rule of ${resource.name}`, uniqueColumns(rule).length);
    }
    // Each index ends with the identity.
    for (const keys of lookedUp(resource, listed))
      checkIndex(
        `What looks rows of ${resource.name} up`,
        new Set([...keys.map(({ field }) => field), resource.identity]).size,
      );
  }

  /**
   * Checks that constant parts of an expression, which are computed once at the start, have a result. Returns whether
   * the whole expression is constant.
   */
  private checkConstants(expr: Expr, at: Span | null, what: string): boolean {
    const constant = parts(expr).map((part) => this.checkConstants(part, at, what));
    const varies = expr.op === 'name' || expr.op === 'rows' || isChanging(expr);
    if (varies || constant.includes(false)) return false;
    if (expr.op !== 'call') return true;
    // False after a finding, so that the expressions around this one are not reported too.
    const value = toJavaScript(expr, layoutOf('It depends on more'))(emptyFrame(0, '')) ?? null;
    if (value !== null || expr.type.nullable) return true;
    this.findings.push(d.report.constant(at, { what, reason: 'the result is not an exact number' }));
    return false;
  }

  private checkExpressions(resource: ResourcePlan): void {
    const { name } = resource;
    const own = this.places.resource(name);
    // Of nested expressions, only the first that is too large is reported.
    for (const { name: field } of resource.derived) {
      const at = this.places.resource(name, field) ?? own;
      if (this.refuse(this.sizes.derived(name, field), at, `${name}.${field}`)) return;
    }
    if (this.refuse(this.sizes.visible(name), own, `Who sees ${name}`)) return;
    for (const view of resource.views) {
      const at = this.places.resource(name, view.name) ?? own;
      const size = this.sizes.view(name, view.name);
      if (this.refuse(size, at, view.name === name ? `The form of ${name}` : `The view ${view.name} of ${name}`))
        return;
    }
    this.weigh(resource, own, `What ${name} states`);
    for (const event of resource.events) this.total += this.sizes.view(name, event.view).terms;
  }

  private refuse(size: Size, at: Span | null, what: string): boolean {
    if (size.terms <= MOST_TERMS && size.depth <= MOST_LEVELS) return false;
    this.findings.push(
      size.terms > MOST_TERMS && Number.isFinite(size.terms)
        ? d.report.terms(at, { what, count: count(size.terms), most: count(MOST_TERMS) })
        : d.report.depth(at, { what, most: count(MOST_LEVELS) }),
    );
    return true;
  }

  /** Adds up the sizes of the expressions in a part of a plan, and refuses the first statement that is too large. */
  private weigh(part: unknown, at: Span | null, what: string): void {
    const seen = { refused: false };
    const add = (size: Size): Size => {
      this.total += size.terms;
      if (!seen.refused) seen.refused = this.refuse(size, at, what);
      return size;
    };
    const walk = (node: unknown): number => {
      if (node === null || typeof node !== 'object') return 0;
      if (isExpr(node)) {
        this.checkConstants(node, at, what);
        return add(this.sizes.of(node)).terms;
      }
      this.total++;
      let terms = 0;
      const { view, resource, where, order } = node as Selecting;
      for (const [member, one] of Object.entries(node)) if (!UNWRITTEN.includes(member)) terms += walk(one);
      if (view && typeof view === 'object') terms += add(this.sizes.view(view.resource, view.name)).terms;
      if (typeof resource !== 'string' || where === undefined) return terms;
      // Each order is a statement of its own, in both directions, with the condition and the shown form.
      const orders = order && !('by' in order) ? order.keys.length * 2 : 1;
      const sight = this.sizes.visible(resource);
      add({ terms: terms + sight.terms, depth: sight.depth, item: null });
      this.total += (terms + sight.terms) * (orders - 1);
      return 0;
    };
    walk(part);
  }
}

/** Members of steps and endpoints that are not written as SQL. */
const UNWRITTEN: readonly string[] = ['reads', 'conditions'];

interface Selecting {
  readonly view?: { readonly resource: string; readonly name: string } | string | null;
  readonly resource?: string;
  readonly where?: Expr | null;
  readonly order?: OrderPlan | null;
}

const isExpr = (node: object): node is Expr => 'op' in node && 'type' in node && typeof node.op === 'string';

/**
 * The most bytes that a value takes on its row’s page where room is short: PostgreSQL stores longer values elsewhere.
 */
const MOVED = 24;

/** The least size of a stored row whose values have the greatest allowed length, in bytes. */
function rowBytes(resource: ResourcePlan): number {
  const folded = new Map(foldedFields(resource).map(({ field, column }) => [column, field]));
  const rules = new Map(resource.columns.map(({ name, rule }) => [name, rule]));
  const columns = storedColumns(resource);
  let bytes = 24 + Math.ceil(columns.length / 8);
  let aligned = true;
  for (const { name, kind } of columns) {
    const rule = rules.get(folded.get(name) ?? name);
    const held = heldAs(kind);
    if (held === 'uuid') bytes += 16;
    else if (held === 'boolean') bytes += 1;
    else if (held === 'whole') bytes += aligned ? 8 : 15;
    else bytes += Math.min(MOVED, longestOf(rule));
    aligned = held === 'whole';
  }
  return bytes;
}

/** The bytes of the longest text that a rule allows, with the one that says how many they are. */
function longestOf(rule: ResourcePlan['columns'][number]['rule'] | undefined): number {
  const fixed = rule && isScalarKind(rule.kind) ? factsOf(rule.kind).length : undefined;
  if (fixed !== undefined) return 1 + fixed;
  if (rule?.oneOf) return 1 + longest(rule.oneOf, Buffer.byteLength);
  return rule?.kind === 'text' && rule.max !== null ? 1 + rule.max * 4 : MOVED;
}

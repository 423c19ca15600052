import { type ASTNode, parse } from '@marcbachmann/cel-js';
import type { Model } from '../../src/compiler/statements/model.ts';
import type { Resource } from '../../src/compiler/statements/resources.ts';
import type { Rows } from './rows.ts';
import { Bag, Day, Failure, Instant, NOTHING, order, Ref, Span, same, type Val } from './value.ts';

/** Where an expression is computed, and what its names stand for. */
export interface Scope {
  readonly model: Model;
  readonly rows: Rows;
  readonly now: number;
  readonly version: string;
  /** A new UUID of the service's. */
  readonly uuid: () => string;
  /** Steps' names, `request`, `query`, `path`, `caller`, `scopes` and so on. */
  readonly names: ReadonlyMap<string, Val>;
  /** The variables of macros. */
  readonly bound?: ReadonlyMap<string, Val>;
  /** What `this` and bare field names mean. */
  readonly row: Ref | null;
  /** Whether rows that the caller may not see are left out of lists. */
  readonly sighted: boolean;
}

/** What expressions were parsed to: the same text is the same expression. */
const parsed = new Map<string, ASTNode>();

/** Computes an expression of a document from its syntax tree, plainly. */
export function evaluate(source: string, scope: Scope): Val {
  const value = computed(source, scope);
  return value === NOTHING ? null : value;
}

/** The same, with `NOTHING` for no result. */
export const evaluateOr = (source: string, scope: Scope): Val => computed(source, scope);

/** The same for what is written, which a computation without a result fails. */
export function evaluateGiven(source: string, scope: Scope): Val {
  const value = computed(source, scope);
  if (value === NOTHING) throw new Failure(`${source} has no result`);
  return value;
}

function computed(source: string, scope: Scope): Val {
  const ast = parsed.get(source) ?? parse(source).ast;
  parsed.set(source, ast);
  return walk(ast, scope);
}

/** True if the caller of a scope may see a row. Nothing is filtered inside the condition. */
export function sees(scope: Scope, ref: Ref): boolean {
  const { visible } = resourceOf(scope, ref.resource);
  if (!visible || visible.value === 'everyone') return true;
  return (
    evaluate(visible.value.text, {
      ...scope,
      row: here(ref),
      sighted: false,
      names: everywhere(scope),
      bound: new Map(),
    }) === true
  );
}

/** The names that the expressions of a resource may use, whoever asks for them. */
function everywhere({ names }: Scope): Map<string, Val> {
  return new Map([...names].filter(([name]) => name === 'caller' || name === 'scopes'));
}

/** The same row, at hand. */
const here = (ref: Ref): Ref => new Ref(ref.resource, ref.key);

/** The rows of a resource that exist where the scope stands. */
export function rowsOf(scope: Scope, resource: string): Ref[] {
  const all = scope.rows.all(resource);
  return scope.sighted ? all.filter((ref) => sees(scope, ref)) : all;
}

export function resourceOf({ model }: { model: Model }, name: string): Resource {
  return model.resources.list.find((one) => one.name.text === name)!;
}

function walk(node: ASTNode, s: Scope): Val {
  switch (node.op) {
    case 'value':
      return typeof node.args === 'bigint' ? Number(node.args) : (node.args as Val);
    case 'id':
      return named(node.args as string, s);
    case '.':
      return member(walk((node.args as [ASTNode, string])[0], s), (node.args as [ASTNode, string])[1], s);
    case 'list':
      return whole((node.args as ASTNode[]).map((item) => walk(item, s)));
    case '&&':
    case '||': {
      // One side decides alone; otherwise one without a result leaves none.
      const decides = node.op === '||';
      let none = false;
      for (const part of node.args as ASTNode[]) {
        const side = walk(part, s);
        if (side === decides) return decides;
        none ||= side === NOTHING;
      }
      return none ? NOTHING : !decides;
    }
    case '?:': {
      const [test, yes, no] = node.args as ASTNode[];
      return walk(test!, s) === true ? walk(yes!, s) : walk(no!, s);
    }
    case '!_': {
      const value = walk(node.args as ASTNode, s);
      return value === NOTHING ? NOTHING : value !== true;
    }
    case '-_':
      return arithmetic('-', 0, walk(node.args as ASTNode, s));
    case 'call':
      return functionCall(...(node.args as [string, ASTNode[]]), s);
    case 'rcall':
      return methodCall(...(node.args as [string, ASTNode, ASTNode[]]), s);
    default: {
      const [a, b] = (node.args as ASTNode[]).map((part) => walk(part, s));
      return operator(node.op, a!, b!);
    }
  }
}

function named(name: string, s: Scope): Val {
  const bound = s.bound?.get(name);
  if (bound !== undefined) return bound;
  if (name === 'this') return s.row;
  const field = s.row !== null && hasMember(s, s.row.resource, name);
  const given = s.names.get(name);
  // A step's name comes before a field of the row, and the field before the language's own names.
  if (field && (given === undefined || OWN.includes(name))) return member(s.row, name, s);
  if (given !== undefined) return given;
  if (name === 'service') return new Bag(new Map([['url', 'https://service.example']]));
  if (name === 'caller') return null;
  if (name === 'scopes') return [];
  if (s.model.resources.list.some((one) => one.name.text === name)) return rowsOf(s, name);
  throw new Error(`Nothing is called “${name}” here`);
}

/** Names that the language gives. */
const OWN: readonly string[] = ['request', 'query', 'path', 'caller', 'scopes', 'moved', 'service', 'header'];

function hasMember(s: Scope, resource: string, name: string): boolean {
  const { fields, derived } = resourceOf(s, resource);
  return [...fields, ...derived].some((field) => field.name.text === name);
}

/** What a field of a row holds, stored or derived. */
export function memberOf(scope: Scope, ref: Ref, field: string): Val {
  const value = member(here(ref), field, scope);
  return value === NOTHING ? null : value;
}

function member(of: Val, name: string, s: Scope): Val {
  if (of === null || of === NOTHING) return of;
  if (of instanceof Bag) return pointed(of.sent.get(name) ?? null);
  if (of instanceof Ref && hasMember(s, of.resource, name)) {
    if (of.pointed && s.sighted && !sees(s, of)) return null;
    const derived = resourceOf(s, of.resource).derived.find((one) => one.name.text === name);
    if (derived) {
      const value = computed(derived.value.text, { ...s, row: here(of), names: everywhere(s), bound: new Map() });
      if (value === NOTHING) return value;
      return pointed(derived.type.kind === 'set' && value !== null ? setOf(value as readonly Val[]) : value);
    }
    return pointed(s.rows.get(of).values.get(name) ?? null);
  }
  throw new Error(`There is no “${name}” in ${String(of)}`);
}

/** Each item once, in the order of the items. */
const setOf = (items: readonly Val[]): Val =>
  items.filter((one, i) => items.findIndex((other) => same(one, other)) === i).sort(order);

/** What stands in a field, where it is a row, is one that is pointed at. */
function pointed(value: Val): Val {
  if (Array.isArray(value)) return value.map((one) => pointed(one as Val));
  return value instanceof Ref ? new Ref(value.resource, value.key, true) : value;
}

/** A list has no result where an item has none. */
const whole = (items: readonly Val[]): Val => (items.includes(NOTHING) ? NOTHING : items);

function operator(op: string, a: Val, b: Val): Val {
  if (a === NOTHING || b === NOTHING) return NOTHING;
  switch (op) {
    case '==':
      return same(a, b);
    case '!=':
      return !same(a, b);
    case '<':
      return order(a, b) < 0;
    case '<=':
      return order(a, b) <= 0;
    case '>':
      return order(a, b) > 0;
    case '>=':
      return order(a, b) >= 0;
    case 'in':
      return (b as readonly Val[]).some((item) => same(a, item));
    default:
      return arithmetic(op, a, b);
  }
}

/** Sums, differences and so on; what lies beyond the exact integers, or the years 1 to 9999, has no result. */
function arithmetic(op: string, a: Val, b: Val): Val {
  if (a === NOTHING || b === NOTHING) return NOTHING;
  if (a instanceof Instant && b instanceof Instant) return new Span(a.at - b.at);
  if (a instanceof Instant && b instanceof Span) return instant(op === '+' ? a.at + b.length : a.at - b.length);
  if (a instanceof Day && typeof b === 'number') {
    const at = instant(Date.parse(a.text) + (op === '+' ? b : -b) * 86_400_000);
    return at instanceof Instant ? new Day(new Date(at.at).toISOString().slice(0, 10)) : at;
  }
  if (a instanceof Span && b instanceof Span) return new Span(op === '+' ? a.length + b.length : a.length - b.length);
  if (typeof a === 'string' && typeof b === 'string') return a + b;
  if (Array.isArray(a) && Array.isArray(b)) return [...a, ...b];
  const [x, y] = [BigInt(a as number), BigInt(b as number)];
  const exact = { '+': () => x + y, '-': () => x - y, '*': () => x * y, '/': () => x / y, '%': () => x % y }[op]!();
  return exact > MOST || exact < -MOST ? NOTHING : Number(exact);
}

const instant = (at: number): Val =>
  at >= Date.parse('0001-01-01') && at < Date.parse('+010000-01-01T00:00:00Z') ? new Instant(at) : NOTHING;

const MOST = BigInt(Number.MAX_SAFE_INTEGER);

function functionCall(name: string, args: ASTNode[], s: Scope): Val {
  if (name === 'has') {
    const [of, asked] = args[0]!.args as [ASTNode, string];
    return (walk(of, s) as Bag).sent.has(asked);
  }
  if (name === 'every') return s.rows.all(args[0]!.args as unknown as string);
  const [a] = args.map((arg) => walk(arg, s));
  if (a === NOTHING) return NOTHING;
  switch (name) {
    case 'now':
      return new Instant(s.now);
    case 'uuid':
      return s.uuid();
    case 'etag':
      return etag(s, a as Ref);
    case 'duration':
      return new Span(written(a as string));
    case 'string':
      return String(a);
    case 'size':
      return sizeOf(a!);
    default:
      throw new Error(`There is no function “${name}”`);
  }
}

/** A row's strong entity tag. */
function etag(s: Scope, ref: Ref): string {
  return `"${s.rows.get(ref).revision}${s.version && `-${s.version}`}"`;
}

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** A length of time as CEL writes it, such as `1h30m`. */
function written(text: string): number {
  const sign = text.startsWith('-') ? -1 : 1;
  let total = 0;
  for (const [, count, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[hms])/g)) total += Number(count) * UNITS[unit!]!;
  return sign * total;
}

const sizeOf = (of: Val): number => (typeof of === 'string' ? [...of].length : (of as readonly Val[]).length);

const MACROS: readonly string[] = ['filter', 'map', 'exists', 'all', 'exists_one'];

function methodCall(name: string, ofNode: ASTNode, args: ASTNode[], s: Scope): Val {
  const of = walk(ofNode, s);
  if (of === NOTHING) return NOTHING;
  if (MACROS.includes(name)) return macro(name, of as readonly Val[], args, s);
  const [a, b] = args.map((arg) => walk(arg, s));
  switch (name) {
    case 'size':
      return sizeOf(of);
    case 'contains':
      return (of as string).includes(a as string);
    case 'startsWith':
      return (of as string).startsWith(a as string);
    case 'endsWith':
      return (of as string).endsWith(a as string);
    case 'getHours':
      return inZone(of as Instant, a as string).hour;
    case 'getDayOfYear':
      return inZone(of as Instant, a as string).day;
    case 'format':
      return formatted(of as Instant, a as string, b as string);
    case 'sum':
      return (of as readonly Val[]).reduce<Val>((total, one) => arithmetic('+', total, one), 0);
    default:
      throw new Error(`There is no method “${name}”`);
  }
}

function macro(name: string, list: readonly Val[], [variable, body]: ASTNode[], s: Scope): Val {
  const each = (item: Val): Val =>
    walk(body!, { ...s, bound: new Map([...(s.bound ?? []), [variable!.args as unknown as string, item]]) });
  switch (name) {
    case 'filter':
      return list.filter((item) => each(item) === true);
    case 'map':
      return whole(list.map(each));
    case 'exists':
      return list.some((item) => each(item) === true);
    case 'exists_one':
      return list.filter((item) => each(item) === true).length === 1;
    default:
      return list.every((item) => each(item) === true);
  }
}

/** What a clock and a calendar of a time zone say of an instant. */
function inZone(
  { at }: Instant,
  timeZone: string,
): Record<'year' | 'month' | 'date' | 'hour' | 'minute' | 'day', number> {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  }).formatToParts(at);
  const of = (type: string): number => Number(parts.find((part) => part.type === type)!.value);
  const [year, month, date] = [of('year'), of('month'), of('day')];
  const day = Math.round((Date.UTC(year, month - 1, date) - Date.UTC(year, 0, 1)) / 86_400_000);
  return { year, month, date, hour: of('hour'), minute: of('minute'), day };
}

/** An instant in a pattern of `yyyy`, `MM`, `dd`, `HH` and `mm`. */
function formatted(instant: Instant, pattern: string, zone: string): string {
  const { year, month, date, hour, minute } = inZone(instant, zone);
  const digits = (value: number): string => String(value).padStart(2, '0');
  return pattern
    .replace('yyyy', String(year))
    .replace('MM', digits(month))
    .replace('dd', digits(date))
    .replace('HH', digits(hour))
    .replace('mm', digits(minute));
}

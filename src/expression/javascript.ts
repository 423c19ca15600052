import { libraryCall } from './library/compile.ts';
import { inLibrary } from './library/index.ts';
import { compareValues } from './library/lists.ts';
import { isSearch, operatorOf, searchingOf, strict } from './operators.ts';
import { type Expr, type Fn, isAsked, isClaims, type Macro } from './tree/expression.ts';
import type { Type } from './tree/types.ts';
import { digestOf } from './values/digest.ts';
import { jsonOf, sortedMap } from './values/json.ts';
import { exact } from './values/overflow.ts';
import { alphabetOf } from './values/random.ts';
import { type Frame, type Row, sameValue, type Value } from './values/value.ts';

/** The result of an expression. */
type Result = Value | Row | readonly Value[] | undefined;
export type Evaluate = (frame: Frame) => Result;

/** The places in a frame at which an expression finds the values of its names. */
export interface Layout {
  /** The place of a field in its resource's rows. */
  column(resource: string, field: string): number;
  identity(resource: string): number;
  revision(resource: string): number;
  /** The place of a step's name in `frame.vars`. */
  slot(name: string): number;
  /** The place of a member of `path`, `query`, `header` or `request`. */
  member(object: string, name: string): number;
  /** Registers an expression that the store has to compute first. Returns the place of its result. */
  stored(expr: Expr): number;
  uuid(now: number): string;
  /** A new signing secret. */
  secret(): string;
  /** Random text of a length from the characters of an alphabet. */
  random(alphabet: string, length: number): string;
  /** The URL of the service; null where none is configured. */
  readonly url: string | null;
}

/** A layout with these places alone. `why` is the message for any other name. */
export function layoutOf(why: string, places: Partial<Layout> = {}): Layout {
  const nothing = (): never => {
    throw new Error(why);
  };
  const none = { column: nothing, identity: nothing, revision: nothing, slot: nothing, member: nothing };
  return { ...none, stored: nothing, uuid: nothing, secret: nothing, random: nothing, url: null, ...places };
}

/** Compiles a typed expression to a closure over the frame. The closure looks nothing up by name. */
export function toJavaScript(expr: Expr, layout: Layout, bound: readonly string[] = []): Evaluate {
  const again = (part: Expr): Evaluate => toJavaScript(part, layout, bound);
  switch (expr.op) {
    case 'const': {
      const { value } = expr;
      return () => value;
    }
    case 'name':
      return nameOf(expr.name, layout, bound);
    case 'get':
      return memberOf(expr, layout, bound);
    case 'sent': {
      const values = objectOf(expr.of, layout, bound);
      const index = memberIndex(expr.of, expr.member, layout);
      return (f) => values(f)[index] !== undefined;
    }
    case 'if': {
      const test = again(expr.test);
      const yes = again(expr.then);
      const no = again(expr.else);
      return (f) => (test(f) ? yes(f) : no(f));
    }
    case 'list': {
      const items = expr.items.map((item) => comparedValue(item, layout, bound));
      const sure = expr.items.map(({ type }) => !type.nullable);
      return (f) =>
        whole(
          items.map((item) => item(f) as Value),
          sure,
        );
    }
    case 'map': {
      const values = expr.values.map((value) => comparedValue(value, layout, bound));
      const sure = expr.values.map(({ type }) => !type.nullable);
      return (f) => {
        const all = whole(
          values.map((value) => value(f) as Value),
          sure,
        );
        return all && sortedMap(all.map((value, i) => [expr.keys[i]!, value]));
      };
    }
    case 'query':
      return storedValue(expr, layout);
    case 'each':
      // A query for each item would be a statement for each, so the store iterates over the items.
      return isAsked(expr) ? storedValue(expr, layout) : eachOf(expr, layout, bound);
    case 'call':
      return callOf(expr.fn, expr.args, layout, bound);
    default:
      throw new Error(`“${expr.op}” is the store’s alone`);
  }
}

function storedValue(expr: Expr, layout: Layout): Evaluate {
  const index = layout.stored(expr);
  return (f) => {
    const result = f.results[index];
    return typeof result === 'number' ? exact(result) : result;
  };
}

/** The items; null if an item that is never absent has no result: then the list has none either. */
function whole(items: Value[], sure: readonly boolean[]): Value[] | null {
  return items.some((item, i) => item === null && sure[i]) ? null : items;
}

function nameOf(name: string, layout: Layout, bound: readonly string[]): Evaluate {
  if (name === 'this') return (f) => f.row;
  if (name === 'caller') return (f) => f.caller;
  if (name.startsWith('caller.')) return callerOf(name.slice('caller.'.length));
  if (name === 'request') return (f) => f.request as readonly Value[];
  if (name === 'scopes') return (f) => f.scopes;
  const depth = bound.indexOf(name);
  if (depth >= 0) return (f) => f.bound[depth];
  const slot = layout.slot(name);
  return (f) => f.vars[slot] as Row;
}

/** The caller, if it is a row of the resource. */
function callerOf(resource: string): Evaluate {
  return (f) => (f.callerOf === resource ? f.caller : null);
}

function eachOf(expr: Extract<Expr, { op: 'each' }>, layout: Layout, bound: readonly string[]): Evaluate {
  // Rows that a step has named are in the frame; items of other lists of rows are identities, as lowering requires.
  const list =
    expr.list.op === 'name' ? toJavaScript(expr.list, layout, bound) : comparedValue(expr.list, layout, bound);
  const body = comparedValue(expr.body, layout, [...bound, expr.name]);
  const depth = bound.length;
  const sure = !expr.body.type.nullable;
  return (f) => {
    const items = list(f) as readonly Value[] | null;
    if (items === null) return null;
    const of = (item: Value): Value => {
      f.bound[depth] = item;
      return body(f) as Value;
    };
    return over(expr.macro, items, of, sure);
  };
}

/** `sure`: the values of a map’s items are never absent, unless they have no result. */
function over(macro: Macro, items: readonly Value[], test: (item: Value) => Value, sure: boolean): Result {
  switch (macro) {
    case 'all':
      return items.every((item) => test(item) === true);
    case 'exists':
      return items.some((item) => test(item) === true);
    case 'exists_one':
      return items.filter((item) => test(item) === true).length === 1;
    case 'filter':
      return items.filter((item) => test(item) === true);
    case 'map': {
      const made = items.map(test);
      return sure && made.includes(null) ? null : made;
    }
    case 'sortBy': {
      const keyed = items.map((item) => [test(item), item] as const);
      return keyed.sort(([a], [b]) => compareKeys(a, b)).map(([, item]) => item);
    }
  }
}

/** Compares two keys of an order. An absent value comes first. */
function compareKeys(a: Value, b: Value): number {
  if (a === null || b === null) return Number(b === null) - Number(a === null);
  return compareValues(a, b);
}

/**
 * Reads the values of an object: those of a request’s own objects are in the frame, those of others where they are
 * named.
 */
function objectOf(
  of: Expr,
  layout: Layout,
  bound: readonly string[],
): (frame: Frame) => readonly (Value | undefined)[] {
  switch (of.op === 'name' ? of.name : '') {
    case 'path':
      return (f) => f.path;
    case 'query':
      return (f) => f.query;
    case 'header':
      return (f) => f.header;
    case 'request':
      return (f) => f.request;
    default:
      return toJavaScript(of, layout, bound) as (frame: Frame) => readonly (Value | undefined)[];
  }
}

function memberIndex(of: Expr, member: string, layout: Layout): number {
  if (of.op === 'name' && ['path', 'query', 'header', 'request'].includes(of.name))
    return layout.member(of.name, member);
  return of.type.kind === 'object' ? Object.keys(of.type.members).indexOf(member) : -1;
}

function memberOf(expr: Extract<Expr, { op: 'get' }>, layout: Layout, bound: readonly string[]): Evaluate {
  const { of, member } = expr;
  if (of.type.kind === 'row') {
    const index = layout.column(of.type.resource, member);
    if (of.op === 'name' && of.name === 'this') return (f) => f.row![index];
    const row = toJavaScript(of, layout, bound);
    // Without a caller, fields of the caller are null: parameters of SQL are computed even where a condition excludes
    // this.
    return (f) => (row(f) as Row | null)?.[index] ?? null;
  }
  const object = of.op === 'name' ? of.name : '';
  if (object === 'service') return member === 'version' ? (f) => f.version : () => layout.url;
  if (isClaims(of)) return (f) => f.claims.get(member) ?? null;
  const values = objectOf(of, layout, bound);
  const index = memberIndex(of, member, layout);
  return (f) => values(f)[index] ?? null;
}

/** Evaluates an expression for a comparison, in which a row is represented by its identity. */
export function comparedValue(expr: Expr, layout: Layout, bound: readonly string[] = []): Evaluate {
  const value = toJavaScript(expr, layout, bound);
  if (expr.type.kind === 'list' && expr.type.of.kind === 'row') {
    const identity = identityOf(expr.type.of, layout);
    return (f) => (value(f) as readonly Value[] | null)?.map(identity) ?? null;
  }
  if (expr.type.kind !== 'row') return value;
  const index = layout.identity(expr.type.resource);
  return (f) => identified(value(f), index);
}

/**
 * The stored form of the items of a list of rows. Stored lists hold identities, so that the place of the identity in a
 * row is asked for only where an item is a whole row.
 */
function identityOf({ resource }: Extract<Type, { kind: 'row' }>, layout: Layout): (item: Value) => Value {
  let index: number | null = null;
  return (item) => {
    if (!Array.isArray(item)) return item ?? null;
    index ??= layout.identity(resource);
    return identified(item as Value, index);
  };
}

/** The stored form of a row, which is its identity. Values of references already have this form. */
export function identified(value: Result, identity: number): Value {
  return (Array.isArray(value) ? (value[identity] as Value) : (value as Value)) ?? null;
}

function callOf(fn: Fn, args: readonly Expr[], layout: Layout, bound: readonly string[]): Evaluate {
  if (fn === 'now') return (f) => f.now;
  if (fn === 'secret') return (f) => f.drawn?.next('secret', () => layout.secret()) ?? layout.secret();
  if (fn === 'uuid') return (f) => f.drawn?.next('uuid', () => layout.uuid(f.now)) ?? layout.uuid(f.now);
  if (fn === 'random') return randomOf(args, layout);
  if (fn === 'etag') return etagOf(args, layout, bound);
  const values = args.map((arg) => comparedValue(arg, layout, bound));
  if (inLibrary(fn)) return libraryCall(fn, args, values);
  if (isSearch(fn)) return searchingOf(fn, args, values);
  const [a, b] = values as [Evaluate, Evaluate];
  switch (fn) {
    // As in SQL, an operand without a result is ignored if the other operand decides.
    case 'and':
      return (f) => {
        const x = a(f);
        if (x === false) return false;
        const y = b(f);
        return y === false ? false : x === true && y === true ? true : null;
      };
    case 'or':
      return (f) => {
        const x = a(f);
        if (x === true) return true;
        const y = b(f);
        return y === true ? true : x === false && y === false ? false : null;
      };
    case 'not':
      return (f) => {
        const x = a(f) ?? null;
        return x === null ? null : !x;
      };
    case 'fails':
      return (f) => a(f) !== true;
    case '==':
    case '!=':
      return equalityOf(args, fn === '==', a, b);
    case 'in':
      return membershipOf(args[0]!, args[1]!, a, b, layout);
    default:
      return operatorOf(fn, args, a, b);
  }
}

/** Both arguments are constants, as the compiler has checked. */
function randomOf(args: readonly Expr[], layout: Layout): Evaluate {
  const [text = '', length = 0] = args.map((arg) => (arg.op === 'const' ? arg.value : null));
  const alphabet = alphabetOf(String(text)) ?? '';
  const kind = `random ${length} ${alphabet}`;
  const make = (): string => layout.random(alphabet, Number(length));
  return (f) => f.drawn?.next(kind, make) ?? make();
}

const nests = ({ type }: Expr): boolean => type.kind === 'list' || type.kind === 'map';

/** Null is compared like any value where it is allowed. Elsewhere, null is no result, and the comparison has none. */
function equalityOf(args: readonly Expr[], equal: boolean, a: Evaluate, b: Evaluate): Evaluate {
  const same: (x: unknown, y: unknown) => boolean = args.some(nests) ? sameValue : (x, y) => x === y;
  if (args.some(({ type }) => type.nullable)) return (f) => same(a(f) ?? null, b(f) ?? null) === equal;
  return strict<unknown>(a, b, (x, y) => same(x, y) === equal);
}

/** Rows that steps have found are compared by identity. */
function membershipOf(looked: Expr, list: Expr, item: Evaluate, items: Evaluate, layout: Layout): Evaluate {
  if (list.type.kind === 'map')
    return strict<string, ReadonlyMap<string, Value>>(item, items, (key, map) => map.has(key));
  const of = list.type.kind === 'list' ? list.type.of : null;
  const nested = of?.kind === 'list' || of?.kind === 'map';
  const identity = of?.kind === 'row' ? identityOf(of, layout) : (each: Value): Value => each;
  const keyOf = (each: Value): unknown => (nested ? jsonOf(each) : identity(each));
  const has = lookingUp(keyOf);
  const maybe = looked.type.nullable || of?.nullable;
  return (f) => {
    const all = items(f) as readonly Value[] | null;
    const one = (item(f) ?? null) as Value;
    return all === null || (one === null && !maybe) ? null : has(all, one);
  };
}

/** The length from which a list that is searched repeatedly gets an index. */
const LONG = 32;

/**
 * Searches lists for items. A long list that is searched again, as by a macro for each of its own items, gets an index.
 */
function lookingUp(keyOf: (item: Value) => unknown): (list: readonly Value[], item: Value) => boolean {
  let last: WeakRef<readonly Value[]> | null = null;
  let index: Set<unknown> | null = null;
  return (list, item) => {
    const key = keyOf(item);
    if (list.length < LONG) return list.some((one) => keyOf(one) === key);
    if (last?.deref() !== list) {
      last = new WeakRef(list);
      index = null;
      return list.some((one) => keyOf(one) === key);
    }
    index ??= new Set(list.map(keyOf));
    return index.has(key);
  };
}

/**
 * A strong entity tag (RFC 9110, section 8.8.3): it changes with every change of the row, with the version, and with
 * the values of other rows in its shown form.
 */
function etagOf([row, ...beyond]: readonly Expr[], layout: Layout, bound: readonly string[]): Evaluate {
  const value = toJavaScript(row!, layout, bound);
  const index = layout.revision((row!.type as Extract<Type, { kind: 'row' }>).resource);
  const opaque = (f: Frame): string => `${(value(f) as Row)[index]}${f.version && `-${f.version}`}`;
  if (beyond.length === 0) return (f) => `"${opaque(f)}"`;
  const values = beyond.map((one) => comparedValue(one, layout, bound));
  return (f) => `"${opaque(f)}-${digestOf(jsonOf(values.map((one) => (one(f) ?? null) as Value)))}"`;
}

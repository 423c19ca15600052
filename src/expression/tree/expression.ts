import { showDecimal } from '../values/decimal.ts';
import type { LibraryFn } from './library-names.ts';
import { LIBRARY_METHODS } from './library-names.ts';
import { memberText } from './member-text.ts';
import { searchOf } from './search.ts';
import { STRING, type Type } from './types.ts';

/** The functions and operators of expressions; `docs/language/expressions.md` describes them. */
export type Fn =
  | 'and'
  | 'or'
  | 'not'
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | 'negate'
  /** Whether a condition is false or has no result. Documents cannot call this function. */
  | 'fails'
  /** A number with more decimal places. Documents cannot call this function. */
  | 'rescale'
  /** A sort key, or the lowest value of its type where the key is absent. Documents cannot call this function. */
  | 'or lowest'
  /** A text with its case folded, as unique rules that ignore case compare it. Documents cannot call this function. */
  | 'folded'
  /**
   * Whether fields match the query of a search, their points, and the query in the syntax of a store. `search.ts` says
   * which arguments they take. Documents cannot call these functions.
   */
  | 'matching'
  | 'points'
  | 'query text'
  | 'in'
  | 'size'
  | 'sum'
  | 'contains'
  | 'startsWith'
  | 'endsWith'
  | 'now'
  | 'uuid'
  | 'secret'
  | 'random'
  | 'etag'
  | LibraryFn;

/** Macros over the items of a list (cel-spec, “Macros”; `exists_one` too). */
export type Macro = 'all' | 'exists' | 'exists_one' | 'filter' | 'map' | 'sortBy';

/**
 * A query for stored rows. Documents contain no queries: `lower.ts` makes them from macros over a resource’s rows, from
 * derived fields, and from fields that are read through references.
 */
export interface Query {
  readonly op: 'query';
  /**
   * `one`: the value for the only row that matches, or null. `first`: the value for the first matching row in the
   * order. `list`: the values for all matching rows, in the order.
   */
  readonly fn: 'count' | 'exists' | 'sum' | 'min' | 'max' | 'one' | 'first' | 'list';
  readonly resource: string;
  /** The name of the row inside `where` and `value`. */
  readonly row: string;
  /** True for an aggregate of the rows of one group, in a statement that makes groups. */
  readonly grouped?: true;
  readonly where: Expr | null;
  /** The value of a row; null for the row itself. */
  readonly value: Expr | null;
  /** The sort keys of rows, which come before their identity. */
  readonly order?: ReadonlyArray<{ readonly by: Expr; readonly descending: boolean }>;
  /** True where rows with equal sort keys are in descending order of their identities. */
  readonly backwards?: boolean;
  readonly type: Type;
}

/** A typed expression, as plain data. It is a part of the plan, from which it is compiled to JavaScript or SQL. */
export type Expr =
  | { readonly op: 'const'; readonly value: string | number | boolean | null; readonly type: Type }
  | { readonly op: 'name'; readonly name: string; readonly type: Type }
  /**
   * The rows of a resource, in the order of their identities. `among`: other rows than those that the caller may see,
   * which are only counted and aggregated: the rows of the group, in a value of a step Group; or every row.
   */
  | { readonly op: 'rows'; readonly resource: string; readonly among?: 'group' | 'every'; readonly type: Type }
  | { readonly op: 'get'; readonly of: Expr; readonly member: string; readonly type: Type; readonly derived?: true }
  | { readonly op: 'sent'; readonly of: Expr; readonly member: string; readonly type: Type }
  | { readonly op: 'call'; readonly fn: Fn; readonly args: readonly Expr[]; readonly type: Type }
  | { readonly op: 'if'; readonly test: Expr; readonly then: Expr; readonly else: Expr; readonly type: Type }
  | { readonly op: 'list'; readonly items: readonly Expr[]; readonly type: Type }
  | { readonly op: 'map'; readonly keys: readonly string[]; readonly values: readonly Expr[]; readonly type: Type }
  | {
      readonly op: 'each';
      readonly macro: Macro;
      readonly list: Expr;
      readonly name: string;
      readonly body: Expr;
      readonly type: Type;
    }
  | Query
  /** Several values of one row, for a view. Only lowered expressions contain it. */
  | { readonly op: 'tuple'; readonly items: readonly Expr[]; readonly type: Type };

/** The name of the rows of a group, in the values of a step Group. */
export const ROWS = 'rows';

/** The function that gives all rows of a resource to an aggregate, whether or not the caller may see them. */
export const EVERY = 'every';

/** The direct parts of an expression. */
export function parts(expr: Expr): readonly Expr[] {
  switch (expr.op) {
    case 'const':
    case 'name':
    case 'rows':
      return [];
    case 'get':
    case 'sent':
      return [expr.of];
    case 'call':
      return expr.args;
    case 'if':
      return [expr.test, expr.then, expr.else];
    case 'list':
    case 'tuple':
      return expr.items;
    case 'map':
      return expr.values;
    case 'each':
      return [expr.list, expr.body];
    case 'query':
      return [expr.where, expr.value, ...(expr.order ?? []).map((one) => one.by)].filter((e) => e !== null);
  }
}

/**
 * Whether a name is that of the caller. If callers are rows of several resources, each has its own, such as
 * `caller.Customer`.
 */
export const isCaller = (name: string): boolean => name === 'caller' || name.startsWith('caller.');

/** Functions that draw random values: each call gives another one. */
export const DRAWING: readonly Fn[] = ['uuid', 'secret', 'random'];

/** Whether an expression is a call of a function that draws a random value. */
export const isDraw = (expr: Expr): boolean => expr.op === 'call' && DRAWING.includes(expr.fn);

/** Whether a call gives another result each time, or at another time. */
export const isChanging = (expr: Expr): boolean => isDraw(expr) || (expr.op === 'call' && expr.fn === 'now');

/** Whether an expression is the claims of the caller's token. */
export const isClaims = (expr: Expr): boolean =>
  expr.op === 'name' && expr.type.kind === 'object' && expr.type.ofToken === true;

/** Whether an expression is a name of something that the caller's credentials tell. */
export const isOfCaller = (expr: Expr): boolean =>
  (expr.op === 'name' && (isCaller(expr.name) || expr.name === 'scopes')) || isClaims(expr);

/**
 * Whether an expression is a row in the frame, of a step or of the caller. Such a row is shown whether or not it is
 * visible to the caller. A row to which a reference points has to be visible.
 */
export function isAtHand(row: Expr): boolean {
  return row.op === 'name' || (row.op === 'if' && isAtHand(row.then) && isAtHand(row.else));
}

/** Whether an expression uses a name anywhere. */
export function uses(expr: Expr, name: string): boolean {
  return some(expr, (part) => part.op === 'name' && part.name === name);
}

/**
 * Whether only the store can compute an expression: a query, or a macro whose body has a query that depends on its
 * item.
 */
export function isAsked(expr: Expr): boolean {
  if (expr.op === 'query') return true;
  return expr.op === 'each' && some(expr.body, (part) => isAsked(part) && uses(part, expr.name));
}

/** Copies an expression, with each of its direct parts replaced by the result of `again`. */
export function mapParts(expr: Expr, again: (part: Expr) => Expr): Expr {
  switch (expr.op) {
    case 'const':
    case 'name':
    case 'rows':
      return expr;
    case 'get':
    case 'sent':
      return { ...expr, of: again(expr.of) };
    case 'call':
      return { ...expr, args: expr.args.map(again) };
    case 'if':
      return { ...expr, test: again(expr.test), then: again(expr.then), else: again(expr.else) };
    case 'list':
    case 'tuple':
      return { ...expr, items: expr.items.map(again) };
    case 'map':
      return { ...expr, values: expr.values.map(again) };
    case 'each':
      return { ...expr, list: again(expr.list), body: again(expr.body) };
    case 'query':
      return {
        ...expr,
        where: expr.where && again(expr.where),
        value: expr.value && again(expr.value),
        ...(expr.order && { order: expr.order.map((one) => ({ ...one, by: again(one.by) })) }),
      };
  }
}

/** Whether a test holds for an expression or any part of it. */
export function some(expr: Expr, test: (part: Expr) => boolean): boolean {
  return test(expr) || parts(expr).some((part) => some(part, test));
}

export const isFolded = (expr: Expr): boolean => expr.op === 'call' && expr.fn === 'folded';

/** A text whose case is folded. */
export const folded = (text: Expr): Expr => ({
  op: 'call',
  fn: 'folded',
  args: [text],
  type: { ...STRING, nullable: text.type.nullable },
});

/** The text behind its folded form; any other expression as it is. */
export const unfolded = (expr: Expr): Expr => (expr.op === 'call' && isFolded(expr) ? expr.args[0]! : expr);

/** Whether a condition looks rows up by a text, ignoring case. */
export const comparesFolded = (where: Expr): boolean =>
  conjuncts(where).some((one) => one.op === 'call' && one.fn === '==' && one.args.some(isFolded));

/** The conjunction of two conditions, of which null means “always”. */
export function both(a: Expr | null, b: Expr | null): Expr | null {
  if (!a || !b) return a ?? b;
  return { op: 'call', fn: 'and', args: [a, b], type: { kind: 'boolean', nullable: false } };
}

/** The parts of a condition that must all hold. */
export function conjuncts(expr: Expr): readonly Expr[] {
  return expr.op === 'call' && expr.fn === 'and' ? expr.args.flatMap(conjuncts) : [expr];
}

/** Every field of the row `row` that an expression uses directly. */
export function fieldsOf(expr: Expr, row: string): Set<string> {
  const out = new Set<string>();
  const walk = (e: Expr): void => {
    if (e.op === 'get' && e.of.op === 'name' && e.of.name === row) out.add(e.member);
    parts(e).forEach(walk);
  };
  walk(expr);
  return out;
}

/** The precedence of operators (cel-spec, “Syntax”). */
const BINDS: Partial<Record<Fn, number>> = {
  or: 1,
  and: 2,
  '==': 3,
  '!=': 3,
  '<': 3,
  '<=': 3,
  '>': 3,
  '>=': 3,
  in: 3,
  '+': 4,
  '-': 4,
  '*': 5,
  '/': 5,
  '%': 5,
};
const INFIX: Partial<Record<Fn, string>> = { and: '&&', or: '||' };

/** The expression as CEL, for people to read in a plan. */
export function show(expr: Expr): string {
  switch (expr.op) {
    case 'const':
      if (expr.type.kind === 'decimal' && typeof expr.value === 'number')
        return showDecimal(expr.value, expr.type.scale);
      return JSON.stringify(expr.value);
    case 'name':
      return expr.name;
    case 'get':
      return memberText(show(expr.of), expr.member);
    case 'sent':
      return `has(${memberText(show(expr.of), expr.member)})`;
    case 'if':
      return `${show(expr.test)} ? ${show(expr.then)} : ${show(expr.else)}`;
    case 'list':
      return `[${expr.items.map(show).join(', ')}]`;
    case 'map':
      return `{${expr.keys.map((key, i) => `${JSON.stringify(key)}: ${show(expr.values[i]!)}`).join(', ')}}`;
    case 'rows':
      if (expr.among === 'group') return ROWS;
      return expr.among === 'every' ? `${EVERY}(${expr.resource})` : expr.resource;
    case 'each':
      return `${show(expr.list)}.${expr.macro}(${expr.name}, ${show(expr.body)})`;
    case 'tuple':
      return `(${expr.items.map(show).join(', ')})`;
    case 'query':
      return showQuery(expr);
    case 'call':
      return showCall(expr.fn, expr.args);
  }
}

/** A query in a notation like that of SQL, since documents cannot write queries. */
function showQuery(q: Query): string {
  const where = q.where ? ` where ${show(q.where)}` : '';
  const order = (q.order ?? []).map((one) => `${show(one.by)}${one.descending ? ' descending' : ''}`);
  if (q.backwards) order.push('identity descending');
  const by = order.length ? ` by ${order.join(', ')}` : '';
  return `${q.fn}(${q.value ? `${show(q.value)} of ` : ''}${q.resource} ${q.row}${where}${by})`;
}

function showCall(fn: Fn, args: readonly Expr[]): string {
  const binds = BINDS[fn];
  if (fn === '==' && args.every(isFolded)) return `${showCall(fn, args.map(unfolded))} ignoring case`;
  // A right operand of equal precedence needs brackets, and so does each operand of a comparison.
  if (binds)
    return args
      .map((arg, i) => bracketed(arg, i > 0 && fn !== 'and' && fn !== 'or' ? binds + 1 : binds === 3 ? 4 : binds))
      .join(` ${INFIX[fn] ?? fn} `);
  if (fn === 'matching' || fn === 'points') return showSearch(fn, args);
  const text = args.map(show);
  if (fn === 'not' || fn === 'fails') return `!(${text[0]})`;
  if (fn === 'negate') return `-(${text[0]})`;
  if (fn === 'rescale' || fn === 'or lowest' || fn === 'keys' || fn === 'folded') return text[0]!;
  // The entity tag may depend on more, which the shown form of the row decides.
  if (fn === 'etag') return `etag(${text[0]})`;
  const of = args[0] ? bracketed(args[0], 9) : '';
  if (fn === '[]') return `${of}[${text[1]}]`;
  const nests = args[0]?.type.kind === 'list' || args[0]?.type.kind === 'map';
  const method = ['sum', 'contains', 'startsWith', 'endsWith', ...LIBRARY_METHODS].includes(fn);
  if (method || (fn === 'size' && nests)) return `${of}.${fn}(${text.slice(1).join(', ')})`;
  return `${fn}(${text.join(', ')})`;
}

/** A search in the words of its statement, since documents cannot call its functions. */
function showSearch(fn: 'matching' | 'points', args: readonly Expr[]): string {
  const { query, language, accents, words, lastIsPrefix, emptyMatches, fields } = searchOf(args);
  const text = show(query);
  const weighed = fields.map(({ field, weight }) => `${show(field)}${weight === 1 ? '' : ` (weight ${weight})`}`);
  if (fn === 'points') return `best match of ${weighed.join(', ')} with ${text}`;
  return `${fields.map(({ field }) => show(field)).join(', ')} ${fields.length === 1 ? 'has' : 'have'} ${words} word of ${text}, ${
    lastIsPrefix ? 'the last as a prefix' : 'whole words'
  }${language ? `, in ${language}` : ''}, accents ${accents}, without words ${emptyMatches ? 'all rows' : 'no rows'}`;
}

/** Adds brackets to an expression that binds less tightly than its context requires. */
function bracketed(expr: Expr, least: number): string {
  if (expr.op === 'call' && expr.fn === 'rescale') return bracketed(expr.args[0]!, least);
  const binds = expr.op === 'if' ? 0 : (expr.op === 'call' && BINDS[expr.fn]) || 9;
  return binds < least ? `(${show(expr)})` : show(expr);
}

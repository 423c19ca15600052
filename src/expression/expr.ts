import type { Type } from './types.ts';

/** A function or operator that an expression may call; what each means is in `docs/language.md`. */
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
  | 'in'
  | 'size'
  | 'contains'
  | 'startsWith'
  | 'endsWith'
  | 'string'
  | 'duration'
  | 'now'
  | 'uuid'
  | 'etag';

/** An aggregate over stored rows. */
export interface Query {
  readonly op: 'query';
  readonly fn: 'count' | 'exists' | 'sum';
  readonly resource: string;
  /** The name that stands for the row inside `where` and `value`. */
  readonly row: string;
  readonly where: Expr | null;
  readonly value: Expr | null;
  /** False where every row counts: in integrity rules, timers, reactions and the operator's commands. */
  readonly visibleOnly: boolean;
  readonly type: Type;
}

/** A typed expression. Plain data: it stands in the plan, and is compiled to JavaScript or to SQL from there. */
export type Expr =
  | { readonly op: 'const'; readonly value: string | number | boolean | null; readonly type: Type }
  | { readonly op: 'name'; readonly name: string; readonly type: Type }
  | { readonly op: 'get'; readonly of: Expr; readonly member: string; readonly type: Type }
  | { readonly op: 'sent'; readonly of: Expr; readonly member: string; readonly type: Type }
  | { readonly op: 'call'; readonly fn: Fn; readonly args: readonly Expr[]; readonly type: Type }
  | { readonly op: 'if'; readonly test: Expr; readonly then: Expr; readonly else: Expr; readonly type: Type }
  | { readonly op: 'list'; readonly items: readonly Expr[]; readonly type: Type }
  | Query;

/** The direct parts of an expression. */
export function parts(expr: Expr): readonly Expr[] {
  switch (expr.op) {
    case 'const':
    case 'name':
      return [];
    case 'get':
    case 'sent':
      return [expr.of];
    case 'call':
      return expr.args;
    case 'if':
      return [expr.test, expr.then, expr.else];
    case 'list':
      return expr.items;
    case 'query':
      return [expr.where, expr.value].filter((e) => e !== null);
  }
}

/** True if `expr` uses the name anywhere. */
export function uses(expr: Expr, name: string): boolean {
  if (expr.op === 'name') return expr.name === name;
  return parts(expr).some((part) => uses(part, name));
}

/** The same expression with one name in place of another; where a macro binds the name, it is the macro’s. */
export function rename(expr: Expr, from: string, to: string): Expr {
  if (expr.op === 'name') return expr.name === from ? { ...expr, name: to } : expr;
  if (expr.op === 'query' && expr.row === from) return expr;
  return mapParts(expr, (part) => rename(part, from, to));
}

/** The same expression with something else in place of each of its direct parts. */
export function mapParts(expr: Expr, again: (part: Expr) => Expr): Expr {
  switch (expr.op) {
    case 'const':
    case 'name':
      return expr;
    case 'get':
    case 'sent':
      return { ...expr, of: again(expr.of) };
    case 'call':
      return { ...expr, args: expr.args.map(again) };
    case 'if':
      return { ...expr, test: again(expr.test), then: again(expr.then), else: again(expr.else) };
    case 'list':
      return { ...expr, items: expr.items.map(again) };
    case 'query':
      return { ...expr, where: expr.where && again(expr.where), value: expr.value && again(expr.value) };
  }
}

/** Both conditions at once; null stands for “always”. */
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

const INFIX: Partial<Record<Fn, string>> = { and: '&&', or: '||' };

/** The expression as CEL, for people to read in a plan. */
export function show(expr: Expr): string {
  switch (expr.op) {
    case 'const':
      return JSON.stringify(expr.value);
    case 'name':
      return expr.name;
    case 'get':
      return `${show(expr.of)}.${expr.member}`;
    case 'sent':
      return `has(${show(expr.of)}.${expr.member})`;
    case 'if':
      return `${show(expr.test)} ? ${show(expr.then)} : ${show(expr.else)}`;
    case 'list':
      return `[${expr.items.map(show).join(', ')}]`;
    case 'query':
      return showQuery(expr);
    case 'call':
      return showCall(expr.fn, expr.args);
  }
}

function showQuery(q: Query): string {
  const where = q.where ? show(q.where) : 'true';
  if (q.fn === 'exists') return `${q.resource}.exists(${q.row}, ${where})`;
  const rows = `${q.resource}${q.where ? `.filter(${q.row}, ${where})` : ''}`;
  return q.fn === 'count' ? `${rows}.size()` : `${rows}.map(${q.row}, ${show(q.value!)}).sum()`;
}

function showCall(fn: Fn, args: readonly Expr[]): string {
  const text = args.map((arg) =>
    arg.op === 'call' && arg.args.length > 1 && !/^\w+$/.test(arg.fn) ? show(arg) : show(arg),
  );
  if (fn === 'not') return `!(${text[0]})`;
  if (fn === 'negate') return `-(${text[0]})`;
  if (fn === 'and' || fn === 'or')
    return args
      .map((arg, i) => (arg.op === 'call' && arg.fn === 'or' && fn === 'and' ? `(${text[i]})` : text[i]))
      .join(` ${INFIX[fn]} `);
  if (fn === 'in' || !/^\w+$/.test(fn)) return `${text[0]} ${fn} ${text[1]}`;
  if (fn === 'contains' || fn === 'startsWith' || fn === 'endsWith') return `${text[0]}.${fn}(${text[1]})`;
  return `${fn}(${text.join(', ')})`;
}

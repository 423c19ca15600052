import { possibleTexts } from '../../../expression/tree/always.ts';
import { type Expr, parts, some, uses } from '../../../expression/tree/expression.ts';
import * as t from '../../../expression/tree/types.ts';
import { isScalarType } from '../../../expression/values/kinds.ts';
import type { SortKey } from '../../../language/endpoints.ts';
import type { OrderBy } from '../../../language/steps.ts';
import type { ChosenOrder, OrderPlan } from '../../../plan/step.ts';
import type { Name } from '../../../syntax/names.ts';
import type { Token } from '../../../syntax/tokens.ts';
import type { Resolved } from '../../document/resolve.ts';
import type { Resource } from '../../statements/resources.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import type { Checking } from './checking.ts';
import { placeLength } from './lengths.ts';

/**
 * Checks the order of rows: by a field or another expression on the row, or as expressions on the request choose.
 * `placed`: a cursor holds the sort key of the last row of a page.
 */
export function checkOrder(c: Checking, order: OrderBy, resource: Resource, placed = false): OrderPlan | null {
  if (order.direction !== 'sorted') {
    const by = checkKey(c, order.by, resource, placed);
    return by && { by, descending: order.direction === 'latest' };
  }
  const way = c.type(order.way, t.STRING, 'The direction');
  const ways = way && possibleTexts(way);
  const wrong = ways?.filter((one) => !WAYS.includes(one)) ?? [];
  const values = way ? valuesOf(c, way) : [];
  const misspelt = wrong.flatMap((one) => values.find((value) => value.text === one) ?? []);
  if (way && (!dependsOnRequest(way) || !ways || misspelt.length < wrong.length))
    c.findings.push(d.report.sortWay(order.way));
  for (const value of misspelt) c.r.unknown(value, 'direction', WAYS);
  for (const value of values) asWord(c, value);
  const chosen = checkSorted(c, order.by, resource, placed);
  return way && chosen && { ...chosen, direction: way };
}

const WAYS: readonly string[] = ['asc', 'desc'];

/** The allowed values of the parameter that an expression reads; none for other expressions. */
function valuesOf(c: Checking, expr: Expr): readonly Name[] {
  if (expr.op !== 'get' || expr.of.op !== 'name') return [];
  const place = expr.of.name === 'request' ? 'body' : expr.of.name;
  const parameter = c.one.parameters.find((one) => one.in?.value === place && one.name.text === expr.member);
  const allowed = parameter?.allowed?.value;
  return allowed?.kind === 'one of' ? allowed.values : [];
}

/** Marks an allowed value that is a direction as a word of the language, not as a declaration. */
function asWord(c: Checking, value: Name): void {
  const { marks } = c.r.notes;
  const at = c.r.once(declarations).get(value.from);
  const mark = at === undefined ? undefined : marks[at];
  if (at !== undefined && mark) marks[at] = { ...mark, role: 'word' };
}

function declarations(r: Resolved): Map<number, number> {
  return new Map(r.notes.marks.flatMap((mark, i) => (mark.role === 'declaration' ? [[mark.from, i] as const] : [])));
}

function checkKey(c: Checking, by: Token, resource: Resource, placed: boolean): Expr | null {
  const expr = c.r.type(by, c.r.scope(new Map(), resource.name.text, c.visibleOnly), null, 'The order', 'rows');
  if (expr) checkBy(c, by, expr, resource, placed);
  return expr;
}

/** The most characters of text in a cursor: encoded in a URL, a longer one might exceed the limits of HTTP software. */
const MOST = 1000;

function checkBy(c: Checking, by: Token, expr: Expr, resource: Resource, placed: boolean): void {
  if (!orders(expr)) c.findings.push(d.report.orderBy(by));
  else if (placed) {
    const length = placeLength(c.r, resource, expr);
    const how = Number.isFinite(length) ? `${length} characters of text` : 'text of any length';
    if (length > MOST) c.findings.push(d.report.orderLength(by, { how }));
  }
}

/** Whether rows can be ordered by an expression: it is never null, and constant while a client reads the pages. */
function orders(expr: Expr): boolean {
  const settled = uses(expr, 'this') && !some(expr, (part) => part.op === 'call' && part.fn === 'now');
  return settled && !expr.type.nullable && isScalarType(expr.type.kind);
}

/** The names of the request: an order that depends on them alone is known before the first step. */
const REQUESTED: readonly string[] = ['path', 'query', 'header', 'request'];

/** Whether an expression reads only `known` names. The variable of a macro counts as known in the macro's body. */
function dependsOnRequest(expr: Expr, known: readonly string[] = REQUESTED): boolean {
  if (expr.op === 'rows' || (expr.op === 'name' && !known.includes(expr.name))) return false;
  if (expr.op === 'each')
    return dependsOnRequest(expr.list, known) && dependsOnRequest(expr.body, [...known, expr.name]);
  return parts(expr).every((part) => dependsOnRequest(part, known));
}

/** Checks `sorted by`: an expression on the row, or a choice among the names under Sort that can yield each of them. */
function checkSorted(
  c: Checking,
  by: Token,
  resource: Resource,
  placed: boolean,
): Pick<ChosenOrder, 'sorted' | 'keys'> | null {
  const expr = c.type(by, null, '“sorted by”', resource.name.text);
  if (expr && uses(expr, 'this')) {
    checkBy(c, by, expr, resource, placed);
    return { sorted: null, keys: [{ name: '', by: expr }] };
  }
  const sort = c.one.settings.sort?.value ?? [];
  const keys = sort.flatMap((key) => {
    const known = checkKey(c, key.by, resource, placed);
    return known ? [{ name: key.name.text, by: known }] : [];
  });
  c.sorted = true;
  const names = expr && possibleTexts(expr);
  if (!expr) return null;
  if (!names || !dependsOnRequest(expr) || expr.type.nullable) c.findings.push(d.report.sortChoice(by));
  else checkNames(c, by, sort, names);
  return keys.length === sort.length ? { sorted: expr, keys } : null;
}

function checkNames(c: Checking, by: Token, sort: readonly SortKey[], names: readonly string[]): void {
  const known = sort.map((key) => key.name.text);
  for (const name of names)
    if (!known.includes(name) && !sort.some((key) => !names.includes(key.name.text)))
      c.findings.push(d.report.sortMissing(by, { name }, [c.endpoint]));
  for (const { name } of sort) if (!names.includes(name.text)) c.r.unknown(name, 'value to sort by', names);
}

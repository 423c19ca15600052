import { possibleTexts } from '../../../expression/tree/always.ts';
import { conjuncts, type Expr, parts, show, some, uses } from '../../../expression/tree/expression.ts';
import { points, type Search } from '../../../expression/tree/search.ts';
import * as t from '../../../expression/tree/types.ts';
import { isScalarType } from '../../../expression/values/kinds.ts';
import type { SortKey } from '../../../language/endpoints.ts';
import type { FixedKey, OrderBy, TurnedKey } from '../../../language/steps.ts';
import type { ChosenOrder, NamedKeys, OrderKey, OrderPlan } from '../../../plan/step.ts';
import type { Name } from '../../../syntax/names.ts';
import type { Token } from '../../../syntax/tokens.ts';
import type { Resolved } from '../../document/resolve.ts';
import { type Resource, uniqueRules } from '../../statements/resources.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import type { Checking } from './checking.ts';
import { placeLength } from './lengths.ts';
import { fixedFields } from './unique-look-up.ts';

/** The statements that an order depends on. */
interface Among {
  readonly resource: Resource;
  /** The condition for the rows that are put in order. */
  readonly where: Expr | null;
  /** Set if a cursor holds the sort keys of the last row of a page. */
  readonly placed?: boolean;
  /** The search of the list, if it has one. */
  readonly matching?: { readonly search: Search | null; readonly query: Token } | null;
}

/** A sort key as it is stated; the direction is null where the request chooses it. */
type Stated = FixedKey | TurnedKey;

/** A stated sort key with its expression. */
interface Typed {
  readonly key: Stated;
  readonly by: Expr;
}

/**
 * Checks the order of rows: by fields or other expressions on the row, or as expressions on the request choose.
 */
export function checkOrder(c: Checking, order: OrderBy, among: Among): OrderPlan | null {
  const then = order.then.map((key) => typed(c, key, among));
  if (order.direction !== 'sorted') {
    const { then: _, ...first } = order;
    const keys = settled([first.direction === 'best' ? bestMatch(among) : typed(c, first, among), ...then]);
    if (!keys) return null;
    checkKeys(c, keys, among);
    const [plan, ...others] = keys.map(planned);
    return { ...plan!, ...(others.length > 0 && { then: others }) };
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
  const further = settled(then);
  const chosen = checkSorted(c, order, further ?? [], among);
  if (!way || !chosen || !further) return null;
  return { ...chosen, direction: way, ...(further.length > 0 && { then: further.map(planned) }) };
}

/** All keys, if each is understood. */
const settled = <T>(keys: ReadonlyArray<T | null>): readonly T[] | null =>
  keys.every((key) => key !== null) ? (keys as readonly T[]) : null;

const planned = ({ key: { direction, nulls }, by }: Typed): OrderKey => ({
  by,
  descending: direction === 'latest',
  ...(nulls && { nulls }),
});

const plannedTurned = ({ key: { direction, nulls }, by }: Typed) => ({
  by,
  ...(direction && { descending: direction === 'latest' }),
  ...(nulls && { nulls }),
});

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

function typed(c: Checking, key: Stated, { resource, where }: Among): Typed | null {
  const by = c.r.type(key.by, c.r.scope(new Map(), resource.name.text, c.visibleOnly), null, 'The order', 'rows');
  if (by) checkKey(c, key, by, where);
  return by && { key, by };
}

/** The points of a row as a sort key, from the highest number on. */
function bestMatch({ matching }: Among): Typed | null {
  if (!matching?.search) return null;
  return { key: { direction: 'latest', by: matching.query, nulls: null }, by: points(matching.search) };
}

/** The most characters of text in a cursor: encoded in a URL, a longer one might exceed the limits of HTTP software. */
const MOST = 1000;

function checkKey(c: Checking, { by: at, nulls, direction }: Stated, by: Expr, where: Expr | null): void {
  if (!orders(by)) {
    c.findings.push(d.report.orderBy(at));
    return;
  }
  const canBeNull = by.type.nullable && !isPresent(by, where);
  if (canBeNull && !nulls) c.findings.push(d.report.orderNulls(at, { key: at.text }, [c.endpoint]));
  if (!canBeNull && nulls)
    c.findings.push(d.report.orderNeverNull(at, { key: at.text, nulls, ...(direction && { first: 'first' }) }));
}

/** Whether rows can be ordered by an expression: it has one value, which is constant while a client reads the pages. */
function orders(expr: Expr): boolean {
  const isConstant = uses(expr, 'this') && !some(expr, (part) => part.op === 'call' && part.fn === 'now');
  return isConstant && isScalarType(expr.type.kind);
}

/** Whether a condition states that a value is not null. */
const isPresent = (by: Expr, where: Expr | null): boolean =>
  (where ? conjuncts(where) : []).some(
    (one) =>
      one.op === 'call' &&
      one.fn === '!=' &&
      one.args.some((arg) => arg.op === 'const' && arg.value === null) &&
      one.args.some((arg) => show(arg) === show(by)),
  );

/** The field of the row that an expression reads, or reads through. */
const rootOf = (by: Expr): string | null =>
  by.op !== 'get' || by.derived ? null : by.of.op === 'name' ? by.member : rootOf(by.of);

/** Checks that each of several sort keys can decide, and that a cursor can hold all of them. */
function checkKeys(c: Checking, keys: readonly Typed[], { resource, where, placed }: Among): void {
  const fixed = where ? fixedFields(c, resource, where) : new Set<string>();
  const known = new Set(fixed);
  const unique = uniqueRules(resource).filter(({ condition }) => !condition);
  const texts = new Set<string>();
  for (const [i, { key, by }] of keys.entries()) {
    if (!orders(by)) continue;
    const params = { key: key.by.text };
    const field = by.op === 'get' && by.of.op === 'name' && !by.derived ? by.member : null;
    const rule = unique.find(({ fields }) => fields.every((one) => known.has(one)));
    if (texts.has(show(by))) c.findings.push(d.report.orderTwice(key.by, params));
    else if (keys.length > 1 && fixed.has(rootOf(by) ?? '')) c.findings.push(d.report.orderFixed(key.by, params));
    else if (i > 0 && rule) c.findings.push(d.report.orderIdle(key.by, { ...params, rule: rule.fields.join(' and ') }));
    texts.add(show(by));
    if (field && !by.type.nullable) known.add(field);
  }
  if (!placed || !keys.every(({ by }) => orders(by))) return;
  const length = placeLength(
    c.r,
    resource,
    keys.map(({ by }) => by),
  );
  const how = Number.isFinite(length) ? `${length} characters of text` : 'text of any length';
  if (length > MOST) c.findings.push(d.report.orderLength(keys[0]!.key.by, { how }));
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
  order: Extract<OrderBy, { direction: 'sorted' }>,
  further: readonly Typed[],
  among: Among,
): Pick<ChosenOrder, 'sorted' | 'keys'> | null {
  const { by, nulls } = order;
  const expr = c.type(by, null, '“sorted by”', among.resource.name.text);
  if (expr && uses(expr, 'this')) {
    const key: Stated = { by, nulls, direction: null };
    checkKey(c, key, expr, among.where);
    checkKeys(c, [{ key, by: expr }, ...further], among);
    return { sorted: null, keys: [{ name: '', ...plannedTurned({ key, by: expr }) }] };
  }
  if (nulls) c.findings.push(d.report.sortNulls(by, { nulls }));
  const sort = c.one.settings.sort?.value ?? [];
  const keys = sort.flatMap((named) => checkNamed(c, named, further, among) ?? []);
  c.sorted = true;
  const names = expr && possibleTexts(expr);
  if (!expr) return null;
  if (!names || !dependsOnRequest(expr) || expr.type.nullable) c.findings.push(d.report.sortChoice(by));
  else checkNames(c, by, sort, names);
  return keys.length === sort.length ? { sorted: expr, keys } : null;
}

/** Checks the sort keys behind a name under Sort, of which the direction of the request turns at least one. */
function checkNamed(c: Checking, named: SortKey, further: readonly Typed[], among: Among): NamedKeys | null {
  const { name, then, ...first } = named;
  const keys = settled([first, ...then].map((key) => typed(c, key, among)));
  if (!keys) return null;
  checkKeys(c, [...keys, ...further], among);
  if (keys.every(({ key }) => key.direction)) c.findings.push(d.report.sortFixed(name, { name: name.text }));
  const [one, ...others] = keys.map(plannedTurned);
  return { name: name.text, ...one!, ...(others.length > 0 && { then: others }) };
}

function checkNames(c: Checking, by: Token, sort: readonly SortKey[], names: readonly string[]): void {
  const known = sort.map((key) => key.name.text);
  for (const name of names)
    if (!known.includes(name) && !sort.some((key) => !names.includes(key.name.text)))
      c.findings.push(d.report.sortMissing(by, { name }, [c.endpoint]));
  for (const { name } of sort) if (!names.includes(name.text)) c.r.unknown(name, 'value to sort by', names);
}

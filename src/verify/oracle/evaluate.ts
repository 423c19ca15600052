import { type Expr, ROWS } from '../../expression/tree/expression.ts';
import type { Type } from '../../expression/tree/types.ts';
import { jsonOf, sortedMap } from '../../expression/values/json.ts';
import { alphabetOf } from '../../expression/values/random.ts';
import type { Value } from '../../expression/values/value.ts';
import { statementId } from '../../plan/lines.ts';
import { named } from '../../plan/named.ts';
import { callOf, overSamples, sameOf } from './computed.ts';
import { tagMeaning } from './draws.ts';
import { hasComputed, isComputed, isMarked } from './marks.ts';
import { compareKeys, OracleRow } from './rows.ts';
import { randomKind } from './samples.ts';
import { type Given, nextDraw, note, type Scope, type Transaction } from './scope.ts';

type Call = Extract<Expr, { op: 'call' }>;
type Each = Extract<Expr, { op: 'each' }>;
type If = Extract<Expr, { op: 'if' }>;
type Get = Extract<Expr, { op: 'get' }>;

/**
 * Computes an expression by walking its tree, over rows in lists. An expression without a result is null. Functions and
 * operators behave as in `src/expression`.
 */
export function evaluate(expr: Expr, scope: Scope): Given {
  switch (expr.op) {
    case 'const':
      return expr.value;
    case 'name':
      return namedValue(expr.name, scope);
    case 'rows':
      if (expr.among === 'group') return scope.names.get(ROWS) ?? [];
      return rowsIn(expr.resource, expr.among === 'every' ? { ...scope, sighted: false } : scope);
    case 'get':
      return memberOf(expr, scope);
    case 'sent':
      return sentIn(evaluate(expr.of, scope), expr.member) !== undefined;
    case 'if':
      return either(expr, evaluate(expr.test, scope), scope);
    case 'list': {
      const items = expr.items.map((item) => compared(item, scope));
      return items.some((item, i) => item === null && !expr.items[i]?.type.nullable) ? null : items;
    }
    case 'map': {
      const values = expr.values.map((value) => compared(value, scope));
      if (values.some((value, i) => value === null && !expr.values[i]?.type.nullable)) return null;
      return sortedMap(values.map((value, i) => [expr.keys[i] ?? '', value]));
    }
    case 'each':
      return each(expr, scope);
    case 'call':
      return call(expr, scope);
    default:
      throw new Error(`A plan has no “${expr.op}”`);
  }
}

/** Whether a condition holds: false and no result are both no. */
export const holds = (expr: Expr, scope: Scope): boolean => isTrue(evaluate(expr, scope), scope);

/** Whether a condition holds; if it depends on unknown values, its assumed outcome. */
function isTrue(given: Given, { work }: Scope): boolean {
  return isComputed(given) ? work.draws.decide(given) : given === true;
}

/**
 * The value of a conditional. With an unknown condition, the result may be either value; for rows, the condition is
 * assumed.
 */
function either(expr: If, test: Given, scope: Scope): Given {
  if (!isComputed(test) || holdsRows(expr.type)) return evaluate(isTrue(test, scope) ? expr.then : expr.else, scope);
  const { draws } = scope.work;
  const of = [test, compared(expr.then, scope), compared(expr.else, scope)];
  return callOf(draws, 'if', of, ([yes, then = null, other = null]) => (yes === true ? then : other));
}

const holdsRows = (type: Type): boolean => type.kind === 'row' || (type.kind === 'list' && holdsRows(type.of));

/** A value in which rows are replaced by their identities, which are used for comparisons and in storage. */
export function compared(expr: Expr, scope: Scope): Value {
  return identified(evaluate(expr, scope), scope);
}

function identified(given: Given, scope: Scope): Value {
  if (given instanceof OracleRow) return scope.work.rows.identity(given);
  if (Array.isArray(given)) return (given as readonly Given[]).map((one) => identified(one, scope));
  return (given ?? null) as Value;
}

/** The rows of a resource that are visible in a scope, in the order of their identities. */
export function rowsIn(resource: string, scope: Scope): OracleRow[] {
  const all = scope.work.rows.all(resource);
  return scope.sighted ? all.filter((row) => sees(row, scope)) : all;
}

/** Whether a row is visible to the caller. Inside the expression of `Visible` itself, every row is visible. */
export function sees(row: OracleRow, { work }: Scope): boolean {
  const { visible } = work.rows.plan(row.resource);
  if (visible === null) return true;
  if (work.receiver) {
    const isShown = hears(work.receiver, row, work);
    note(work, statementId.hears(row.resource), isShown ? 'shown' : 'not shown');
    return isShown;
  }
  return holds(visible, { work, names: new Map(), row, sighted: false });
}

/**
 * Whether a receiver that is a row may receive another row, by `Hears of`: in an event of that row, or within a
 * payload.
 */
export function hears(receiver: OracleRow, about: OracleRow, work: Transaction): boolean {
  const heard = work.plan.webhook?.receivers?.hears.find(({ name }) => name === about.resource);
  if (!heard) return false;
  const scope = { work, names: new Map([['about', about]]), row: receiver, sighted: false };
  return heard.where === null || holds(heard.where, scope);
}

function namedValue(name: string, scope: Scope): Given {
  const { work, names, row } = scope;
  if (name === 'this') return row;
  const given = names.get(name);
  if (given !== undefined) return given;
  if (name === 'caller') return work.caller?.row ?? null;
  if (name.startsWith('caller.')) {
    const of = work.caller?.row ?? null;
    return of?.resource === name.slice('caller.'.length) ? of : null;
  }
  if (name === 'scopes') return work.caller?.scopes ?? [];
  if (name === 'claims') return work.caller?.claims ?? null;
  return null;
}

/** The value that was sent for a member; undefined where the object was not sent, either. */
function sentIn(given: Given, member: string): Given {
  return given instanceof Map ? (given as ReadonlyMap<string, Given>).get(member) : undefined;
}

function memberOf({ of, member, derived }: Get, scope: Scope): Given {
  if (of.op === 'name' && of.name === 'service') return member === 'version' ? scope.work.version : scope.work.url;
  const base = evaluate(of, scope);
  if (isComputed(base) && of.type.kind !== 'row')
    return callOf(scope.work.draws, `.${member}`, [base], ([map]) =>
      map instanceof Map ? (map.get(member) ?? null) : null,
    );
  if (of.type.kind !== 'row') return sentIn(base, member) ?? null;
  if (base === null || base === undefined) return null;
  const row = base instanceof OracleRow ? base : pointedAt(of.type.resource, base as Value, member, scope);
  if (!(row instanceof OracleRow)) return row;
  return derived ? derivedOf(row, member, scope) : row.get(member);
}

/** The row behind a reference, if the caller may see it; of one that hides nothing, the reference is its identity. */
function pointedAt(resource: string, identity: Value, member: string, scope: Scope): OracleRow | Value {
  const plan = scope.work.rows.plan(resource);
  const hides = scope.sighted && plan.visible !== null;
  if (member === plan.identity && !hides) return identity;
  const row = scope.work.rows.byIdentity(resource, identity);
  return row && (!hides || sees(row, scope)) ? row : null;
}

/** A derived field: its expression knows the row, the caller and nothing that steps have named. */
function derivedOf(row: OracleRow, field: string, { work, sighted }: Scope): Given {
  const { value } = named(work.rows.plan(row.resource).derived, field);
  return evaluate(value, { work, names: new Map(), row, sighted });
}

function each(expr: Each, scope: Scope): Given {
  const { list, name, body } = expr;
  const items = evaluate(list, scope);
  if (items === null || items === undefined) return null;
  const of = (item: Given): Given => evaluate(body, { ...scope, names: new Map(scope.names).set(name, item) });
  if (isComputed(items)) return eachOfSamples(expr, items, of, scope);
  const all = items as readonly Given[];
  if (expr.macro === 'map') return mapped(expr, all.map(of));
  const results = all.map(of);
  if (!results.some(isMarked)) return gathered(expr, all, results, scope);
  if (expr.macro === 'sortBy') return gathered(expr, all, results, scope);
  if (holdsRows(expr.type))
    return gathered(
      expr,
      all,
      results.map((one) => isTrue(one, scope)),
      scope,
    );
  const { draws } = scope.work;
  const [values, given] = [all, results].map((list) => list.map((one) => identified(one, scope)));
  const sampled = (list: readonly Value[] = [], i: number): Value[] => list.map((one) => draws.at(one, i));
  return overSamples(draws, [values ?? [], given ?? []], (i) =>
    identified(gathered(expr, sampled(values, i), sampled(given, i), scope), scope),
  );
}

/**
 * Evaluates a macro over a list that is not known, for each sample of the list. The items draw the same values for each
 * sample.
 */
function eachOfSamples(expr: Each, list: string, of: (item: Given) => Given, scope: Scope): Given {
  const { draws, counts } = scope.work;
  const { drawn } = counts;
  return overSamples(draws, [list], (i) => {
    counts.drawn = drawn;
    const items = draws.at(list, i);
    if (!Array.isArray(items)) return null;
    const results = items.map((item: Value) => draws.at(identified(of(item), scope), i));
    return identified(expr.macro === 'map' ? mapped(expr, results) : gathered(expr, items, results, scope), scope);
  });
}

function mapped({ body }: Each, all: readonly Given[]): Given {
  const made = all.map((one) => one ?? null);
  return !body.type.nullable && made.includes(null) ? null : made;
}

/** The result of a macro for items and the results of its body for them. */
function gathered({ macro }: Each, all: readonly Given[], results: readonly Given[], scope: Scope): Given {
  switch (macro) {
    case 'all':
      return results.every((one) => one === true);
    case 'exists':
      return results.includes(true);
    case 'exists_one':
      return results.filter((one) => one === true).length === 1;
    case 'filter':
      return all.filter((_, i) => results[i] === true);
    case 'sortBy': {
      const keyed = all.map((item, i) => [identified(results[i], scope), item] as const);
      return keyed.sort(([a], [b]) => compareKeys(a, b)).map(([, item]) => item);
    }
    case 'map':
      return results;
  }
}

function call(expr: Call, scope: Scope): Given {
  const { fn, args } = expr;
  const { work } = scope;
  const [a, b] = args;
  switch (fn) {
    case 'now':
      work.counts.usedNow = true;
      return work.now;
    case 'uuid':
      return work.draws.of('uuid', nextDraw(work), work.now);
    case 'secret':
      return work.draws.of('secret', nextDraw(work));
    case 'random': {
      const [alphabet = null, length = null] = args.map((arg) => evaluate(arg, scope));
      return work.draws.of(randomKind(alphabetOf(String(alphabet)) ?? '', Number(length)), nextDraw(work));
    }
    case 'etag':
      return a ? entityTag(evaluate(a, scope), args.slice(1), scope) : null;
    case 'and':
      return both(a, b, scope, false);
    case 'or':
      return both(a, b, scope, true);
    case 'not': {
      const value = a ? evaluate(a, scope) : null;
      if (isComputed(value)) return callOf(work.draws, fn, [value], ([one]) => (one === null ? null : !one));
      return value === null || value === undefined ? null : !value;
    }
    case '==':
    case '!=':
      return a && b ? equal(a, b, scope, fn === '==') : null;
    case 'in':
      return a && b ? isIn(a, b, scope) : null;
    default:
      // Operators and functions that `src/expression` computes of values.
      return callOf(
        work.draws,
        fn,
        args.map((arg) => compared(arg, scope)),
        (values) => work.compiled.calls.compute(expr, values),
        work.compiled.calls.nameOf(expr),
      );
  }
}

/** The result of `&&` or `||`: one side may decide alone; otherwise, a side without a result leaves none. */
function both(a: Expr | undefined, b: Expr | undefined, scope: Scope, decides: boolean): Value {
  const x = a ? evaluate(a, scope) : null;
  if (x === decides) return decides;
  const y = b ? evaluate(b, scope) : null;
  if (y === decides) return decides;
  const compute = ([one, other]: readonly Value[]): Value =>
    one === decides || other === decides ? decides : one === !decides && other === !decides ? !decides : null;
  const of = [x, y].map((one) => identified(one, scope));
  if (!of.some(isMarked)) return compute(of);
  return callOf(scope.work.draws, decides ? 'or' : 'and', of, compute);
}

/**
 * If one operand is nullable, null is compared like any other value. If neither is nullable, null means that an operand
 * has no result, and then the comparison has none.
 */
function equal(a: Expr, b: Expr, scope: Scope, wanted: boolean): Value {
  const [x, y] = [compared(a, scope), compared(b, scope)];
  if (!a.type.nullable && !b.type.nullable && (x === null || y === null)) return null;
  return sameOf(scope.work.draws, x, y, wanted);
}

function isIn(item: Expr, list: Expr, scope: Scope): Value {
  const [x, all] = [compared(item, scope), evaluate(list, scope)];
  if (all === null || all === undefined) return null;
  if (isComputed(all)) return callOf(scope.work.draws, 'in', [x, all], ([one = null, of = null]) => isAmong(one, of));
  if (all instanceof Map) {
    const compute = ([one = null]: readonly Value[]): Value =>
      one === null ? null : (all as ReadonlyMap<string, Given>).has(String(one));
    const keys = [...(all as ReadonlyMap<string, Given>).keys()];
    return hasComputed(x) ? callOf(scope.work.draws, `in ${JSON.stringify(keys)}`, [x], compute) : compute([x]);
  }
  const maybe = item.type.nullable || (list.type.kind === 'list' && list.type.of.nullable);
  if (x === null && !maybe) return null;
  const items = identified(all, scope);
  if (!hasComputed(x) && !hasComputed(items)) return isAmong(x, items);
  const { draws } = scope.work;
  return callOf(draws, 'in', [x, items], ([one = null, of = null]) => isAmong(one, of));
}

function isAmong(value: Value, all: Value): Value {
  if (all instanceof Map) return value === null ? null : all.has(String(value));
  return Array.isArray(all) ? all.some((one: Value) => jsonOf(one) === jsonOf(value)) : null;
}

/**
 * A row’s strong entity tag: another one after each change of the row, in each version, and where values beyond the row
 * that are shown with it are others.
 */
function entityTag(given: Given, beyond: readonly Expr[], scope: Scope): Value {
  if (!(given instanceof OracleRow)) return null;
  const { version, rows, draws } = scope.work;
  const shown = beyond.length ? jsonOf(beyond.map((one) => compared(one, scope))) : null;
  return draws.of('tag', tagMeaning(given.resource, rows.identity(given), given.revision, version, shown));
}

import { compareValues } from '../../expression/library/lists.ts';
import {
  both,
  conjuncts,
  type Expr,
  fieldsOf,
  mapParts,
  parts,
  type Query,
  uses,
} from '../../expression/tree/expression.ts';
import { BOOLEAN, rowOf } from '../../expression/tree/types.ts';
import type { Frame, Value } from '../../expression/values/value.ts';
import type { OverlapPlan, Plan, ResourcePlan } from '../../plan/step.ts';
import { type Argument, call, type Program, type Statement, type Store } from '../../store/store.ts';
import type { Refusal } from '../context/refusal.ts';
import type { Errors } from '../errors/refusal.ts';
import { type Expressions, type Names, NO_NAMES } from '../expressions/layout.ts';
import type { Happened, UnitOfWork } from './unit-of-work.ts';

/** The name of the written row in the conditions below; `this` is the row that a rule is about. */
const WRITTEN = 'written';
const NAMES: Names = { ...NO_NAMES, vars: [WRITTEN] };

/** Finds a row that breaks a rule, among those that the written row may affect. */
interface Check {
  readonly statement: Statement;
  readonly args: (frame: Frame) => Argument[];
  readonly refusal: Refusal;
  /** Whether the rule applies to the written row. */
  readonly concerns: (frame: Frame) => boolean;
  /** The columns of the written row that the rule reads; null where the rule is about the written row itself. */
  readonly columns: readonly number[] | null;
}

/**
 * Checks the rules that hold for every row at the end of each transaction, for each row that the transaction may have
 * made break them.
 */
export class Invariants {
  private readonly checks = new Map<string, Check[]>();
  private readonly expressions: Expressions;
  private readonly store: Store;
  private readonly errors: Errors;

  /** The queries of `expressions` see every row. */
  constructor(plan: Plan, expressions: Expressions, store: Store, errors: Errors) {
    this.expressions = expressions;
    this.store = store;
    this.errors = errors;
    for (const resource of plan.resources) {
      for (const rule of resource.holds) this.addHolds(resource, rule);
      for (const rule of resource.overlaps) this.addOverlap(resource, rule);
    }
  }

  /** Whether rules need the values that rows of the resource had before they were written. */
  watches(resource: string): boolean {
    return this.checks.has(resource);
  }

  /** Throws the refusal of a rule that the changes break. */
  *check(work: UnitOfWork): Program<void> {
    for (const happened of work.happened) {
      const checks = this.checks.get(happened.resource.plan.name) ?? [];
      for (const check of checks) yield* this.one(work, happened, check);
    }
  }

  private *one(work: UnitOfWork, { what, row, before }: Happened, check: Check): Program<void> {
    // A move is recorded as a change, too, which is checked.
    if (what === 'moved' || (check.columns === null && what === 'removed')) return;
    if (before && check.columns?.every((column) => before[column] === row[column])) return;
    for (const version of before && check.columns ? [before, row] : [row]) {
      const frame: Frame = { ...work.frame, vars: [version], row: version };
      if (!check.concerns(frame)) continue;
      const broken = yield* call(check.statement, check.args(frame));
      if (broken.length) throw check.refusal;
    }
  }

  private addHolds(resource: ResourcePlan, rule: ResourcePlan['holds'][number]): void {
    const test = this.expressions.lowering().lower(rule.test);
    const broken: Expr = { op: 'call', fn: 'fails', args: [test], type: BOOLEAN };
    const refusal = this.errors.rule(rule.code, 'holds');
    const add = (written: string, where: Expr | null, columns: readonly number[] | null): void => {
      // Where the rule is equal for all rows of a condition, any one of them is checked for all.
      const among = where && alike(test, where) ? where : null;
      const asked = { resource: resource.name, where: among ? broken : both(where, broken), among };
      this.add(written, asked, refusal, columns, () => true);
    };
    add(resource.name, same(resource.name), null);
    for (const { query, where } of queriesIn(test)) {
      const fields = new Set(parts(query).flatMap((part) => [...fieldsOf(part, query.row)]));
      const columns = [...fields].map((field) => this.expressions.column(query.resource, field));
      add(query.resource, where, columns);
    }
  }

  private addOverlap(resource: ResourcePlan, rule: OverlapPlan): void {
    const [own, written] = [nameOf('this', resource.name), nameOf(WRITTEN, resource.name)];
    const of = (expr: Expr): Expr => renamed(expr, 'this', WRITTEN);
    const field = (row: Expr, name: string): Expr => ({
      op: 'get',
      of: row,
      member: name,
      type: this.expressions.typeOf(resource.name, name),
    });
    const { start, end } = rule;
    const conditions: Array<Expr | null> = [
      ...rule.by.map((name) => binary('==', field(own, name), field(written, name))),
      rule.condition,
      binary('<', start, of(end)),
      binary('<', of(start), end),
      binary('<', start, end),
      binary('!=', own, written),
    ];
    const where = conditions.reduce<Expr | null>(both, null);
    const condition = rule.condition && this.expressions.plain(rule.condition);
    const ends = [start, end].map((expr) => this.expressions.plain(expr));
    // A row whose range is empty or reversed overlaps no other.
    const concerns = (frame: Frame): boolean => {
      if (condition !== null && condition(frame) !== true) return false;
      const [from, to] = ends.map((one) => (one(frame) ?? null) as Value);
      return from !== null && to !== null && compareValues(from!, to!) < 0;
    };
    const asked = { resource: resource.name, where, among: null };
    this.add(resource.name, asked, this.errors.rule(rule.code, 'no overlap'), null, concerns);
  }

  private add(
    written: string,
    asked: { readonly resource: string; readonly where: Expr | null; readonly among: Expr | null },
    refusal: Refusal,
    columns: readonly number[] | null,
    concerns: Check['concerns'],
  ): void {
    const statement = this.store.prepare({
      kind: 'select',
      ...asked,
      order: null,
      after: false,
      limit: false,
      any: true,
    });
    const args = this.expressions.parameters(statement, NAMES);
    const known = this.checks.get(written) ?? [];
    known.push({ statement, args, refusal, columns, concerns });
    this.checks.set(written, known);
  }
}

/**
 * Whether a rule has the same result for all rows that `where` selects: each field that it reads is equal in all of
 * them.
 */
function alike(test: Expr, where: Expr): boolean {
  const read = new Set<string>();
  const readsOnlyFields = (expr: Expr): boolean => {
    if (expr.op === 'get' && expr.of.op === 'name' && expr.of.name === 'this') {
      read.add(expr.member);
      return true;
    }
    return !(expr.op === 'name' && expr.name === 'this') && parts(expr).every(readsOnlyFields);
  };
  if (!readsOnlyFields(test)) return false;
  const fixed = conjuncts(where).flatMap((one) => {
    if (one.op !== 'call' || one.fn !== '==') return [];
    const [a, b] = one.args as [Expr, Expr];
    const fields = [...fieldsOf(a, 'this'), ...fieldsOf(b, 'this')];
    const own = (side: Expr): boolean => side.op === 'get' && side.of.op === 'name' && side.of.name === 'this';
    return fields.length === 1 && (own(a) || own(b)) ? fields : [];
  });
  return [...read].every((field) => fixed.includes(field));
}

/**
 * Returns the queries of a rule, each with the condition under which a written row affects it: the query's own
 * condition, within those of the queries around it.
 */
function queriesIn(expr: Expr): Array<{ query: Query; where: Expr | null }> {
  if (expr.op === 'each')
    return [
      ...queriesIn(expr.list),
      ...queriesIn(expr.body).map((one) => ({ ...one, where: one.where && someItem(expr, one.where) })),
    ];
  if (expr.op !== 'query') return partsOf(expr).flatMap(queriesIn);
  const own = expr.where && renamed(expr.where, expr.row, WRITTEN);
  const exists = (where: Expr | null, also: Expr | null): Expr | null =>
    where && { ...expr, fn: 'exists', where: both(also, where), value: null, type: BOOLEAN };
  // A changed row in the query's condition affects which rows the query selects. A changed row in its value or order
  // only affects the results for the selected rows.
  const inWhere = expr.where ? queriesIn(expr.where).map((one) => ({ ...one, where: exists(one.where, null) })) : [];
  const taken = [...(expr.value ? [expr.value] : []), ...(expr.order ?? []).map((one) => one.by)];
  const inTaken = taken.flatMap(queriesIn).map((one) => ({ ...one, where: exists(one.where, expr.where) }));
  return [{ query: expr, where: own }, ...inWhere, ...inTaken];
}

/** The condition that a condition on an item holds for some item of a list; membership, where it can be, has an index. */
function someItem(each: Extract<Expr, { op: 'each' }>, where: Expr): Expr {
  const { list, name } = each;
  if (!uses(where, name)) return where;
  const sides = where.op === 'call' && where.fn === '==' ? where.args : [];
  const item = sides.find((side) => side.op === 'name' && side.name === name);
  const other = sides.find((side) => side !== item && !uses(side, name));
  if (item && other) return { op: 'call', fn: 'in', args: [other, list], type: BOOLEAN };
  return { op: 'each', macro: 'exists', list, name, body: where, type: BOOLEAN };
}

function partsOf(expr: Expr): Expr[] {
  const out: Expr[] = [];
  mapParts(expr, (part) => {
    out.push(part);
    return part;
  });
  return out;
}

function renamed(expr: Expr, from: string, to: string): Expr {
  if (expr.op === 'name') return expr.name === from ? { ...expr, name: to } : expr;
  return mapParts(expr, (part) => renamed(part, from, to));
}

const nameOf = (name: string, resource: string): Expr => ({
  op: 'name',
  name,
  type: rowOf(resource),
});

const binary = (fn: '==' | '!=' | '<', a: Expr, b: Expr): Expr => ({ op: 'call', fn, args: [a, b], type: BOOLEAN });

const same = (resource: string): Expr => binary('==', nameOf('this', resource), nameOf(WRITTEN, resource));

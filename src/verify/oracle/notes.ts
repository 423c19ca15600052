import { type Expr, some } from '../../expression/tree/expression.ts';
import { lineKey } from '../../plan/lines.ts';
import type { InsideStep } from '../../plan/step.ts';
import { evaluate, holds, sees } from './evaluate.ts';
import { OracleRow } from './rows.ts';
import { type Run, scopeOf } from './run.ts';
import { note } from './scope.ts';

/**
 * Notes of a condition about the state of a row in which state it was, so that a condition that names one state is tried in
 * each of the others.
 */
export function noteStates(run: Run, key: string, test: Expr, passes: boolean): void {
  const { work } = run;
  some(test, (part) => {
    if (part.op !== 'get' || !run.names.has(rootOf(part.of) ?? '')) return false;
    const of = evaluate(part.of, scopeOf(run));
    const field = of instanceof OracleRow ? work.rows.plan(of.resource).states?.field : undefined;
    if (of instanceof OracleRow && field === part.member)
      note(work, key, `${passes ? 'done' : 'refused'} in ${String(of.get(field))}`);
    return false;
  });
}

/** The name that a chain of members begins with; null where it begins with anything else. */
function rootOf(expr: Expr): string | null {
  if (expr.op === 'name') return expr.name;
  return expr.op === 'get' ? rootOf(expr.of) : null;
}

type ListStep = Extract<InsideStep, { do: 'list' }>;
type Filter = ListStep['filters'][number];

/**
 * Notes of each value that rows are chosen by whether it shows a row, and whether it would show one that the caller may not
 * see: who sees a row has to hold for each choice of rows.
 */
export function noteFilters(run: Run, step: ListStep, filters: readonly Filter[], rows: readonly OracleRow[]): void {
  const { work } = run;
  const fits = (row: OracleRow): boolean => {
    const scope = { ...scopeOf(run, row), sighted: false };
    return (!step.where || holds(step.where, scope)) && filters.every(({ where }) => holds(where, scope));
  };
  const hides = run.sighted && work.rows.plan(step.resource).visible !== null;
  const isHidden = hides && work.rows.all(step.resource).some((row) => !sees(row, scopeOf(run)) && fits(row));
  for (const { in: place, parameter } of filters) {
    const key = lineKey.parameter(run.endpoint?.name ?? '', place, parameter);
    const value = fewValueOf(run, place, parameter);
    if (rows.length > 0) note(work, key, `shows ${value}`);
    if (isHidden) note(work, key, `hides ${value}`);
  }
}

/** The value of a parameter that takes few; empty where it takes many. */
function fewValueOf({ names, endpoint }: Run, place: Filter['in'], parameter: string): string {
  const object = names.get(place === 'body' ? 'request' : place);
  const value = object instanceof Map ? object.get(parameter) : undefined;
  if (typeof value === 'boolean') return String(value);
  const taken = endpoint?.before.flatMap((one) => (one.do === 'read parameters' ? one.query : [])) ?? [];
  const isListed = taken.some(({ name, rule }) => name === parameter && rule.oneOf !== null);
  return isListed ? String(value) : '';
}

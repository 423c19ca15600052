import { type Expr, some } from '../../expression/tree/expression.ts';
import { type StatementId, statementId } from '../../plan/lines.ts';
import type { InsideStep } from '../../plan/step.ts';
import { evaluate, holds, rowsIn, sees } from './evaluate.ts';
import { comparing, textComparisons } from './letters.ts';
import { hasMark } from './marks.ts';
import { once } from './once.ts';
import { hasTraces, traceOf } from './order-traces.ts';
import { OracleRow } from './rows.ts';
import { chosenKeys, type KeyedRow, type Run, scopeOf } from './run.ts';
import { type Given, note } from './scope.ts';

/**
 * Notes the state of the row that a condition about states has read, so that a condition that names one state is tried
 * in each of the others.
 */
export function noteStates(run: Run, key: StatementId, test: Expr, passes: boolean): void {
  const { work } = run;
  some(test, (part) => {
    if (part.op !== 'get' || !run.names.has(rootOf(part.of) ?? '')) return false;
    const of = evaluate(part.of, scopeOf(run));
    if (of instanceof OracleRow && work.rows.plan(of.resource).machines.some(({ field }) => field === part.member))
      note(work, key, `${passes ? 'done' : 'refused'} in ${String(of.get(part.member))}`);
    return false;
  });
}

/** The name that a chain of members begins with; null where it begins with anything else. */
function rootOf(expr: Expr): string | null {
  if (expr.op === 'name') return expr.name;
  return expr.op === 'get' ? rootOf(expr.of) : null;
}

type ListStep = Extract<InsideStep, { do: 'list' | 'list streamed' }>;
type Filter = ListStep['filters'][number];

/**
 * Notes for each filter whether it shows a row, and whether it would show a row that the caller may not see: `Visible`
 * must hold with every filter.
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
    const key = statementId.parameter(run.endpoint?.name ?? '', place, parameter);
    const value = fewValueOf(run, place, parameter);
    noteNearValues(run, step, { place, parameter }, key);
    if (rows.length > 0) note(work, key, `shows ${value}`);
    if (isHidden) note(work, key, `hides ${value}`);
  }
}

/** Notes whether the caller may see all rows of the resource of a list. */
export function noteSight(run: Run, resource: string): void {
  const { work } = run;
  if (work.rows.plan(resource).visible === null) return;
  const seen = rowsIn(resource, scopeOf(run)).length;
  note(work, statementId.resource(resource, 'visible'), seen < work.rows.all(resource).length ? 'hidden' : 'seen');
}

/** The fields of texts that a condition compares. */
export function textFieldsIn(where: Expr): string[] {
  const found: string[] = [];
  some(where, (part) => {
    if (part.op === 'get' && part.of.op === 'name' && part.of.name === 'this' && part.type.kind === 'string')
      found.push(part.member);
    return false;
  });
  return found;
}

/**
 * Records that the text of a filter is a part of a row's value, or equals it except for case: such requests show
 * implementations that compare texts too loosely.
 */
function noteNearValues(
  run: Run,
  { resource, filters }: ListStep,
  { place, parameter }: { readonly place: Filter['in']; readonly parameter: string },
  key: StatementId,
): void {
  const value = sentValue(run, place, parameter);
  const filter = filters.find((one) => one.in === place && one.parameter === parameter);
  if (typeof value !== 'string' || value === '' || !filter) return;
  const texts = new Set(
    textFieldsIn(filter.where).flatMap((field) => rowsIn(resource, scopeOf(run)).map((row) => row.get(field))),
  );
  for (const text of texts) {
    if (typeof text !== 'string' || text === value || hasMark(text)) continue;
    if (text.includes(value)) note(run.work, key, 'a part of a value');
    if (text.toLowerCase() === value.toLowerCase()) note(run.work, key, 'a value in other letters');
  }
}

function sentValue({ names }: Run, place: Filter['in'], parameter: string): Given {
  const object = names.get(place === 'body' ? 'request' : place);
  return object instanceof Map ? (object as ReadonlyMap<string, Given>).get(parameter) : undefined;
}

/** The value of a parameter that takes few; empty where it takes many. */
function fewValueOf(run: Run, place: Filter['in'], parameter: string): string {
  const { endpoint } = run;
  const value = sentValue(run, place, parameter);
  if (typeof value === 'boolean') return String(value);
  const taken = endpoint?.before.flatMap((one) => (one.do === 'read parameters' ? one.query : [])) ?? [];
  const isListed = taken.some(({ name, rule }) => name === parameter && rule.oneOf !== null);
  return isListed ? String(value) : '';
}

/** Notes of a password that is refused how it is nearly the right one. */
export function noteNearly({ work }: Run, key: StatementId, sent: string, right: string): void {
  for (const what of nearlyRight(sent, right)) note(work, key, what);
}

/** The ways in which a password that is refused is nearly the right one. */
export function nearlyRight(sent: string, right: string): string[] {
  return [
    ...(sent.slice(0, -1) === right.slice(0, -1) ? ['refused with another last character'] : []),
    ...(sent.startsWith(right) ? ['refused with a character more'] : []),
    ...(sent.toLowerCase() === right.toLowerCase() ? ['refused in other letters'] : []),
  ];
}

/**
 * Notes of a look-up by texts that the found row has other letters than the request, or that a row with other letters
 * was not found. `isRight`: whether a row that is found passes the step.
 */
export function noteLetters(
  run: Run,
  step: Extract<InsideStep, { do: 'find' | 'verify' }>,
  found: OracleRow | null,
  isRight: (row: OracleRow) => boolean = () => true,
): void {
  const { resource, where } = step;
  if (where === null || ('order' in step && step.order !== null) || textComparisons(where).length === 0) return;
  const id = statementId.step(step);
  const { loose, strict } = once(FORMS, where, () => ({
    loose: comparing(where, true),
    strict: comparing(where, false),
  }));
  if (found && !holds(strict, scopeOf(run, found))) note(run.work, id, 'found in other letters');
  const isNear = (row: OracleRow): boolean => holds(loose, scopeOf(run, row)) && isRight(row);
  if (!found && loose !== where && rowsIn(resource, scopeOf(run)).some(isNear))
    note(run.work, id, 'none in other letters');
}

/** The condition of a look-up by texts with all of its comparisons ignoring case, and with none of them. */
const FORMS = new WeakMap<Expr, { readonly loose: Expr; readonly strict: Expr }>();

/** Notes which sort keys decide between neighbours of rows in an order, and that neighbours of a list are equal in all. */
export function noteOrder(
  run: Run,
  step: Extract<InsideStep, { do: 'find' | 'list' | 'list streamed' }>,
  rows: readonly KeyedRow[],
): void {
  if (!step.order) return;
  const keys = chosenKeys(run, step.order);
  const tried = new Set<string>();
  for (const [i, { values }] of rows.entries()) {
    const before = rows[i - 1];
    if (!before) continue;
    const found = traceOf(keys, before.values, values);
    if (found === null && step.do !== 'find') tried.add('equal rows');
    if (found !== null && hasTraces(keys)) tried.add(found);
  }
  for (const what of tried) note(run.work, statementId.step(step), what);
}

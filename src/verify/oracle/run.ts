import type { Expr } from '../../expression/tree/expression.ts';
import type { Value } from '../../expression/values/value.ts';
import type { Validators } from '../../http/preconditions.ts';
import { statementId } from '../../plan/lines.ts';
import type { AnswerStep, EndpointPlan, OrderPlan, PagePlan, WholeListPlan } from '../../plan/step.ts';
import type { Content } from './content.ts';
import { compared, evaluate, holds, rowsIn } from './evaluate.ts';
import { byCondition, type Refusal } from './refusal.ts';
import type { OracleRow, Rows } from './rows.ts';
import { type Given, note, type Scope, type Transaction } from './scope.ts';

/** The requested page of a list: how many items, and from where. */
export interface RequestedPage {
  readonly plan: PagePlan;
  readonly limit: number;
  readonly place: string | null;
  readonly offset: number;
  readonly number: number;
  /** The endpoint, caller, filters and version for which a cursor is valid. */
  readonly bound: string;
}

/** A page as it was when it was listed. */
export interface Page {
  readonly rows: readonly OracleRow[];
  /** All rows at the time of the list, from which derived fields of the page are computed. */
  readonly among: Rows;
  /** The place of the next page; null where there is none. */
  readonly next: Value;
  readonly total: number;
}

/** The state of an endpoint’s steps. */
export interface Run {
  readonly work: Transaction;
  readonly endpoint: EndpointPlan | null;
  /** The names that steps have given, and the values of the request. */
  readonly names: Map<string, Given>;
  /** Whether only visible rows are used; false where every row is used. */
  readonly sighted: boolean;
  /** Reads a header of the request; undefined in steps that no request runs. */
  readonly header: (name: string) => string | undefined;
  /** The validators of the answer that a GET of the address would have; null where GET would refuse. */
  readonly representation: (get: string) => Validators | null;
  readonly asked: RequestedPage | null;
  /** The refusal of parameters that have codes of their own; thrown once references have been found. */
  readonly refusal: Refusal | null;
  /** The faults of the body, which the step “validate” refuses. */
  readonly late: Content['late'];
  page: Page | null;
  /** The answer in a branch that the steps have ended in; null where they end in the last one. */
  answered: AnswerStep | null;
  /** Credentials that steps have issued, and callers whose credentials are revoked. */
  readonly issued: Array<{
    readonly scheme: string;
    readonly mark: string;
    readonly to: Value;
    readonly scopes: readonly string[];
  }>;
  readonly revoked: Array<{ readonly scheme: string; readonly of: Value | null }>;
}

export const scopeOf = ({ work, names, sighted }: Run, row: OracleRow | null = null): Scope => ({
  work,
  names,
  row,
  sighted,
});

/** The sort key of an order, and its direction. */
interface ChosenKey {
  readonly by: Expr;
  readonly descending: boolean;
}

export function chosenKey(run: Run, order: OrderPlan): ChosenKey {
  if ('by' in order) return order;
  const name = order.sorted ? evaluate(order.sorted, scopeOf(run)) : order.keys[0]?.name;
  const key = order.keys.find((one) => one.name === name) ?? order.keys[0];
  if (!key) throw new Error('An order has no key');
  return { by: key.by, descending: evaluate(order.direction, scopeOf(run)) === 'desc' };
}

/** A row with its sort key. */
export interface KeyedRow {
  readonly row: OracleRow;
  readonly key: Value;
}

export const keyed = (run: Run, { by }: ChosenKey, row: OracleRow): KeyedRow => ({
  row,
  key: compared(by, scopeOf(run, row)),
});

/** Compares two rows of a list: ties are in the order of their identities, which a descending order reverses, too. */
export function compareRows({ work }: Run, { descending }: ChosenKey, a: KeyedRow, b: KeyedRow): number {
  return (descending ? -1 : 1) * (work.rows.compareOrder(a.key, b.key) || work.rows.inOrder(a.row, b.row));
}

/** Rows in an order. */
export function ordered(run: Run, rows: readonly OracleRow[], order: OrderPlan): KeyedRow[] {
  const by = chosenKey(run, order);
  return rows.map((row) => keyed(run, by, row)).sort((a, b) => compareRows(run, by, a, b));
}

/** The rows of a resource that a condition selects, in the order of their identities. */
export const selected = (run: Run, resource: string, where: Expr | null): OracleRow[] =>
  rowsIn(resource, scopeOf(run)).filter((row) => where === null || holds(where, scopeOf(run, row)));

/** The items of a list without pages, up to the bound of such lists. */
export function wholeList<T>({ work, endpoint }: Run, { most, refused }: WholeListPlan, items: readonly T[]): T[] {
  const limit = statementId.endpoint(endpoint?.name ?? '', 'Whole list');
  const isLonger = items.length > most;
  if (items.length === most) note(work, limit, 'most');
  if (isLonger) note(work, limit, refused ? 'refused page refused' : 'cut');
  if (refused && isLonger) throw byCondition('page refused', { statement: limit });
  return items.slice(0, most);
}

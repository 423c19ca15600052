import type { Expr } from '../../expression/tree/expression.ts';
import type { Value } from '../../expression/values/value.ts';
import type { Validators } from '../../http/preconditions.ts';
import { statementId } from '../../plan/lines.ts';
import { sortKeys } from '../../plan/nested-steps.ts';
import type { AnswerStep, EndpointPlan, OrderKey, OrderPlan, PagePlan, WholeListPlan } from '../../plan/step.ts';
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

/** The sort keys of an order, as the request chooses them. */
export function chosenKeys(run: Run, order: OrderPlan): readonly OrderKey[] {
  if ('by' in order) return sortKeys(order, 0, order.descending);
  const name = order.sorted ? evaluate(order.sorted, scopeOf(run)) : order.keys[0]?.name;
  const at = order.keys.findIndex((one) => one.name === name);
  return sortKeys(order, Math.max(at, 0), evaluate(order.direction, scopeOf(run)) === 'desc');
}

/** A row with the values of its sort keys. */
export interface KeyedRow {
  readonly row: OracleRow;
  readonly values: readonly Value[];
}

export const keyed = (run: Run, keys: readonly OrderKey[], row: OracleRow): KeyedRow => ({
  row,
  values: keys.map(({ by }) => compared(by, scopeOf(run, row))),
});

/**
 * Compares two rows of a list: ties are in the order of their identities, in the direction of the last key. Where a key
 * can be null, rows without a result count as null.
 */
export function compareRows({ work }: Run, keys: readonly OrderKey[], a: KeyedRow, b: KeyedRow): number {
  for (const [i, { descending, nulls }] of keys.entries()) {
    const [one = null, other = null] = [a.values[i], b.values[i]];
    if (nulls && (one === null) !== (other === null)) return (one === null) === (nulls === 'first') ? -1 : 1;
    const found = work.rows.compareOrder(one, other);
    if (found !== 0) return descending ? -found : found;
  }
  return (keys.at(-1)?.descending ? -1 : 1) * work.rows.inOrder(a.row, b.row);
}

/** Rows in an order. */
export function ordered(run: Run, rows: readonly OracleRow[], order: OrderPlan): KeyedRow[] {
  const keys = chosenKeys(run, order);
  return rows.map((row) => keyed(run, keys, row)).sort((a, b) => compareRows(run, keys, a, b));
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

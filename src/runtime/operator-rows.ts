import type { Expr } from '../expression/tree/expression.ts';
import { BOOLEAN, rowOf, STRING, type Type } from '../expression/tree/types.ts';
import { emptyFrame, type Row, type Value } from '../expression/values/value.ts';
import { FAULTS } from '../plan/conditions.ts';
import { columnType } from '../plan/lowering.ts';
import { isSecretColumn } from '../plan/rows.ts';
import type { ColumnPlan, GivingPlan, ResourcePlan } from '../plan/step.ts';
import { call, type Program, type RowOrder, type Statement, type StatementSpec } from '../store/store.ts';
import { faultsAt } from '../validation/validate.ts';
import type { Engine } from './engine/engine.ts';
import { NO_NAMES } from './expressions/layout.ts';
import { OperatorError } from './operator-error.ts';
import type { RowFilter } from './operator-forms.ts';
import { countInPieces, isTableSmall, type SearchStatements, searchInPieces } from './operator-search.ts';
import { mayBeIdentity, writtenValue } from './operator-values.ts';
import { OperatorWork } from './operator-work.ts';
import type { Resource } from './resources/rules.ts';

/** The requested part of the rows. */
export interface RowsWanted {
  readonly filters: readonly RowFilter[];
  /** A text that some field of each row contains, or equals where the field is no text; null for all rows. */
  readonly containing: string | null;
  /** The order; null for that of identities. */
  readonly sort: { readonly field: string; readonly descending: boolean } | null;
  readonly offset: number;
  readonly limit: number;
  /** The columns that are read; the others are null in the rows. Absent for all columns. */
  readonly columns?: readonly string[];
}

/** A part of the rows, and the number of rows that match the filters. */
interface RowsPage {
  readonly total: number;
  readonly rows: readonly Row[];
}

/** A statement with the values of its filters. */
interface Prepared {
  readonly statement: Statement;
  readonly values: Value[];
}

/** A search, as its statements have it. */
interface Searched {
  readonly resource: string;
  readonly identity: string;
  readonly where: Expr | null;
  readonly order: RowOrder;
  readonly columns: { readonly columns?: readonly string[] };
}

/** The most rows that one statement reads and puts in order, where it blocks the event loop. */
const MOST_AT_ONCE = 1000;

/** The most conditions of one request: the store keeps a prepared statement for each combination. */
const MOST_FILTERS = 4;

const COMPARISONS = { equal: '==', 'not equal': '!=', from: '>=', to: '<=' } as const;

/**
 * Whether rows can be compared by a column. Hashes and values of several items have no order, and a comparison with
 * secrets would tell them, although no list shows them.
 */
export const isOrdered = (column: ColumnPlan): boolean => !isSecretColumn(column) && column.rule.items === null;

/**
 * The order that shows the newest rows first: by the field that is given the instant or a number as a row is created.
 * Null where no field tells: rows then have the order of their identities.
 */
export function newestFirst({ columns, givings }: ResourcePlan): RowsWanted['sort'] {
  const isNow = ({ moment, value }: GivingPlan): boolean =>
    moment === 'create' && value.op === 'call' && value.fn === 'now';
  const field = givings.find(isNow)?.field ?? columns.find(({ sequence }) => sequence?.per === null)?.name;
  return field === undefined ? null : { field, descending: true };
}

/** Finds rows for the operator. */
export class OperatorRows {
  private readonly engine: Engine;
  private readonly work: OperatorWork;

  constructor(engine: Engine) {
    this.engine = engine;
    this.work = new OperatorWork(engine);
  }

  /**
   * Returns a part of the current rows of a resource. Rejects with the reason of `signal` once it is aborted: nobody waits
   * for the rows any more.
   */
  async page({ plan }: Resource, wanted: RowsWanted, signal?: AbortSignal): Promise<RowsPage> {
    if (wanted.filters.length > MOST_FILTERS)
      throw new OperatorError(
        `There are ${wanted.filters.length} conditions; at most ${MOST_FILTERS} are allowed.`,
        true,
      );
    const values: Value[] = [];
    const where = wanted.filters
      .map((filter) => condition(plan, filter, (value, type) => this.parameter(plan, filter, value, type, values)))
      .reduce<Expr | null>((all, one) => (all ? andOf(all, one) : one), null);
    const { containing, sort } = wanted;
    const found = containing === null ? where : this.containing(plan, containing, where, values);
    const by = sort && sort.field !== plan.identity ? fieldOf(plan, sort.field) : null;
    const descending = sort?.descending ?? false;
    const order = { keys: by ? [{ by, descending }] : [], descending };
    const resource = plan.name;
    const columns = wanted.columns ? { columns: wanted.columns } : {};
    // An index has the order of identities.
    const isFirst = found === null && by === null && wanted.offset + wanted.limit <= MOST_AT_ONCE;
    const pieces = isFirst
      ? null
      : this.searching({ resource, identity: plan.identity, where: found, order, columns }, values);
    const among = pieces && this.among(plan, wanted);
    const select = this.prepared(
      { kind: 'select', resource, where: found, order, after: false, limit: true, skip: true, ...columns },
      values,
    );
    const count = this.prepared({ kind: 'count', resource, where: found }, values);
    return this.work.readAsDue(function* program(): Program<RowsPage> {
      const [few] = among ? yield* call(among.statement, among.values) : [];
      const isSmall = few ? Number(few[0]) <= MOST_AT_ONCE : pieces && (yield* isTableSmall(pieces, MOST_AT_ONCE));
      if (pieces && !isSmall) return yield* searchInPieces(pieces, wanted, signal);
      const [counted] = yield* call(count.statement, count.values);
      signal?.throwIfAborted();
      const rows = yield* call(select.statement, [...select.values, wanted.limit, wanted.offset]);
      return { total: Number(counted?.[0] ?? 0), rows };
    });
  }

  /** The statement that counts the rows among which an index finds those that match; null where none does. */
  private among(plan: ResourcePlan, { filters }: RowsWanted): Prepared | null {
    const filter = filters.find(({ field, is }) => is === 'equal' && hasIndex(plan, field));
    if (!filter) return null;
    const values: Value[] = [];
    const where = condition(plan, filter, (value, type) => this.parameter(plan, filter, value, type, values));
    return this.prepared({ kind: 'count', resource: plan.name, where }, values);
  }

  /** Returns the current rows with identities, in the order of these; rows that are gone are left out. */
  async some({ plan, identity }: Resource, identities: readonly string[]): Promise<readonly Row[]> {
    const statement = this.engine.store.prepare({ kind: 'rows', resource: plan.name });
    const asked = identities.filter((one) => mayBeIdentity(plan, one));
    const rows = await this.work.readAsDue(() => call(statement, [JSON.stringify(asked)]));
    const found = new Map(rows.map((row) => [String(row[identity]), row]));
    return identities.map((one) => found.get(one)).filter((row) => row !== undefined);
  }

  /** Returns the first row of a resource, if there is one. */
  async first({ plan }: Resource): Promise<readonly Row[]> {
    const order = { keys: [], descending: false };
    const select = this.engine.store.prepare({
      kind: 'select',
      resource: plan.name,
      where: null,
      order,
      after: false,
      limit: true,
    });
    return this.work.readAsDue(() => call(select, [1]));
  }

  /** Returns the number of rows by the value of a field; without a field, that of all rows under the empty text. */
  async counts(resource: string, field: string | null): Promise<ReadonlyMap<string, number>> {
    const { store } = this.engine;
    if (field !== null && store.hasRowIds?.(resource)) {
      const part = store.prepare({ kind: 'tally', resource, field, isPart: true });
      return store.read(() => countInPieces(part));
    }
    const statement = store.prepare(
      field === null ? { kind: 'count', resource, where: null } : { kind: 'tally', resource, field },
    );
    const rows = await store.read(() => call(statement, []));
    return new Map(
      rows.map(([first, second]) => (field === null ? ['', Number(first)] : [String(first), Number(second)])),
    );
  }

  /** Whether some field contains a text, or equals it where the field is no text, beside another condition. */
  private containing(plan: ResourcePlan, text: string, beside: Expr | null, values: Value[]): Expr {
    const tests = plan.columns.flatMap((column): Expr[] => {
      if (column.name.startsWith(' ') || !isOrdered(column)) return [];
      const is = column.rule.kind === 'text' ? 'contains' : 'equal';
      const filter: RowFilter = { field: column.name, is, value: text };
      try {
        return [condition(plan, filter, (value, type) => this.parameter(plan, filter, value, type, values))];
      } catch (error) {
        // A text that a field never has, such as letters in a number, is not in it.
        if (error instanceof OperatorError) return [];
        throw error;
      }
    });
    const one = tests.reduce<Expr>((all, test) => ({ op: 'call', fn: 'or', args: [all, test], type: BOOLEAN }), NEVER);
    return beside ? andOf(beside, one) : one;
  }

  /** The statements of a search in pieces. Null of a store whose statements do not block the event loop. */
  private searching(
    { resource, identity, where, order, columns }: Searched,
    values: readonly Value[],
  ): SearchStatements | null {
    const { store } = this.engine;
    if (!store.hasRowIds?.(resource)) return null;
    const listed = { kind: 'select', resource, after: false, limit: true, listed: true } as const;
    const ids = { ...listed, columns: [identity] };
    return {
      ids: store.prepare({ kind: 'matches', resource, matching: null }),
      matching: where && this.prepared({ ...ids, where, order: null }, values),
      ordered: store.prepare({ ...ids, where: null, order }),
      rows: store.prepare({ ...listed, ...columns, where: null, order }),
      first: store.prepare({
        kind: 'select',
        resource,
        columns: [identity],
        where: null,
        order,
        after: false,
        limit: true,
        isPart: true,
      }),
    };
  }

  /** Prepares a statement, and returns it with the values of its filters, which are its first parameters. */
  private prepared(spec: StatementSpec, vars: readonly Value[]): Prepared {
    const { store, expressions } = this.engine;
    const statement = store.prepare(spec);
    const names = { ...NO_NAMES, vars: vars.map((_, i) => nameOf(i)) };
    const frame = { ...emptyFrame(store.now(), ''), vars: [...vars] };
    return { statement, values: expressions.parameters(statement, names)(frame) as Value[] };
  }

  /**
   * Returns a parameter for a value to compare with. The value is added to `values`, so that one statement serves all
   * values.
   */
  private parameter(plan: ResourcePlan, filter: RowFilter, text: string, type: Type, values: Value[]): Expr {
    const column = columnOf(plan, filter.field);
    // The compared value may be a part or a bound: the limits of the field don't apply.
    const rule = { ...column.rule, min: null, max: null, pattern: null, oneOf: null, format: null };
    const checked = filter.is === 'contains' ? { value: text } : writtenValue(rule, this.engine.plan.wire, text);
    const value = 'value' in checked ? checked.value : null;
    // A decimal that is too long is read as infinite, which the limits of a field refuse otherwise.
    if (value === null || value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) {
      const [fault] = 'value' in checked ? [] : faultsAt(checked, '');
      throw new OperatorError(
        `“${text}” can’t be compared with ${plan.name}.${column.name}: ${fault ? FAULTS[fault.code] : 'the field never has this value'}.`,
        true,
      );
    }
    values.push(value);
    return { op: 'name', name: nameOf(values.length - 1), type: { ...type, nullable: false } as Type };
  }
}

/** Whether an index finds the rows with a value of a field. */
const hasIndex = ({ identity, columns, uniques }: ResourcePlan, field: string): boolean =>
  field === identity ||
  columns.some(({ name, reference, references }) => name === field && (references ?? reference) !== null) ||
  uniques.some(({ fields, condition }) => condition === null && fields[0] === field);

const nameOf = (i: number): string => `value ${i}`;

function columnOf(plan: ResourcePlan, field: string): ColumnPlan {
  const column = plan.columns.find((one) => one.name === field);
  if (!column) throw new OperatorError(`${plan.name} has no field “${field}”.`, true);
  if (!isOrdered(column)) throw new OperatorError(`Rows can’t be compared by ${plan.name}.${field}.`, true);
  return column;
}

/** Returns the expression for a field; a reference is compared by the identity that it holds. */
function fieldOf(plan: ResourcePlan, field: string): Expr {
  const column = columnOf(plan, field);
  const { references: _, ...plain } = column;
  const type = columnType({ ...plan, columns: [{ ...plain, reference: null }] }, field);
  return { op: 'get', of: { op: 'name', name: 'this', type: rowOf(plan.name) }, member: field, type };
}

function condition(plan: ResourcePlan, filter: RowFilter, parameter: (text: string, type: Type) => Expr): Expr {
  const field = fieldOf(plan, filter.field);
  const { type } = field;
  if (filter.is === 'absent' || filter.is === 'present') {
    const fn = filter.is === 'absent' ? '==' : '!=';
    const nothing: Expr = { op: 'const', value: null, type: { kind: 'null', nullable: true } };
    return { op: 'call', fn, args: [{ ...field, type: { ...type, nullable: true } as Type }, nothing], type: BOOLEAN };
  }
  if (filter.value === null) throw new OperatorError(`“${filter.is}” needs a value.`, true);
  if (filter.is !== 'contains')
    return { op: 'call', fn: COMPARISONS[filter.is], args: [field, parameter(filter.value, type)], type: BOOLEAN };
  if (type.kind !== 'string' || type.format === 'uuid')
    throw new OperatorError(`${plan.name}.${filter.field} is not text: it can’t contain “${filter.value}”.`, true);
  const lower = (of: Expr): Expr => ({ op: 'call', fn: 'lowerAscii', args: [of], type: of.type });
  return { op: 'call', fn: 'contains', args: [lower(field), lower(parameter(filter.value, STRING))], type: BOOLEAN };
}

const NEVER: Expr = { op: 'const', value: false, type: BOOLEAN };

const andOf = (one: Expr, other: Expr): Expr => ({ op: 'call', fn: 'and', args: [one, other], type: BOOLEAN });

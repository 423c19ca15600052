import { type Evaluate, identified } from '../../../expression/javascript.ts';
import type { Expr } from '../../../expression/tree/expression.ts';
import { foldCase } from '../../../expression/tree/fold.ts';
import type { Row, Value } from '../../../expression/values/value.ts';
import { pointerTo } from '../../../http/nested-json.ts';
import { FILE_MEMBERS, fieldOfColumn } from '../../../plan/files.ts';
import type { FromPlan, KeyPlan } from '../../../plan/step.ts';
import { wordFor } from '../../../plan/words.ts';
import { type Argument, call, type Program } from '../../../store/store.ts';
import { uniqueColumns } from '../../../store/tables.ts';
import { computedValidator, faultsAt, merged } from '../../../validation/validate.ts';
import { Refusal } from '../../context/refusal.ts';
import type { Errors } from '../../errors/refusal.ts';
import { type Compiled, evaluate, mustBe } from '../../expressions/layout.ts';
import type { Resource } from '../../resources/rules.ts';
import type { UnitOfWork } from '../../resources/unit-of-work.ts';
import { type Of, type Step, type StepContext, type StepRun, slotOf } from './context.ts';

/** Create: a new row. */
export function compileCreate(step: Of<'create'>, c: StepContext): Step {
  const resource = c.resource(step.resource);
  const fill = filling(step.resource, step.from, c);
  const assign = assignings(step, c);
  const fit = mapFitter(resource, fill, assign, c.errors);
  const slot = slotOf(step.as, c);
  return function* create(run) {
    const values = yield* given(run, fill, assign);
    yield* takeBytes(run, fill, values, c);
    fit(run.work, values);
    const row = yield* resource.create(run.work, values);
    if (slot >= 0) run.work.frame.vars[slot] = row;
  };
}

/**
 * Ensure: returns the existing row, or creates one. An existing row that the caller may not see conflicts with the new
 * one.
 */
export function compileEnsure(step: Of<'ensure'>, c: StepContext): Step {
  const resource = c.resource(step.resource);
  const fill = filling(step.resource, step.from, c);
  const assign = assignings(step, c);
  const fit = mapFitter(resource, fill, assign, c.errors);
  const keys = step.by.map((key) => keyed(step.resource, key, c));
  const visible = c.expressions.visibleTo === 'caller' ? c.expressions.visibility(step.resource) : null;
  // Inside `Visible` itself every row is seen.
  const sees = visible && c.expressions.seeingAll().compile(visible, c.names);
  const slot = slotOf(step.as, c);
  const created = slotOf(step.created ?? null, c);
  function* isSeen({ frame }: UnitOfWork, row: Row): Program<boolean> {
    if (!sees) return true;
    frame.row = row;
    const seen = (yield* evaluate(sees, frame)) === true;
    frame.row = null;
    return seen;
  }
  return function* ensure(run) {
    const values = yield* given(run, fill, assign);
    fit(run.work, values);
    let row: Row | null = null;
    for (const { statement, args } of keys) {
      const [found] = yield* call(statement, args(values));
      if (!found || !(yield* isSeen(run.work, found))) continue;
      row = resource.known(run.work, found);
      break;
    }
    if (created >= 0) run.work.frame.vars[created] = row === null;
    row ??= yield* made(resource.create(run.work, values), c);
    if (slot >= 0) run.work.frame.vars[slot] = row;
  };
}

/** The look-up of a row by a unique rule, from the values that a new row would have. */
function keyed(resource: string, key: KeyPlan, c: StepContext) {
  const fields = key.fields.map((field) => ({
    column: c.expressions.column(resource, field),
    folds: key.ignoringCase.includes(field),
  }));
  return {
    statement: c.store.prepare({ kind: 'by key', resource, fields: uniqueColumns(key), while: key.while }),
    args: (values: ReadonlyMap<number, Value>): Argument[] =>
      fields.map(({ column, folds }) => {
        const value = values.get(column) ?? null;
        return folds && typeof value === 'string' ? foldCase(value) : value;
      }),
  };
}

/**
 * Creates a row. A refusal by a rule without a code becomes a conflict: the existing row is one that the request
 * doesn't know.
 */
function* made(create: Program<Row>, c: StepContext): Program<Row> {
  try {
    return yield* create;
  } catch (error) {
    throw error instanceof Refusal && !error.outcome ? c.errors.condition('conflict') : error;
  }
}

/** Change: sets fields of a row. */
export function compileChange(step: Of<'change'>, c: StepContext): Step {
  const resource = c.resource(step.resource);
  const fill = filling(step.resource, step.from, c);
  const assign = assignings(step, c);
  const fit = mapFitter(resource, fill, assign, c.errors);
  const slot = c.names.vars.indexOf(step.row);
  // Of the facts about bytes, a step gives none but null: the bytes go with them.
  const cleared = (resource.plan.files ?? []).flatMap(({ field, column }) =>
    step.with.some((one) => one.field === `${field}.${FILE_MEMBERS[0]}`)
      ? [c.expressions.column(step.resource, column)]
      : [],
  );
  const keep = wordKeeper(step, c);
  return function* change(run) {
    const row = run.work.frame.vars[slot] as Row;
    const values = yield* given(run, fill, assign, { absent: !step.patch, row: step.patch ? row : null });
    keep(run, row, values);
    for (const column of cleared) {
      if (row[column] !== null) yield* c.files.release(row[column] as string);
      values.set(column, null);
    }
    yield* takeBytes(run, fill, values, c, { row, patch: step.patch });
    fit(run.work, values);
    yield* resource.change(run.work, row, values);
  };
}

/**
 * Compiles what keeps the value of a row where the request sends the word that already shows it in the version of the
 * request: a caller that writes back what it has read changes nothing.
 */
function wordKeeper(
  { resource, from, with: assigned }: Of<'change'>,
  c: StepContext,
): (run: StepRun, row: Row, values: Map<number, Value>) => void {
  const sent = (from?.fields ?? [])
    .filter((field) => !assigned.some((one) => one.field === field))
    .map((field) => ({ path: `${resource}.${field}`, column: c.expressions.column(resource, field) }));
  return ({ x }, row, values) => {
    for (const { path, column } of sent) {
      const words = x.apiVersion.words(path);
      const [held, value] = [row[column], values.get(column)];
      if (!words || typeof held !== 'string' || typeof value !== 'string') continue;
      if (wordFor(words, held) === wordFor(words, value)) values.set(column, held);
    }
  };
}

/** Gives the bytes of the request to a row, in place of those that it had. */
function* takeBytes(
  { x, work }: StepRun,
  fill: Filling | null,
  values: Map<number, Value>,
  c: StepContext,
  onto: { readonly row: Row; readonly patch: boolean } | null = null,
): Program<void> {
  for (const { column, field } of fill?.bytes ?? []) {
    const upload = x.received?.uploads.get(field);
    // A part that a merge patch leaves out keeps the bytes of the row.
    if (!upload && onto?.patch) continue;
    const before = onto?.row[column] ?? null;
    if (before !== null) yield* c.files.release(before as string);
    if (upload) yield* c.files.keep(upload, work.frame.now);
    values.set(column, upload?.id ?? null);
  }
}

/** Remove: removes a row. */
export function compileRemove(step: Of<'remove'>, c: StepContext): Step {
  const resource = c.resource(step.resource);
  const slot = c.names.vars.indexOf(step.row);
  return function* remove({ work }) {
    yield* resource.remove(work, work.frame.vars[slot] as Row);
  };
}

/** Remove every: removes each row as Remove does, in the order of identities. */
export function compileRemoveEvery(step: Of<'remove every'>, c: StepContext): Step {
  const resource = c.resource(step.resource);
  const where = c.expressions.where(step.resource, step.where);
  const order = { keys: [], descending: false };
  const spec = { kind: 'select', resource: step.resource, where, order, after: false, limit: false } as const;
  const statement = c.store.prepare(spec);
  const args = c.expressions.parameters(statement, c.names);
  return function* removeEvery({ work }) {
    const rows = yield* call(statement, args(work.frame));
    const known = rows.map((row) => resource.known(work, row));
    yield* resource.removeEach(work, known);
  };
}

/** The values that a step reads from the request, and the columns that they fill. */
interface Filling {
  readonly values: Evaluate;
  readonly fields: ReadonlyArray<{ readonly column: number; readonly member: number }>;
  /** The index of the member that holds the place of the values in the body; -1 for the body itself. */
  readonly place: number;
  /** The columns for the bytes of the request, each with its field; empty where it sends values alone. */
  readonly bytes: ReadonlyArray<{ readonly column: number; readonly field: string }>;
}

/** Compiles the reading of a step's values from the request. */
function filling(resource: string, from: FromPlan | null, c: StepContext): Filling | null {
  if (!from) return null;
  const { value, fields, bytes = [] } = from;
  const members = value.type.kind === 'object' ? Object.keys(value.type.members) : [];
  const body = value.op === 'name' && value.name === 'request';
  return {
    values: c.expressions.plain(value, c.names),
    fields: fields.map((name) => ({ column: c.expressions.column(resource, name), member: members.indexOf(name) })),
    place: body ? -1 : members.length,
    bytes: bytes.map((name) => ({ column: c.expressions.column(resource, name), field: fieldOfColumn(name)! })),
  };
}

interface Assigning {
  readonly column: number;
  readonly value: Compiled;
  /** A row that is assigned is stored as its identity. */
  readonly identity: number | null;
}

/** Compiles the values that a step assigns by `with`. */
function assignings(step: Pick<Of<'change'>, 'resource' | 'with'>, c: StepContext): Assigning[] {
  return step.with.map((one) => {
    const { type } = one.value;
    const identity = type.kind === 'row' ? c.expressions.identity(type.resource) : null;
    return {
      column: c.expressions.column(step.resource, one.field),
      value: written(c.expressions.compile(one.value, c.names), one.value),
      identity,
    };
  });
}

/** Compiles the values that a step assigns by `with` alone, by their columns; null where it assigns none. */
export function compileAssigned(
  step: Pick<Of<'change'>, 'resource' | 'with'>,
  c: StepContext,
): ((run: StepRun) => Program<ReadonlyMap<number, Value>>) | null {
  if (step.with.length === 0) return null;
  const assign = assignings(step, c);
  return (run) => given(run, null, assign);
}

const written = (compiled: Compiled, expr: Expr): Compiled => ({
  ...compiled,
  evaluate: mustBe(compiled.evaluate, expr),
});

/**
 * How values change a row: with `absent`, fields that are not sent become null; the maps of `row` are merged with those
 * sent.
 */
interface Onto {
  readonly absent: boolean;
  readonly row: Row | null;
}

/** Returns the values of a step, by their columns. */
function* given(
  run: StepRun,
  fill: Filling | null,
  assign: readonly Assigning[],
  { absent, row }: Onto = { absent: false, row: null },
): Program<Map<number, Value>> {
  const { work } = run;
  const values = new Map<number, Value>();
  if (fill) {
    const sent = fill.values(work.frame) as readonly (Value | undefined)[];
    work.place = fill.place < 0 ? '' : (sent[fill.place] as string);
    for (const { column, member } of fill.fields) {
      const value = sent[member] ?? (absent || sent[member] === null ? null : undefined);
      if (value instanceof Map) values.set(column, merged((row?.[column] as typeof value | undefined) ?? null, value));
      else if (value !== undefined) values.set(column, value);
    }
  } else work.place = '';
  for (const one of assign) {
    const value = yield* evaluate(one.value, work.frame);
    values.set(one.column, one.identity === null ? (value as Value) : identified(value, one.identity));
  }
  return values;
}

/**
 * Refuses maps whose keys are too many or too few after the merge, like a request that sent them so. A computed map is
 * not the client's fault: where it is not allowed, the request fails, as with any other value.
 */
function mapFitter(
  { plan }: Resource,
  fill: Filling | null,
  assign: readonly Assigning[],
  errors: Errors,
): (work: UnitOfWork, values: ReadonlyMap<number, Value>) => void {
  const computed = new Set(assign.map(({ column }) => column));
  const sent = new Set(fill?.fields.flatMap(({ column }) => (computed.has(column) ? [] : [column])));
  const maps = plan.columns.flatMap(({ name, rule }, column) =>
    rule.kind === 'map' && sent.has(column) ? [{ name, column, check: computedValidator(rule) }] : [],
  );
  return (work, values) => {
    for (const { name, column, check } of maps) {
      const value = values.get(column);
      const checked = value instanceof Map ? check(value) : null;
      if (!checked || 'value' in checked) continue;
      const faults = faultsAt(checked, work.place + pointerTo(work.wire(plan.name, name) ?? name));
      throw errors.condition(
        'invalid request',
        faults.map(({ at, code }) => ({ place: 'pointer', name: at, code })),
      );
    }
  };
}

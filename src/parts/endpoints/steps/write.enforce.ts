import type { Row } from '../../../expression/value.ts';
import { evaluate } from '../../../serve/layout.ts';
import { call, type Program } from '../../../store/store.ts';
import { Refusal } from '../../errors/enforce.ts';
import type { Work } from '../../resources/work.ts';
import { type Mover, makeMove, mover } from '../../states/enforce.ts';
import type { Of, Step, StepContext } from './context.ts';
import { assignings, filling, given, mapFitter } from './given.enforce.ts';

/** The verbs that change rows: Create, Ensure, Change, Move, Remove. */

export function compileCreate(step: Of<'create'>, c: StepContext): Step {
  const resource = c.resource(step.resource);
  const fill = filling(step.resource, step.from, c);
  const assign = assignings(step, c);
  const fit = mapFitter(resource, fill, assign, c.errors);
  const slot = slotOf(step.as, c);
  return function* create(run) {
    const values = yield* given(run, fill, assign);
    fit(run.work, values);
    const row = yield* resource.create(run.work, values);
    if (slot >= 0) run.work.frame.vars[slot] = row;
  };
}

/** The row that is there already, or a new one. One that the caller may not see stands in the way of a new one. */
export function compileEnsure(step: Of<'ensure'>, c: StepContext): Step {
  const resource = c.resource(step.resource);
  const fill = filling(step.resource, step.from, c);
  const assign = assignings(step, c);
  const fit = mapFitter(resource, fill, assign, c.errors);
  const keys = step.by.map((fields) => ({
    columns: fields.map((field) => c.expressions.column(step.resource, field)),
    statement: c.store.prepare({ kind: 'by key', resource: step.resource, fields }),
  }));
  const visible = c.expressions.eyes === 'caller' ? c.expressions.visibility(step.resource) : null;
  // Inside `Visible` itself every row is seen.
  const sees = visible && c.expressions.seeingAll().compile(visible, c.names);
  const slot = slotOf(step.as, c);
  function* isSeen({ frame }: Work, row: Row): Program<boolean> {
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
    for (const { columns, statement } of keys) {
      const [found] = yield* call(
        statement,
        columns.map((column) => values.get(column) ?? null),
      );
      if (!found || !(yield* isSeen(run.work, found))) continue;
      row = resource.known(run.work, found);
      break;
    }
    row ??= yield* made(resource.create(run.work, values), c);
    if (slot >= 0) run.work.frame.vars[slot] = row;
  };
}

/** A new row that a rule without a code refuses has met one that this request knows nothing of. */
function* made(create: Program<Row>, c: StepContext): Program<Row> {
  try {
    return yield* create;
  } catch (error) {
    throw error instanceof Refusal && !error.outcome ? c.errors.condition('conflict') : error;
  }
}

const slotOf = (name: string | null, c: StepContext): number => (name === null ? -1 : c.names.vars.indexOf(name));

export function compileChange(step: Of<'change'>, c: StepContext): Step {
  const resource = c.resource(step.resource);
  const fill = filling(step.resource, step.from, c);
  const assign = assignings(step, c);
  const fit = mapFitter(resource, fill, assign, c.errors);
  const slot = c.names.vars.indexOf(step.row);
  return function* change(run) {
    const row = run.work.frame.vars[slot] as Row;
    const values = yield* given(run, fill, assign, { absent: !step.patch, row: step.patch ? row : null });
    fit(run.work, values);
    yield* resource.change(run.work, row, values);
  };
}

export function compileMove(step: Of<'move'>, c: StepContext): Step {
  const resource = c.resource(step.resource);
  const one = mover(resource, step.by, c.expressions, c.errors);
  const slot = c.names.vars.indexOf(step.row);
  return function* move({ work }) {
    yield* makeMove(work, resource, one, work.frame.vars[slot] as Row);
  };
}

/** By the transition from where the row stands; where there is none, it is refused as one that leads there says. */
export function compileMoveTo(step: Of<'move to'>, c: StepContext): Step {
  const resource = c.resource(step.resource);
  const to = c.expressions.compile(step.to, c.names);
  const leading = new Map<unknown, Mover[]>();
  for (const name of step.by) {
    const one = mover(resource, name, c.expressions, c.errors);
    leading.set(one.plan.to, [...(leading.get(one.plan.to) ?? []), one]);
  }
  const slot = c.names.vars.indexOf(step.row);
  return function* moveTo({ work }) {
    const row = work.frame.vars[slot] as Row;
    const movers = leading.get(yield* evaluate(to, work.frame))!;
    const state = row[resource.state] as string;
    yield* makeMove(work, resource, movers.find((one) => one.plan.from.includes(state)) ?? movers[0]!, row);
  };
}

export function compileRemove(step: Of<'remove'>, c: StepContext): Step {
  const resource = c.resource(step.resource);
  const slot = c.names.vars.indexOf(step.row);
  return function* remove({ work }) {
    yield* resource.remove(work, work.frame.vars[slot] as Row);
  };
}

/** Each row goes as Remove takes it, in the order of their identities. */
export function compileRemoveEvery(step: Of<'remove every'>, c: StepContext): Step {
  const resource = c.resource(step.resource);
  const where = c.expressions.where(step.resource, step.where);
  const order = { by: null, descending: false };
  const spec = { kind: 'select', resource: step.resource, where, order, after: false, limit: false } as const;
  const statement = c.store.prepare(spec);
  const args = c.expressions.parameters(statement, c.names);
  return function* removeEvery({ work }) {
    for (const row of yield* call(statement, args(work.frame))) yield* resource.remove(work, resource.known(work, row));
  };
}

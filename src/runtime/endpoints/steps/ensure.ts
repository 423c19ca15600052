import type { Row } from '../../../expression/values/value.ts';
import { call, type Program } from '../../../store/store.ts';
import { Refusal } from '../../context/refusal.ts';
import { evaluate } from '../../expressions/layout.ts';
import type { UnitOfWork } from '../../resources/unit-of-work.ts';
import { type Of, type Step, type StepContext, slotOf } from './context.ts';
import { assignings, filling, given, mapFitter } from './given.ts';

/**
 * Ensure: returns the existing row, or creates one. An existing row that the caller may not see conflicts with the new
 * one.
 */
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

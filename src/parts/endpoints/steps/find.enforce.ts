import type { OrderPlan } from '../../../plan/step.ts';
import { call, type StatementSpec } from '../../../store/store.ts';
import type { Of, Step, StepContext } from './context.ts';

/** What rows are put in order by, as the store computes it. */
export function ordered(
  { by, descending }: OrderPlan,
  c: StepContext,
): Extract<StatementSpec, { kind: 'select' }>['order'] {
  return { by: c.expressions.lowering().lower(by), descending };
}

/** Find: one row; or else the refusal, or null. */
export function compileFind(step: Of<'find'>, c: StepContext): Step {
  const where = c.expressions.where(step.resource, step.where);
  const { resource } = step;
  const order = step.order && ordered(step.order, c);
  const first = order !== null;
  const statement = c.store.prepare({ kind: 'select', resource, where, order, after: false, limit: first });
  const args = c.expressions.parameters(statement, c.names);
  const slot = c.names.vars.indexOf(step.as);
  const refusal = step.code === null ? null : c.errors.code(step.code);
  const known = c.resource(resource);
  return function* find({ work }) {
    const values = args(work.frame);
    const [row] = yield* call(statement, first ? [...values, 1] : values);
    if (!row && refusal) throw refusal;
    work.frame.vars[slot] = row ? known.known(work, row) : null;
  };
}

import { both, type Expr } from '../../../expression/expr.ts';
import type { OrderPlan } from '../../../plan/step.ts';
import { call, type StatementSpec } from '../../../store/store.ts';
import type { Of, Step, StepContext } from './context.ts';

/** Rows that the caller may not see don't exist for a step. */
export function seen(where: Expr | null, resource: string, c: StepContext): Expr | null {
  return both(where && c.expressions.sighted(where), c.expressions.visibility(resource));
}

/** Rows are ordered by a field of theirs. */
export function ordered({ by, descending }: OrderPlan): Extract<StatementSpec, { kind: 'select' }>['order'] {
  return { field: by.op === 'get' ? by.member : '', descending };
}

/** Find: one row; or else the refusal, or null. */
export function compileFind(step: Of<'find'>, c: StepContext): Step {
  const where = seen(step.where, step.resource, c);
  const { resource } = step;
  const order = step.order && ordered(step.order);
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

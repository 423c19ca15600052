import { both, type Expr } from '../../../expression/expr.ts';
import { call } from '../../../store/store.ts';
import type { Of, Step, StepContext } from './context.ts';

/** Rows that the caller may not see don't exist for a step. */
export function seen(where: Expr | null, resource: string, c: StepContext): Expr | null {
  return both(where && c.expressions.sighted(where), c.expressions.visibility(resource));
}

/** Find: one row, or the refusal. */
export function compileFind(step: Of<'find'>, c: StepContext): Step {
  const where = seen(step.where, step.resource, c);
  const { resource } = step;
  const statement = c.store.prepare({ kind: 'select', resource, where, order: null, after: false, limit: false });
  const args = c.expressions.parameters(statement, c.names);
  const slot = c.names.vars.indexOf(step.as);
  const refusal = c.errors.code(step.code);
  const known = c.resource(resource);
  return function* find({ work }) {
    const rows = yield* call(statement, args(work.frame));
    if (!rows[0]) throw refusal;
    work.frame.vars[slot] = known.known(work, rows[0]);
  };
}

import { call } from '../../../store/store.ts';
import type { Of, Step, StepContext } from './context.ts';
import { ordering } from './order.enforce.ts';

/** Find: one row; or else the refusal, or null. */
export function compileFind(step: Of<'find'>, c: StepContext): Step {
  const where = c.expressions.where(step.resource, step.where);
  const { resource } = step;
  const order = step.order && ordering(step.order, c);
  const first = order !== null;
  const prepared = (order?.each ?? [null]).map((one) => {
    const statement = c.store.prepare({ kind: 'select', resource, where, order: one, after: false, limit: first });
    return { statement, args: c.expressions.parameters(statement, c.names) };
  });
  const slot = c.names.vars.indexOf(step.as);
  const refusal = step.code === null ? null : c.errors.code(step.code);
  const known = c.resource(resource);
  return function* find({ work }) {
    const { statement, args } = prepared[order ? order.pick(work.frame) : 0]!;
    const values = args(work.frame);
    const [row] = yield* call(statement, first ? [...values, 1] : values);
    if (!row && refusal) throw refusal;
    work.frame.vars[slot] = !row ? null : c.writes ? known.known(work, row) : row;
  };
}

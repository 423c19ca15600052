import { call } from '../../../store/store.ts';
import type { Of, Step, StepContext } from './context.ts';

/** Remove every: removes each row as Remove does, in the order of identities. */
export function compileRemoveEvery(step: Of<'remove every'>, c: StepContext): Step {
  const resource = c.resource(step.resource);
  const where = c.expressions.where(step.resource, step.where);
  const order = { by: null, descending: false };
  const spec = { kind: 'select', resource: step.resource, where, order, after: false, limit: false } as const;
  const statement = c.store.prepare(spec);
  const args = c.expressions.parameters(statement, c.names);
  return function* removeEvery({ work }) {
    const rows = yield* call(statement, args(work.frame));
    const known = rows.map((row) => resource.known(work, row));
    yield* resource.removeEach(work, known);
  };
}

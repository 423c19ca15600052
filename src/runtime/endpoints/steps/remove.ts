import type { Row } from '../../../expression/values/value.ts';
import type { Of, Step, StepContext } from './context.ts';

/** Remove: removes a row. */
export function compileRemove(step: Of<'remove'>, c: StepContext): Step {
  const resource = c.resource(step.resource);
  const slot = c.names.vars.indexOf(step.row);
  return function* remove({ work }) {
    yield* resource.remove(work, work.frame.vars[slot] as Row);
  };
}

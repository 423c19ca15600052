import type { Row } from '../../../expression/values/value.ts';
import { makeMove, mover } from '../../states/states.ts';
import type { Of, Step, StepContext } from './context.ts';

/** Move: makes a transition. */
export function compileMove(step: Of<'move'>, c: StepContext): Step {
  const resource = c.resource(step.resource);
  const one = mover(resource, step.by, c.expressions, c.errors);
  const slot = c.names.vars.indexOf(step.row);
  return function* move({ work }) {
    yield* makeMove(work, resource, one, work.frame.vars[slot] as Row);
  };
}

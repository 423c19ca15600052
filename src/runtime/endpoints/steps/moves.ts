import type { Row } from '../../../expression/values/value.ts';
import { addTo } from '../../../text/lists.ts';
import { evaluate } from '../../expressions/layout.ts';
import { type Mover, makeMove, mover } from '../../states/states.ts';
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

/**
 * Move to a state: makes the transition from the row's current state; without one, throws the refusal of a transition
 * to the state.
 */
export function compileMoveTo(step: Of<'move to'>, c: StepContext): Step {
  const resource = c.resource(step.resource);
  const to = c.expressions.compile(step.to, c.names);
  const leading = new Map<unknown, Mover[]>();
  for (const name of step.by) {
    const one = mover(resource, name, c.expressions, c.errors);
    addTo(leading, one.plan.to, one);
  }
  const slot = c.names.vars.indexOf(step.row);
  return function* moveTo({ work }) {
    const row = work.frame.vars[slot] as Row;
    const movers = leading.get(yield* evaluate(to, work.frame))!;
    const state = row[resource.state] as string;
    yield* makeMove(work, resource, movers.find((one) => one.plan.from.includes(state)) ?? movers[0]!, row);
  };
}

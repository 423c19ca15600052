import type { Row } from '../../../expression/values/value.ts';
import { addTo } from '../../../text/lists.ts';
import { evaluate } from '../../expressions/layout.ts';
import { type Mover, makeMove, mover } from '../../states/states.ts';
import type { Of, Step, StepContext } from './context.ts';
import { compileAssigned } from './writes.ts';

/** Move: makes a transition, with values of other fields in the same write. */
export function compileMove(step: Of<'move'>, c: StepContext): Step {
  const resource = c.resource(step.resource);
  const one = mover(resource, step.by, c.expressions, c.errors);
  const assigned = compileAssigned(step, c);
  const slot = c.names.vars.indexOf(step.row);
  return function* move(run) {
    yield* makeMove(run.work, resource, one, run.work.frame.vars[slot] as Row, assigned && (yield* assigned(run)));
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
  const assigned = compileAssigned(step, c);
  const slot = c.names.vars.indexOf(step.row);
  return function* moveTo(run) {
    const { work } = run;
    const row = work.frame.vars[slot] as Row;
    const movers = leading.get(yield* evaluate(to, work.frame))!;
    const one = movers.find(({ plan, state }) => plan.from.includes(row[state] as string)) ?? movers[0]!;
    yield* makeMove(work, resource, one, row, assigned && (yield* assigned(run)));
  };
}

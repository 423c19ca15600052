import type { Row } from '../../../expression/value.ts';
import { makeMove, mover } from '../../states/enforce.ts';
import type { Of, Step, StepContext } from './context.ts';
import { assignings, fillings, given } from './given.enforce.ts';

/** The verbs that change rows: Create, Change, Move, Remove. */

export function compileCreate(step: Of<'create'>, c: StepContext): Step {
  const resource = c.resource(step.resource);
  const fill = fillings(step.resource, step.request, c);
  const assign = assignings(step, c);
  const slot = c.names.vars.indexOf(step.as);
  return function* create(run) {
    const values = yield* given(run, fill, assign, c);
    run.work.frame.vars[slot] = yield* resource.create(run.work, values);
  };
}

export function compileChange(step: Of<'change'>, c: StepContext): Step {
  const resource = c.resource(step.resource);
  const fill = fillings(step.resource, step.request, c);
  const assign = assignings(step, c);
  const slot = c.names.vars.indexOf(step.row);
  return function* change(run) {
    const values = yield* given(run, fill, assign, c, !step.patch);
    yield* resource.change(run.work, run.work.frame.vars[slot] as Row, values);
  };
}

export function compileMove(step: Of<'move'>, c: StepContext): Step {
  const resource = c.resource(step.resource);
  const one = mover(resource, step.by, c.expressions, c.errors);
  const slot = c.names.vars.indexOf(step.row);
  return function* move({ work }) {
    yield* makeMove(work, resource, one, work.frame.vars[slot] as Row);
  };
}

export function compileRemove(step: Of<'remove'>, c: StepContext): Step {
  const resource = c.resource(step.resource);
  const slot = c.names.vars.indexOf(step.row);
  return function* remove({ work }) {
    yield* resource.remove(work, work.frame.vars[slot] as Row);
  };
}

import { type Of, type Step, type StepContext, slotOf } from './context.ts';
import { assignings, filling, given, mapFitter } from './given.ts';

/** Create: a new row. */
export function compileCreate(step: Of<'create'>, c: StepContext): Step {
  const resource = c.resource(step.resource);
  const fill = filling(step.resource, step.from, c);
  const assign = assignings(step, c);
  const fit = mapFitter(resource, fill, assign, c.errors);
  const slot = slotOf(step.as, c);
  return function* create(run) {
    const values = yield* given(run, fill, assign);
    fit(run.work, values);
    const row = yield* resource.create(run.work, values);
    if (slot >= 0) run.work.frame.vars[slot] = row;
  };
}

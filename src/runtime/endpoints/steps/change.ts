import type { Row } from '../../../expression/values/value.ts';
import type { Of, Step, StepContext } from './context.ts';
import { assignings, filling, given, mapFitter } from './given.ts';

/** Change: sets fields of a row. */
export function compileChange(step: Of<'change'>, c: StepContext): Step {
  const resource = c.resource(step.resource);
  const fill = filling(step.resource, step.from, c);
  const assign = assignings(step, c);
  const fit = mapFitter(resource, fill, assign, c.errors);
  const slot = c.names.vars.indexOf(step.row);
  return function* change(run) {
    const row = run.work.frame.vars[slot] as Row;
    const values = yield* given(run, fill, assign, { absent: !step.patch, row: step.patch ? row : null });
    fit(run.work, values);
    yield* resource.change(run.work, row, values);
  };
}

import type { Value } from '../../../expression/values/value.ts';
import { type Program, StoreError } from '../../../store/store.ts';
import type { RerunState } from '../../context/rerun-state.ts';
import type { Errors } from '../../errors/refusal.ts';
import { type Compiled, evaluate } from '../../expressions/layout.ts';
import type { HandlerResult, LoadedHandler } from '../handlers/handlers.ts';
import { HandlerError } from '../handlers/thread.ts';
import type { Of, Step, StepContext, StepRun } from './context.ts';

/** Run: a pure handler's result is available at once; a call of an outside handler is queued. */
export function compileRun(step: Of<'run'>, c: StepContext): Step {
  const handler = c.handlers.all.get(step.handler)!;
  const takes = handler.plan.takes.map((field): Compiled | null => {
    const given = step.with.find((one) => one.field === field.name);
    return given ? c.expressions.compile(given.value, c.names) : null;
  });
  for (const { field, value } of step.with)
    if (value.type.kind === 'string' && value.type.credential) handler.takesCredential(field);
  const identities = handler.plan.takes.map((field) => {
    const type = step.with.find((one) => one.field === field.name)?.value.type;
    return type?.kind === 'row' ? c.expressions.identity(type.resource) : null;
  });
  function* taken({ work }: StepRun): Program<string> {
    const values: Value[] = [];
    for (const [i, one] of takes.entries()) {
      const value = one ? ((yield* evaluate(one, work.frame)) as Value) : null;
      const identity = identities[i] ?? null;
      values.push(identity !== null && Array.isArray(value) ? (value[identity] as Value) : value);
    }
    return handler.written(values);
  }
  if (step.as === null)
    return function* queue(run) {
      yield* c.handlers.enqueue(handler, yield* taken(run), run.work.frame.now);
    };
  const slot = c.names.vars.indexOf(step.as);
  return function* compute(run) {
    const given = givenBy(handler, yield* taken(run), run.work.rerunState, c.errors);
    run.work.frame.vars[slot] = given as never;
  };
}

function givenBy(handler: LoadedHandler, takes: string, rerunState: RerunState, errors: Errors): readonly Value[] {
  const came = handler.computed(takes, rerunState);
  if ('error' in came) throw new StoreError('failed', came.error);
  let given: HandlerResult;
  try {
    given = handler.given(came.gives);
  } catch (error) {
    if (error instanceof HandlerError) throw new StoreError('failed', error.message);
    throw error;
  }
  if ('refused' in given) throw errors.code(given.refused);
  return given.values;
}

import { evaluate } from '../../expressions/layout.ts';
import type { CompileStep, Of, Step, StepContext } from './context.ts';

/** If: runs the steps of one branch. */
export function compileIf(step: Of<'if'>, c: StepContext, each: CompileStep): Step {
  const test = c.expressions.compile(step.test, c.names);
  const yes = step.then.map((one) => each(one, c));
  const no = step.else.map((one) => each(one, c));
  return function* either(run) {
    const taken = (yield* evaluate(test, run.work.frame)) === true ? yes : no;
    for (const one of taken) yield* one(run);
  };
}

import { evaluate } from '../../expressions/layout.ts';
import type { Of, Step, StepContext } from './context.ts';

/** Require: throws the refusal unless the condition holds. */
export function compileRequire(step: Of<'require'>, c: StepContext): Step {
  const test = c.expressions.compile(step.test, c.names);
  const refusal = c.errors.code(step.code);
  return function* require({ work: { frame } }) {
    if ((yield* evaluate(test, frame)) !== true) throw refusal;
  };
}

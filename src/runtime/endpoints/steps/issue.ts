import type { Row, Value } from '../../../expression/values/value.ts';
import { evaluate } from '../../expressions/layout.ts';
import type { Of, Step, StepContext } from './context.ts';

/** Issue: issues a credential of a scheme, returned only once. */
export function compileIssue(step: Of<'issue'>, c: StepContext): Step {
  const issue = c.issuers.issuer(step.scheme, step.scopes);
  const to = c.expressions.compile(step.to, c.names);
  const slot = c.names.vars.indexOf(step.as);
  return function* issued({ work: { frame } }) {
    const holder = (yield* evaluate(to, frame)) as Value | Row;
    frame.vars[slot] = (yield* issue(holder, frame.now)) as unknown as Row;
  };
}

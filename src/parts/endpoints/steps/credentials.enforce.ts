import type { Row, Value } from '../../../expression/value.ts';
import { evaluate } from '../../../serve/layout.ts';
import type { Of, Step, StepContext } from './context.ts';

/** Issue: a credential of a scheme, told once. */
export function compileIssue(step: Of<'issue'>, c: StepContext): Step {
  const issue = c.issuers.issuer(step.scheme, step.scopes);
  const to = c.expressions.compile(step.to, c.names);
  const slot = c.names.vars.indexOf(step.as);
  return function* issued({ work: { frame } }) {
    const holder = (yield* evaluate(to, frame)) as Value | Row;
    frame.vars[slot] = (yield* issue(holder, frame.now)) as unknown as Row;
  };
}

/** Revoke: all keys of a row, or the one that the request was sent with. */
export function compileRevoke(step: Of<'revoke'>, c: StepContext): Step {
  if (!step.of)
    return function* revokeSent({ x, work: { frame } }) {
      if (x.known?.keyId) yield* c.issuers.revoke(x.known.keyId, frame.now);
    };
  const revoke = c.issuers.revoker(step.scheme);
  const of = c.expressions.compile(step.of, c.names);
  return function* revokeEvery({ work: { frame } }) {
    yield* revoke((yield* evaluate(of, frame)) as Value | Row, frame.now);
  };
}

import type { Row, Value } from '../../../expression/values/value.ts';
import { evaluate } from '../../expressions/layout.ts';
import type { Of, Step, StepContext } from './context.ts';

/** Revoke: revokes all keys of a row, or the key of the request. */
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

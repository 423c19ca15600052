import { header } from '../../../http/headers.ts';
import { matchesEtag } from '../../../http/preconditions.ts';
import { evaluate } from '../../expressions/layout.ts';
import type { Of, Step, StepContext } from './context.ts';

/** Match: If-Match against the row’s entity tag (RFC 9110, section 13.1.1). */
export function compileMatch(step: Of<'match'>, c: StepContext): Step {
  const to = c.expressions.compile(step.to, c.names);
  const name = step.header.toLowerCase();
  return function* match({ x, work: { frame } }) {
    const sent = header(x.incoming.rawHeaders, name);
    if (sent === undefined) throw c.errors.condition('precondition missing');
    const tag = (yield* evaluate(to, frame)) as string;
    if (matchesEtag(sent, tag) !== true) throw c.errors.condition('precondition failed');
  };
}

import { evaluate } from '../../../serve/layout.ts';
import { header } from '../../../serve/wire/headers.ts';
import { matchesEtag } from '../../../serve/wire/preconditions.ts';
import type { Of, Step, StepContext } from './context.ts';

/** Require: stops the request unless it holds. */
export function compileRequire(step: Of<'require'>, c: StepContext): Step {
  const test = c.expressions.compile(step.test, c.names);
  const refusal = c.errors.code(step.code);
  return function* require({ work: { frame } }) {
    if ((yield* evaluate(test, frame)) !== true) throw refusal;
  };
}

/** If-Match against the row’s entity tag (RFC 9110, section 13.1.1). */
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

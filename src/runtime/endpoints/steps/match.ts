import { header } from '../../../http/headers.ts';
import { preconditionsHold, type Validators } from '../../../http/preconditions.ts';
import type { Program } from '../../../store/store.ts';
import { evaluate } from '../../expressions/layout.ts';
import type { Of, Step, StepContext, StepRun } from './context.ts';

/**
 * Match: evaluates If-Match against the row's entity tag, or that of the GET at this address (RFC 9110, section
 * 13.1.1).
 */
export function compileMatch(step: Of<'match'>, c: StepContext): Step {
  const current = step.of === null ? tagOf(step, c) : c.representation(step.of);
  const name = step.header.toLowerCase();
  return function* match(run) {
    const { rawHeaders } = run.x.incoming;
    if (header(rawHeaders, name) === undefined) throw c.errors.condition('precondition missing');
    const found = yield* current(run);
    if (!preconditionsHold((one) => header(rawHeaders, one), found)) throw c.errors.condition('precondition failed');
  };
}

function tagOf({ to }: Of<'match'>, c: StepContext): (run: StepRun) => Program<Validators> {
  const compiled = c.expressions.compile(to, c.names);
  return function* tag({ work: { frame } }) {
    return { tag: (yield* evaluate(compiled, frame)) as string, modified: null };
  };
}

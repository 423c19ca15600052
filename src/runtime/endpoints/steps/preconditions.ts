import { header } from '../../../http/headers.ts';
import { hasPrecondition, preconditionsHold } from '../../../http/preconditions.ts';
import type { Of, Step, StepContext } from './context.ts';

/** Evaluates the preconditions of a request that writes, or refuses every request that has any. */
export function compilePreconditions({ of }: Of<'preconditions'>, c: StepContext): Step {
  const current = of === null ? null : c.representation(of);
  return function* preconditions(run) {
    const sent = (name: string): string | undefined => header(run.x.incoming.rawHeaders, name);
    if (!hasPrecondition(sent)) return;
    if (!current || !preconditionsHold(sent, yield* current(run))) throw c.errors.condition('precondition failed');
  };
}

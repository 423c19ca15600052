import { header } from '../../../http/headers.ts';
import { hasPrecondition, preconditionsHold, type Validators } from '../../../http/preconditions.ts';
import type { Program } from '../../../store/store.ts';
import { evaluate } from '../../expressions/layout.ts';
import type { Of, Step, StepContext, StepRun } from './context.ts';

/** Require: throws the refusal unless the condition holds. */
export function compileRequire(step: Of<'require'>, c: StepContext): Step {
  const test = c.expressions.compile(step.test, c.names);
  const refusal = c.errors.code(step.code);
  return function* require({ work: { frame } }) {
    if ((yield* evaluate(test, frame)) !== true) throw refusal;
  };
}

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

/** Evaluates the preconditions of a request that writes, and may require one, or refuses every request that has any. */
export function compilePreconditions({ of, required }: Of<'preconditions'>, c: StepContext): Step {
  const current = of === null ? null : c.representation(of);
  return function* preconditions(run) {
    const sent = (name: string): string | undefined => header(run.x.incoming.rawHeaders, name);
    if (required && sent('if-match') === undefined) throw c.errors.condition('precondition missing');
    if (!hasPrecondition(sent)) return;
    if (!current || !preconditionsHold(sent, yield* current(run))) throw c.errors.condition('precondition failed');
  };
}

/** Throws the refusal that a parameter states for itself, after the rows of the other references have been found. */
export const compileRefuseParameters = (): Step => refuseParameters;

// biome-ignore lint/correctness/useYield: a step is a program even where it makes no call
function* refuseParameters({ x }: StepRun): Program<void> {
  if (x.refused) throw x.refused;
}

/** Throws the refusal of the body's faults, which the steps before did not need to know. */
export const compileValidate = (): Step => validate;

// biome-ignore lint/correctness/useYield: a step is a program even where it makes no call
function* validate({ x }: StepRun): Program<void> {
  if (x.bodyRefused) throw x.bodyRefused;
}

import type { Program } from '../../../store/store.ts';
import type { Step, StepRun } from './context.ts';

/** Throws the refusal that a parameter states for itself, after the rows of the other references have been found. */
export const compileRefuseParameters = (): Step => refuseParameters;

// biome-ignore lint/correctness/useYield: a step is a program even where it makes no call
function* refuseParameters({ x }: StepRun): Program<void> {
  if (x.refused) throw x.refused;
}

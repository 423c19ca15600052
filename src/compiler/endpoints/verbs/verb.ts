import type { AnswerStep, InsideStep } from '../../../plan/step.ts';
import type { Body, Step, StepEffects } from '../../statements/endpoints.ts';
import type { Checking, Of } from '../check/checking.ts';

/** Everything of one verb: what it does, what has to hold of it, and what will run. */
export interface VerbModule<V extends Step['verb']> {
  /** What a step does to rows and to names, as its text alone tells it. */
  does(said: Body<V>): StepEffects;
  /** Checks a step against those before it, and gives what will run; null where something of it isn't settled. */
  check(c: Checking, step: Of<V>, each: CheckEach): InsideStep | AnswerStep | null;
}

/** Checks steps in order; null where one of them isn't settled. */
export type CheckEach = (c: Checking, steps: readonly Step[]) => readonly InsideStep[] | null;

/** What a step does that changes nothing and names nothing, and needs nobody who asks. */
export const NOTHING: StepEffects = { writes: null, keeps: false, names: null, byRequest: false };

/** What a step does that makes a row, and may give it a name. */
export const makesRow = ({ as, resource }: Body<'Create' | 'Ensure'>): StepEffects => ({
  ...NOTHING,
  writes: { does: 'Create', resource: resource.text },
  names: as && { as: as.text, resource: resource.text },
});

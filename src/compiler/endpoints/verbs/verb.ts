import type { AnswerStep, InsideStep } from '../../../plan/step.ts';
import type { Body, Step, StepEffects } from '../../statements/endpoints.ts';
import type { Checking, Of } from '../check/checking.ts';

/** The definition of one verb: its effects, its checks and its plan. */
export interface VerbModule<V extends Step['verb']> {
  /** The effects of a step on rows and names, from its text alone. */
  does(said: Body<V>): StepEffects;
  /** Checks a step against the steps before it, and returns its plan; null while the step isn't settled. */
  check(c: Checking, step: Of<V>, each: CheckEach): InsideStep | AnswerStep | null;
}

/** Checks steps in order, and returns their plans; null while one of them isn't settled. */
export type CheckEach = (c: Checking, steps: readonly Step[]) => readonly InsideStep[] | null;

/** The effects of a step without writes and names, which needs no request. */
export const NOTHING: StepEffects = { writes: null, keeps: false, names: null, byRequest: false };

/** The effects of a step that creates a row and may name it. */
export const makesRow = ({ as, resource }: Body<'Create' | 'Ensure'>): StepEffects => ({
  ...NOTHING,
  writes: { does: 'Create', resource: resource.text },
  names: as && { as: as.text, resource: resource.text },
});

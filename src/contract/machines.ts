import type { ResourceContract, StatesContract, TransitionContract } from './contract.ts';

type Stating = Pick<ResourceContract, 'states' | 'furtherStates'>;

/** The fields of a resource with states, in the order of the document. */
export const machinesOf = ({ states, furtherStates = [] }: Stating): readonly StatesContract[] =>
  states ? [states, ...furtherStates] : [];

/** The transitions of all fields of a resource. */
export const transitionsIn = (resource: Stating): readonly TransitionContract[] =>
  machinesOf(resource).flatMap(({ transitions }) => transitions);

/** The members of a contract that hold the fields with states. */
export function heldStates([states, ...furtherStates]: readonly StatesContract[]): Stating {
  if (!states) return { states: null };
  return furtherStates.length === 0 ? { states } : { states, furtherStates };
}

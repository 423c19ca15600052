import type { Effective } from '../endpoints/effective.ts';
import { everyStep, NO_SETTINGS } from '../endpoints/statements.ts';
import type { Machine, Reaction } from './statements.ts';

/** What follows a transition, as steps are checked and planned: like an endpoint without a request. */
export function reactionOf(machine: Machine, reaction: Reaction): Effective {
  const name = `After ${machine.resource.text} ${reaction.transition.text}`;
  const { steps, span } = reaction;
  const endpoint = { name, method: '', path: '', settings: NO_SETTINGS, parameters: [], steps, span };
  return { endpoint, settings: NO_SETTINGS, steps, every: [...everyStep(steps)], parameters: [] };
}

import { everyStep, type Handler, type HandlerSteps, NO_SETTINGS } from '../statements/endpoints.ts';
import type { Machine, Reaction } from '../statements/states.ts';
import type { Effective } from './effective.ts';
import type { Resolved } from './resolve.ts';

/** Steps, wherever they stand, with the rows that already have a name there. */
interface StepList {
  readonly one: Effective;
  readonly rows: ReadonlyMap<string, string>;
  /** True for what nobody asks for: what follows a transition or a handler. */
  readonly background: boolean;
}

/** All steps of a document: those of endpoints, and those that follow transitions and handlers. */
export function allSteps(r: Resolved): readonly StepList[] {
  const none = new Map<string, string>();
  const reactions = r.model.states.machines.flatMap((machine) =>
    machine.reactions.map((reaction) => ({
      one: reactionOf(machine, reaction),
      rows: new Map([['moved', machine.resource.text]]),
      background: true,
    })),
  );
  const handlers = r.model.endpoints.handlers.flatMap((handler) => [
    ...(handler.answers ? [heldAs(handler, handler.answers, 'answers')] : []),
    ...(handler.failing ? [heldAs(handler, handler.failing, 'fails')] : []),
  ]);
  const handlerSteps = handlers.map((one) => ({ one, rows: none, background: true }));
  return [...r.effective.map((one) => ({ one, rows: none, background: false })), ...reactions, ...handlerSteps];
}

/** What follows a transition, as steps are checked and planned: like an endpoint without a request. */
export function reactionOf(machine: Machine, reaction: Reaction): Effective {
  const name = `After ${machine.resource.text} ${reaction.transition.text}`;
  const { steps, span } = reaction;
  const endpoint = { name, method: '', path: '', settings: NO_SETTINGS, parameters: [], steps, span };
  return { endpoint, settings: NO_SETTINGS, steps, every: [...everyStep(steps)], parameters: [] };
}

/** What follows a handler, as steps are checked and planned: like an endpoint without a request. */
export function heldAs(handler: Handler, held: HandlerSteps, when: 'answers' | 'fails'): Effective {
  const { steps, span } = held;
  const name = `When ${handler.name.text} ${when}`;
  const endpoint = { name, method: '', path: '', settings: NO_SETTINGS, parameters: [], steps, span };
  return { endpoint, settings: NO_SETTINGS, steps, every: [...everyStep(steps)], parameters: [] };
}

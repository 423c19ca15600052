import { everyStep, type Handler, type HandlerSteps, NO_SETTINGS, type Schedule } from '../statements/endpoints.ts';
import { type Machine, namesOf, type Reaction } from '../statements/states.ts';
import type { Effective } from './effective.ts';
import type { Resolved } from './resolve.ts';

/** A list of steps, with the resources of the rows that have a name before the first step. */
interface StepList {
  readonly one: Effective;
  readonly rows: ReadonlyMap<string, string>;
  /** True for steps that no request runs: those after a transition or a handler, and those of a schedule. */
  readonly background: boolean;
}

/** All steps of a document: those of endpoints, those that follow transitions and handlers, and those of schedules. */
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
  const schedules = r.model.endpoints.schedules.map((one) => ({ one: runOf(one), rows: none, background: true }));
  const asked = r.effective.map((one) => ({ one, rows: none, background: false }));
  return [...asked, ...reactions, ...handlerSteps, ...schedules];
}

/** The steps after a transition, as an endpoint without a request: so they are checked and planned like others. */
export function reactionOf(machine: Machine, reaction: Reaction): Effective {
  const name = `After ${machine.resource.text} ${namesOf(reaction)}`;
  const { steps, span } = reaction;
  const endpoint = { name, method: '', path: '', settings: NO_SETTINGS, parameters: [], steps, span };
  return { endpoint, settings: NO_SETTINGS, steps, every: [...everyStep(steps)], parameters: [] };
}

/** The steps after a handler, as an endpoint without a request: so they are checked and planned like others. */
export function heldAs(handler: Handler, held: HandlerSteps, when: 'answers' | 'fails'): Effective {
  const { steps, span } = held;
  const name = `When ${handler.name.text} ${when}`;
  const endpoint = { name, method: '', path: '', settings: NO_SETTINGS, parameters: [], steps, span };
  return { endpoint, settings: NO_SETTINGS, steps, every: [...everyStep(steps)], parameters: [] };
}

/** The steps of a schedule, as an endpoint without a request: so they are checked and planned like others. */
export function runOf({ name, steps, span }: Schedule): Effective {
  const endpoint = {
    name: `Schedule ${name.text}`,
    method: '',
    path: '',
    settings: NO_SETTINGS,
    parameters: [],
    steps,
    span,
  };
  return { endpoint, settings: NO_SETTINGS, steps, every: [...everyStep(steps)], parameters: [] };
}

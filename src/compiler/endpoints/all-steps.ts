import type { Resolved } from '../document/resolve.ts';
import { reactionOf } from '../states/reaction.ts';
import type { Effective } from './effective.ts';
import { allHandlerSteps } from './handlers/check.ts';

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
  const handlerSteps = allHandlerSteps(r).map((one) => ({ one, rows: none, background: true }));
  return [...r.effective.map((one) => ({ one, rows: none, background: false })), ...reactions, ...handlerSteps];
}

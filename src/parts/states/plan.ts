import type { Resolved } from '../../model/resolve.ts';
import type { ResourcePlan, TransitionPlan } from '../../plan/step.ts';
import type { LineOf } from '../endpoints/plan.ts';
import { planSteps } from '../endpoints/plansteps.ts';
import type { Machine, When } from './model.ts';
import { reactionOf } from './reactions.ts';

/** The states of a resource's field, with each transition's guard, refusal and time. */
export function planStates(r: Resolved, resource: string, line: LineOf): ResourcePlan['states'] {
  const machine = r.machine(resource);
  if (!machine) return null;
  return {
    field: machine.field.text,
    initial: machine.initial!.text,
    transitions: machine.transitions.map((transition) => {
      const when = transition.when!.value;
      const otherwise = transition.otherwise!.value;
      return {
        name: transition.name.text,
        from: transition.from.map((from) => from.text),
        to: transition.to!.text,
        guard: when.kind === 'guard' ? r.expr(when.test) : null,
        code: otherwise === 'none' ? null : otherwise.text,
        timed: planTime(r, when),
        then: planReaction(r, machine, transition.name.text, line),
      };
    }),
  };
}

function planTime(r: Resolved, when: When): TransitionPlan['timed'] {
  if (when.kind === 'after') return { after: when.milliseconds, instant: r.expr(when.instant), move: null };
  return when.kind === 'after move' ? { after: when.milliseconds, instant: null, move: when.by.text } : null;
}

/** What follows a transition. */
function planReaction(r: Resolved, machine: Machine, name: string, line: LineOf): TransitionPlan['then'] {
  const reaction = machine.reactions.find((one) => one.transition.text === name);
  if (!reaction) return [];
  const one = reactionOf(machine, reaction);
  const rowsOf = new Map([['moved', machine.resource.text]]);
  return r.within(one.endpoint.name, () => planSteps(reaction.steps, { r, one, rowsOf, line }));
}

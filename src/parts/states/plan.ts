import type { Resolved } from '../../model/resolve.ts';
import type { ResourcePlan } from '../../plan/step.ts';

/** The states of a resource's field, with each transition's guard, refusal and time. */
export function planStates(r: Resolved, resource: string): ResourcePlan['states'] {
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
        timed: when.kind === 'after' ? { after: when.milliseconds, instant: r.expr(when.instant) } : null,
      };
    }),
  };
}

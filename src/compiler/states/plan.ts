import type { When } from '../../language/states.ts';
import type { InsideStep, MachinePlan, TransitionPlan } from '../../plan/step.ts';
import type { Resolved } from '../document/resolve.ts';
import { settled, settledList, withStated } from '../document/settled.ts';
import type { Machine, Transition } from '../statements/states.ts';
import { endOf } from './calendar.ts';

/**
 * The states of a resource's field, with the guard, refusal, time and reaction of each transition; undefined while
 * unsettled.
 */
export function planStates(
  r: Resolved,
  machine: Machine,
  follows: ReadonlyMap<string, readonly InsideStep[] | null>,
): MachinePlan | undefined {
  const { field, initial } = machine;
  const transitions = settledList(
    machine.transitions.map((one) => planTransition(r, machine.resource.text, one, follows.get(one.name.text) ?? [])),
  );
  const settled = [...follows.values()].every((steps) => steps !== null);
  return initial && transitions && settled ? { field: field.text, initial: initial.text, transitions } : undefined;
}

function planTransition(
  r: Resolved,
  resource: string,
  said: Transition,
  then: TransitionPlan['then'],
): TransitionPlan | undefined {
  const transition = withStated(said, 'when', 'otherwise', 'to');
  if (!transition) return undefined;
  const when = transition.when.value;
  const otherwise = transition.otherwise.value;
  return settled<TransitionPlan>({
    name: transition.name.text,
    from: transition.from.map((from) => from.text),
    to: transition.to.text,
    guard: when.kind === 'guard' ? r.expr(when.test) : null,
    code: otherwise === 'none' ? null : otherwise.text,
    timed: planTime(r, resource, when),
    then,
  });
}

function planTime(r: Resolved, resource: string, when: When): TransitionPlan['timed'] | undefined {
  if (when.kind === 'after') {
    const isCalendar = 'months' in when;
    const instant = isCalendar ? endOf(r, resource, when) : r.expr(when.instant);
    return instant && { after: isCalendar ? 0 : when.milliseconds, instant, move: null };
  }
  return when.kind === 'after move' ? { after: when.milliseconds, instant: null, move: when.by.text } : null;
}

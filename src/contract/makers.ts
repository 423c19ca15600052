import { transitionsIn } from '../plan/machines.ts';
import { allNested } from '../plan/nested-steps.ts';
import type { InsideStep } from '../plan/step.ts';
import { addTo } from '../text/lists.ts';
import type { TransitionContract } from './contract.ts';
import type { PlanReader } from './plan-reader.ts';

export type Maker = TransitionContract['madeBy'][number];

/**
 * The origins of what steps make, by its key: endpoints, steps after a transition, the answers and failures of handlers,
 * and schedules. `keysOf`: the keys of what a step makes.
 */
export function makersOf(
  r: PlanReader,
  keysOf: (step: InsideStep) => readonly string[],
): ReadonlyMap<string, readonly Maker[]> {
  const { endpoints, resources, handlers, schedules = [] } = r.plan;
  const makers = new Map<string, Maker[]>();
  const made = (kind: Maker['kind'], name: string, steps: readonly InsideStep[]): void => {
    const lines = new Map<string, Array<number | null>>();
    for (const step of allNested(steps)) for (const key of new Set(keysOf(step))) addTo(lines, key, step.line);
    for (const [key, of] of lines) addTo(makers, key, { kind, name, lines: r.lines(...of) });
  };
  for (const one of endpoints) made('endpoint', one.name, one.inside);
  for (const one of resources)
    for (const each of transitionsIn(one.machines)) made('transition', `${one.name}.${each.name}`, each.then);
  for (const one of handlers) made('handler', one.name, [...one.answers, ...one.failing]);
  for (const one of schedules) made('schedule', one.name, one.steps);
  return makers;
}

import type { EndpointContract } from '../../contract/endpoint.ts';
import { named } from '../../plan/named.ts';
import { allNested } from '../../plan/nested-steps.ts';
import { effectOf, resourceOf, valuesOf } from '../../plan/slots.ts';
import type { EndpointPlan, InsideStep, Plan } from '../../plan/step.ts';

/**
 * Sorts endpoints that remove rows behind others, and those that remove rows of most resources last: removed rows
 * cannot be tested any more.
 */
export function byRemoval(plan: Plan): (one: EndpointContract | null, other: EndpointContract | null) => number {
  const removed = new Map(plan.endpoints.map((one) => [one.name, removedBy(plan, one)]));
  const countOf = (endpoint: EndpointContract | null): number => (endpoint && removed.get(endpoint.name)) ?? 0;
  return (one, other) => countOf(one) - countOf(other);
}

/**
 * The number of resources of which an endpoint removes rows, also indirectly; one more where it may remove many rows.
 */
function removedBy({ resources }: Plan, { inside }: EndpointPlan): number {
  const steps = removing(inside);
  const all = new Set(steps.flatMap((step) => resourceOf(step) ?? []));
  for (const name of all) for (const one of named(resources, name).takes) all.add(one.resource);
  return all.size + (steps.some((step) => valuesOf(step, 'row').length === 0) ? 1 : 0);
}

/** Whether an endpoint removes rows by a step of its own. */
export const removesRows = ({ inside }: Pick<EndpointPlan, 'inside'>): boolean => removing(inside).length > 0;

const removing = (inside: readonly InsideStep[]): InsideStep[] =>
  [...allNested(inside)].filter((step) => effectOf(step) === 'removes');

import type { EndpointPlan } from './step.ts';

/** The header of the idempotency key; null where the endpoint has none. */
export function keyHeaderOf({ before }: EndpointPlan): string | null {
  const claim = before.find((step) => step.do === 'claim key');
  return claim?.header ?? null;
}

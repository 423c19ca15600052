import type { EndpointPlan } from './step.ts';

/** The header with the idempotency key of a request; null where the endpoint takes none. */
export function keyHeaderOf({ before }: EndpointPlan): string | null {
  const claim = before.find((step) => step.do === 'claim key');
  return claim?.header ?? null;
}

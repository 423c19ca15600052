import type { EndpointContract } from '../../contract/endpoint.ts';
import type { Candidate } from './candidate.ts';
import type { Random } from './random.ts';

/** An idempotency key that nobody has used. */
export const newKey = (random: Random): string => `key-${random.text('abcdefghijklmnopqrstuvwxyz0123456789', 12)}`;

/** A request that is not taken for one that was sent before: with a key of its own, where it has one. */
export function renewed(one: Candidate, { idempotency }: EndpointContract, random: Random): Candidate {
  if (!idempotency) return one;
  const name = idempotency.header.toLowerCase();
  const headers = one.request.headers.map(
    ([header, value]) => [header, header.toLowerCase() === name ? newKey(random) : value] as const,
  );
  return { ...one, request: { ...one.request, headers } };
}

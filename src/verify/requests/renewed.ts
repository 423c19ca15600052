import type { EndpointContract } from '../../contract/endpoint.ts';
import type { Request } from '../target/exchange.ts';
import type { Random } from './random.ts';

/** An unused idempotency key. */
export const newKey = (random: Random): string => `key-${random.text('abcdefghijklmnopqrstuvwxyz0123456789', 12)}`;

/** A copy of a request that does not count as a repetition: it has a new idempotency key, if it has one. */
export function renewed<T extends { readonly request: Request }>(
  one: T,
  { idempotency }: Pick<EndpointContract, 'idempotency'>,
  random: Random,
): T {
  if (!idempotency) return one;
  return { ...one, request: withOtherKey(one.request, idempotency.header, () => newKey(random)) };
}

/** A request with another idempotency key, made from its own; the same request where it has none. */
export function withOtherKey(request: Request, header: string, keyOf: (key: string) => string): Request {
  const isKey = (name: string): boolean => name.toLowerCase() === header.toLowerCase();
  return { ...request, headers: request.headers.map(([name, value]) => [name, isKey(name) ? keyOf(value) : value]) };
}

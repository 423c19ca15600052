import { argumentsOf, type Served } from './announce.ts';
import type { Admissions, Gate } from './gate.ts';
import type { OrderLifecycle } from './lifecycle.ts';
import type { OrderService } from './service.ts';

/** A value that is there, or comes. */
export type Eventually<T> = T | Promise<T>;

/** The same methods, of which each may also give its value later. */
type Later<T, Names extends keyof T> = {
  readonly [Name in Names]: T[Name] extends (...args: infer A) => infer R
    ? (...args: A) => Eventually<Awaited<R>>
    : never;
};

/** The orders on any store. */
export interface AnyOrders extends Served {
  readonly gate: Admissions & Later<Gate, 'admit'>;
  readonly service: Later<OrderService, 'read' | 'list' | 'create' | 'place'>;
  /** Null on PostgreSQL: the bench does not measure these endpoints. */
  readonly lifecycle: OrderLifecycle | null;
  readonly strict: boolean;
}

/** Opens the orders in what `--data` names, a directory or the address of a database; no other store is loaded. */
export async function openAnyOrders(): Promise<AnyOrders> {
  const { data } = argumentsOf();
  if (!data.startsWith('postgres://')) return (await import('./start.ts')).openOrders();
  return (await import('./postgres/start.ts')).openPostgresOrders(data);
}

/** Goes on with a value: at once where it is there, so that a store that answers at once waits for no turn. */
export const followed = <T, R>(value: Eventually<T>, next: (value: T) => R): Eventually<R> =>
  value instanceof Promise ? value.then(next) : next(value);

import type { Expr } from '../../expression/tree/expression.ts';
import { BOOLEAN } from '../../expression/tree/types.ts';
import type { OrderPlan } from '../../plan/inside-step.ts';
import type { ResourcePlan } from '../../plan/step.ts';
import { fieldsOfOtherTypes, near } from './conditions.ts';

/**
 * Alterations of an order: the opposite direction, and other sort keys that an implementation may confuse with the
 * stated one.
 */
export function* orders(order: OrderPlan | null, resources: readonly ResourcePlan[]): Generator<OrderPlan> {
  if (!order) return;
  if ('by' in order) {
    yield { ...order, descending: !order.descending };
    for (const by of others(order.by, resources)) yield { ...order, by };
    return;
  }
  yield { ...order, direction: turned(order.direction) };
  for (const [i, key] of order.keys.entries())
    for (const by of others(key.by, resources)) yield { ...order, keys: order.keys.with(i, { ...key, by }) };
}

const others = (by: Expr, resources: readonly ResourcePlan[]): readonly Expr[] => [
  ...near(by, resources),
  ...fieldsOfOtherTypes(by, resources),
];

/** The other of two directions. */
function turned(direction: Expr): Expr {
  const is = (value: string): Expr => ({ op: 'const', value, type: direction.type });
  const test: Expr = { op: 'call', fn: '==', args: [direction, is('asc')], type: BOOLEAN };
  return { op: 'if', test, then: is('desc'), else: is('asc'), type: direction.type };
}

import type { Expr } from '../../expression/tree/expression.ts';
import { BOOLEAN } from '../../expression/tree/types.ts';
import type { OrderPlan } from '../../plan/inside-step.ts';
import type { ResourcePlan } from '../../plan/step.ts';
import { fieldsOfOtherTypes, near } from './conditions.ts';

/** Rows in another order than one: the opposite, and by what else they have, which whoever writes a list anew may take for it. */
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

import type { Expr } from '../expression/expr.ts';
import type { InsideStep, OrderPlan } from './step.ts';

/** Each step inside the transaction and every step nested in it, in the order in which they stand. */
export function* everyInside(steps: readonly InsideStep[]): Generator<InsideStep> {
  for (const step of steps) {
    yield step;
    for (const held of heldBy(step)) yield* everyInside(held);
  }
}

/** The lists of steps that a step holds. */
export function heldBy(step: InsideStep): ReadonlyArray<readonly InsideStep[]> {
  if (step.do === 'if') return [step.then, step.else];
  return step.do === 'for each' ? [step.steps] : [];
}

/** What an order can put rows in order by. */
export function orderKeys(order: OrderPlan): readonly Expr[] {
  return 'by' in order ? [order.by] : order.keys.map((key) => key.by);
}

/** True if a step, or any nested in one, hands out a credential. */
export function issues(steps: readonly InsideStep[]): boolean {
  for (const step of everyInside(steps)) if (step.do === 'issue') return true;
  return false;
}

/** The steps that change rows, or who may call. */
const WRITES: ReadonlyArray<InsideStep['do']> = [
  'create',
  'ensure',
  'change',
  'move',
  'move to',
  'remove',
  'remove every',
  'revoke',
];

/** True if the steps, or any nested in them, change rows. */
export function writes(steps: readonly InsideStep[]): boolean {
  for (const step of everyInside(steps))
    if (WRITES.includes(step.do) || (step.do === 'run' && step.as === null) || (step.do === 'issue' && step.kept))
      return true;
  return false;
}

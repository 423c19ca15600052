import { possibleTexts } from '../../../expression/tree/always.ts';
import { type Expr, show } from '../../../expression/tree/expression.ts';
import type { Frame } from '../../../expression/values/value.ts';
import type { OrderPlan } from '../../../plan/step.ts';
import type { StepContext } from './context.ts';

/** One order that rows can be put in, as the store computes it. */
export interface Ordered {
  readonly by: Expr;
  readonly descending: boolean;
  /** The order as a text for cursors: its expression, type and direction. */
  readonly text: string;
}

/** The orders of a step, and the selection of one by the request. */
interface Ordering {
  readonly each: readonly Ordered[];
  readonly pick: (frame: Frame) => number;
}

/** Compiles an order; where the request chooses it, one for each key and direction. */
export function ordering(order: OrderPlan, c: StepContext): Ordering {
  if ('by' in order) return { each: [ordered(order.by, order.descending, c)], pick: () => 0 };
  const directions = [...new Set(possibleTexts(order.direction))];
  const each = order.keys.flatMap(({ by }) => directions.map((one) => ordered(by, one === 'desc', c)));
  const direction = c.expressions.plain(order.direction, c.names);
  const sorted = order.sorted && c.expressions.plain(order.sorted, c.names);
  const places = new Map<unknown, number>(order.keys.map((key, i) => [key.name, i * directions.length]));
  return {
    each,
    pick: (frame) => (sorted ? places.get(sorted(frame))! : 0) + directions.indexOf(direction(frame) as string),
  };
}

function ordered(by: Expr, descending: boolean, c: StepContext): Ordered {
  const lowered = c.expressions.lowering().lower(by);
  // Every row has a position: those without a result come first.
  const placed: Expr = { op: 'call', fn: 'or lowest', args: [lowered], type: lowered.type };
  return {
    by: c.expressions.results.lacks(lowered) ? placed : lowered,
    descending,
    text: `${show(by)} ${typed(by)} ${descending}`,
  };
}

/**
 * Returns the type of an order's values, as text. The scale of a decimal is part of it, since decimals are stored as
 * whole numbers of their last digit.
 */
function typed({ type }: Expr): string {
  return type.kind === 'decimal' ? `decimal ${type.scale}` : type.kind;
}

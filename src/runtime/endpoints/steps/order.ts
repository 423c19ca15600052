import { possibleTexts } from '../../../expression/tree/always.ts';
import { type Expr, show } from '../../../expression/tree/expression.ts';
import type { Frame } from '../../../expression/values/value.ts';
import { sortKeys } from '../../../plan/nested-steps.ts';
import type { OrderKey, OrderPlan } from '../../../plan/step.ts';
import type { RowOrder } from '../../../store/store.ts';
import type { StepContext } from './context.ts';

/** One order that rows can be put in, as the store computes it. */
export interface Ordered extends RowOrder {
  /** The order as a text for cursors: its expressions, types and directions. */
  readonly text: string;
}

/** The orders of a step, and the selection of one by the request. */
interface Ordering {
  readonly each: readonly Ordered[];
  readonly pick: (frame: Frame) => number;
}

/** Compiles an order; where the request chooses it, one for each name and direction. */
export function ordering(order: OrderPlan, c: StepContext): Ordering {
  if ('by' in order) return { each: [ordered(sortKeys(order, 0, order.descending), c)], pick: () => 0 };
  const directions = [...new Set(possibleTexts(order.direction))];
  const each = order.keys.flatMap((_, at) => directions.map((one) => ordered(sortKeys(order, at, one === 'desc'), c)));
  const direction = c.expressions.plain(order.direction, c.names);
  const sorted = order.sorted && c.expressions.plain(order.sorted, c.names);
  const places = new Map<unknown, number>(order.keys.map((key, i) => [key.name, i * directions.length]));
  return {
    each,
    pick: (frame) => (sorted ? places.get(sorted(frame))! : 0) + directions.indexOf(direction(frame) as string),
  };
}

/**
 * The order of rows that a query without words matches: all of them have 0 points, so that an index of the further keys
 * has their order.
 */
export function withoutPoints(order: Ordered): Ordered {
  const [first, ...further] = order.keys;
  return first && isPoints(first.by) ? { ...order, keys: further } : order;
}

const isPoints = (by: Expr): boolean => by.op === 'call' && by.fn === 'points';

function ordered(keys: readonly OrderKey[], c: StepContext): Ordered {
  return {
    keys: keys.map((key) => ({ ...key, by: placed(key.by, c) })),
    descending: keys.at(-1)!.descending,
    text: keys.map(keyText).join(' then '),
  };
}

/** A sort key as the store computes it. Every row has a position: rows without a result come first, or with the nulls. */
function placed(by: Expr, c: StepContext): Expr {
  const lowered = c.expressions.lowering().lower(by);
  if (lowered.type.nullable || !c.expressions.results.lacks(lowered)) return lowered;
  return { op: 'call', fn: 'or lowest', args: [lowered], type: lowered.type };
}

const keyText = ({ by, descending, nulls }: OrderKey): string =>
  `${show(by)} ${typed(by)} ${descending}${nulls ? ` nulls ${nulls}` : ''}`;

/**
 * Returns the type of an order's values, as text. The scale of a decimal is part of it, since decimals are stored as
 * whole numbers of their last digit.
 */
function typed({ type }: Expr): string {
  return type.kind === 'decimal' ? `decimal ${type.scale}` : type.kind;
}

import { type Expr, mapParts } from '../expression/tree/expression.ts';
import { BOOLEAN, rowOf, STRING } from '../expression/tree/types.ts';
import type { ResourcePlan } from './rows.ts';
import type { ReceiversPlan } from './step.ts';

/**
 * The condition under which a payload shows a row of a resource to a receiver that is a row: what `Hears of` says, with
 * the row as `this` and the receiver as `caller`. Null where every receiver is shown every row. Rows of which `Hears of`
 * says nothing are shown to none.
 */
export function visibleToReceivers(receivers: ReceiversPlan, { name, visible }: ResourcePlan): Expr | null {
  if (visible === null) return null;
  const heard = receivers.hears.find((one) => one.name === name);
  if (!heard) return { op: 'const', value: false, type: BOOLEAN };
  if (!heard.where) return null;
  const names = new Map<string, Name>([
    ['this', { op: 'name', name: 'caller', type: rowOf(receivers.resource) }],
    ['about', { op: 'name', name: 'this', type: rowOf(name) }],
  ]);
  return renamed(heard.where, names);
}

type Name = Extract<Expr, { op: 'name' }>;

/** An expression with other names. A macro may bind any name, so each binds one that stands nowhere else. */
function renamed(expr: Expr, names: ReadonlyMap<string, Name>): Expr {
  if (expr.op === 'name') return names.get(expr.name) ?? expr;
  if (expr.op !== 'each') return mapParts(expr, (part) => renamed(part, names));
  const name = `${expr.name} item`;
  const type = expr.list.type.kind === 'list' ? expr.list.type.of : STRING;
  const body = renamed(expr.body, new Map(names).set(expr.name, { op: 'name', name, type }));
  return { ...expr, list: renamed(expr.list, names), name, body };
}

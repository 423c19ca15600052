import { type Expr, mapParts } from '../expression/tree/expression.ts';
import { BOOLEAN, rowOf, STRING } from '../expression/tree/types.ts';
import type { ResourcePlan } from './rows.ts';
import type { ReceiversPlan } from './step.ts';

/**
 * The condition under which a receiver that is a row sees a row of a resource in payloads: that of `Hears of`, with the
 * row as `this` and the receiver as `caller`. Null where receivers see all rows. Without an entry in `Hears of`,
 * receivers see no rows of the resource.
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

/** Renames names in an expression. Names that macros bind are replaced by unique ones, since they could collide. */
function renamed(expr: Expr, names: ReadonlyMap<string, Name>): Expr {
  if (expr.op === 'name') return names.get(expr.name) ?? expr;
  if (expr.op !== 'each') return mapParts(expr, (part) => renamed(part, names));
  const name = `${expr.name} item`;
  const type = expr.list.type.kind === 'list' ? expr.list.type.of : STRING;
  const body = renamed(expr.body, new Map(names).set(expr.name, { op: 'name', name, type }));
  return { ...expr, list: renamed(expr.list, names), name, body };
}

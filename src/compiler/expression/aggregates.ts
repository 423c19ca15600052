import { type Expr, type Fn, type Macro, parts, some } from '../../expression/tree/expression.ts';

/** The functions and macros that make one value of rows. */
const FUNCTIONS: readonly Fn[] = ['size', 'sum', 'min', 'max'];
const MACROS: readonly Macro[] = ['exists', 'all', 'exists_one'];

const isOfGroup = (expr: Expr): boolean => expr.op === 'rows' && expr.among === 'group';

/**
 * The reason why an expression does not aggregate the rows of a group, for a message; null if it does, or reads no group.
 * A statement that makes groups can return aggregates of their rows alone.
 */
export function notAggregated(expr: Expr): string | null {
  const list = aggregated(expr);
  if (list) {
    const bodies = bodiesOf(expr);
    const nested = bodies.some((body) => some(body, isOfGroup));
    return nested ? NESTED : null;
  }
  if (isOfGroup(expr)) return BARE;
  if (expr.op === 'each' && some(expr.body, isOfGroup)) return NESTED;
  for (const part of parts(expr)) {
    const fault = notAggregated(part);
    if (fault !== null) return fault;
  }
  return null;
}

const BARE =
  '“rows” are the rows of a group, and a member of the group is an aggregate of them: rows.size(), rows.filter(r, …).size(), rows.map(r, …).sum(), .min() or .max(), rows.exists(r, …), rows.all(r, …), rows.exists_one(r, …)';
const NESTED = '“rows” cannot be used inside a macro: one aggregate cannot contain another';

/** The rows that an expression aggregates, if they are of a group; else null. */
function aggregated(expr: Expr): Expr | null {
  const [of] = expr.op === 'call' && FUNCTIONS.includes(expr.fn) && expr.args.length === 1 ? expr.args : [];
  if (of) return chained(of);
  return expr.op === 'each' && MACROS.includes(expr.macro) ? chained(expr.list) : null;
}

/** The rows at the beginning of a chain of `filter` and `map`; null where there are none. */
function chained(list: Expr): Expr | null {
  if (isOfGroup(list)) return list;
  return list.op === 'each' && (list.macro === 'filter' || list.macro === 'map') ? chained(list.list) : null;
}

/** The bodies of the macros in a chain. */
function bodiesOf(expr: Expr): Expr[] {
  if (expr.op === 'call') return expr.args.flatMap(bodiesOf);
  return expr.op === 'each' ? [expr.body, ...bodiesOf(expr.list)] : [];
}

import { EVERY, type Expr, type Fn, type Macro, parts, ROWS, some } from '../../expression/tree/expression.ts';

/** The functions and macros that make one value of rows. */
const FUNCTIONS: readonly Fn[] = ['size', 'sum', 'min', 'max'];
const MACROS: readonly Macro[] = ['exists', 'all', 'exists_one'];

type Rows = Extract<Expr, { op: 'rows' }>;

const isOfGroup = (expr: Expr): boolean => expr.op === 'rows' && expr.among === 'group';

/**
 * The reason why an expression does not aggregate the rows of a group, or every row of a resource, for a message; null if
 * it does, or has no such rows. A statement that makes groups can return aggregates of their rows alone, and rows that
 * the caller may not see are only counted.
 */
export function notAggregated(expr: Expr): string | null {
  const rows = aggregated(expr);
  if (rows) {
    const bodies = bodiesOf(expr);
    if (rows.among === 'every') return tellsText(expr) ? TEXT : first(bodies);
    return bodies.some((body) => some(body, isOfGroup)) ? NESTED : first(bodies);
  }
  if (expr.op === 'rows' && expr.among === 'group') return `“${ROWS}” are the rows of a group. ${only(ROWS)}`;
  if (expr.op === 'rows' && expr.among === 'every')
    return `${EVERY}() gives no rows. ${only(`${EVERY}(${expr.resource})`)}`;
  if (expr.op === 'each' && some(expr.body, isOfGroup)) return NESTED;
  return first(parts(expr));
}

function first(all: readonly Expr[]): string | null {
  for (const one of all) {
    const fault = notAggregated(one);
    if (fault !== null) return fault;
  }
  return null;
}

/** Whether an aggregate of a group of rows, some of which the caller may not see, returns text of one of them. */
export const tellsTextOfGroup = (expr: Expr): boolean =>
  some(expr, (part) => aggregated(part)?.among === 'group' && tellsText(part));

const tellsText = ({ type }: Expr): boolean => type.kind === 'string';

const only = (rows: string): string =>
  `Only aggregates of them are values: ${rows}.size(), ${rows}.filter(r, …).size(), ${rows}.map(r, …).sum(), .min() or .max(), ${rows}.exists(r, …), ${rows}.all(r, …), ${rows}.exists_one(r, …)`;
const NESTED = `“${ROWS}” cannot be used inside a macro: one aggregate cannot contain another`;
export const TEXT =
  'min() and max() of text would show the text of a row that the caller may not see. They take numbers, booleans, times and durations here';

/** The rows that an expression aggregates, if they are of a group, or every row of a resource; else null. */
function aggregated(expr: Expr): Rows | null {
  const [of] = expr.op === 'call' && FUNCTIONS.includes(expr.fn) && expr.args.length === 1 ? expr.args : [];
  if (of) return chained(of);
  return expr.op === 'each' && MACROS.includes(expr.macro) ? chained(expr.list) : null;
}

/** The rows at the beginning of a chain of `filter` and `map`; null where there are none. */
function chained(list: Expr): Rows | null {
  if (list.op === 'rows') return list.among ? list : null;
  return list.op === 'each' && (list.macro === 'filter' || list.macro === 'map') ? chained(list.list) : null;
}

/** The bodies of the macros in a chain. */
function bodiesOf(expr: Expr): Expr[] {
  if (expr.op === 'call') return expr.args.flatMap(bodiesOf);
  return expr.op === 'each' ? [expr.body, ...bodiesOf(expr.list)] : [];
}

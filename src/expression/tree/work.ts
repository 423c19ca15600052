import { type Expr, parts } from './expression.ts';
import type { Results } from './results.ts';

/** How many items and characters one expression goes through at most, of one row or one request. */
export const MOST_STEPS = 10_000_000;

/** About how many characters a plain function goes through in the time of one item. */
const CHARACTERS = 64;

/**
 * How many items and characters an expression goes through when its lists and texts are as long as they are allowed to
 * be; rows are the store's, and not counted. `derived` says it of derived fields.
 */
export function stepsOf(expr: Expr, results: Results, derived: (resource: string, field: string) => number): number {
  const steps = (part: Expr): number => stepsOf(part, results, derived);
  if (expr.op === 'get' && expr.derived && expr.of.type.kind === 'row')
    return steps(expr.of) + derived(expr.of.type.resource, expr.member);
  if (expr.op === 'each') return steps(expr.list) + results.countOf(expr.list) * Math.max(1, steps(expr.body));
  const inside = parts(expr).reduce((sum, part) => sum + steps(part), 0);
  if (expr.op !== 'call') return inside;
  const own = expr.args.map((arg) => {
    if (arg.type.kind === 'list') return results.countOf(arg);
    return arg.type.kind === 'string' ? results.lengthOf(arg) / (expr.fn === 'matches' ? 1 : CHARACTERS) : 0;
  });
  return inside + 1 + own.reduce((sum, one) => sum + one, 0);
}

import { type Expr, parts } from './expression.ts';
import type { Results } from './results.ts';

/** The largest number of items and characters that one expression may process for one row or request. */
export const MOST_STEPS = 10_000_000;

/** About as many characters as a simple function processes in the time of one item. */
const CHARACTERS = 64;

/**
 * The number of items and characters that an expression processes if lists and strings have their greatest length. Rows
 * are left to the store and not counted. `derived` gives this number for derived fields.
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

import type { Expr } from '../../../expression/tree/expression.ts';

/** True if an expression gives an entity tag: `etag(x)`, or either of two. */
export function isEntityTag(expr: Expr): boolean {
  if (expr.op === 'if') return isEntityTag(expr.then) && isEntityTag(expr.else);
  return expr.op === 'call' && expr.fn === 'etag';
}

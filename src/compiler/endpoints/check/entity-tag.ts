import type { Expr } from '../../../expression/tree/expression.ts';

/** Whether the value of an expression is an entity tag: `etag(x)`, or a choice between such values. */
export function isEntityTag(expr: Expr): boolean {
  if (expr.op === 'if') return isEntityTag(expr.then) && isEntityTag(expr.else);
  return expr.op === 'call' && expr.fn === 'etag';
}

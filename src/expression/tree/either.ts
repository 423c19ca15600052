import type { Expr } from './expression.ts';
import { either, type Type } from './types.ts';

/** The common type of several comparable expressions. An empty list or map has items of any type. */
export function eitherOf(exprs: readonly Expr[]): Type {
  const filled = exprs.filter((expr) => !isEmpty(expr));
  const telling = filled.some(({ type }) => type.kind !== 'null') ? filled : exprs;
  return telling.map(({ type }) => type).reduce(either);
}

function isEmpty(expr: Expr): boolean {
  if (expr.op === 'if') return isEmpty(expr.then) && isEmpty(expr.else);
  return (expr.op === 'list' && expr.items.length === 0) || (expr.op === 'map' && expr.keys.length === 0);
}

import type { Expr } from './expr.ts';

/** A condition that holds for every row whatever is stored, as far as syntax and nullability show. */
export function alwaysTrue(expr: Expr): boolean {
  if (expr.op === 'const') return expr.value === true;
  if (expr.op !== 'call') return false;
  if (expr.fn === 'or') return expr.args.some(alwaysTrue);
  if (expr.fn === 'and') return expr.args.every(alwaysTrue);
  const [a, b] = expr.args;
  return (
    expr.fn === '!=' &&
    ((b!.type.kind === 'null' && !a!.type.nullable) || (a!.type.kind === 'null' && !b!.type.nullable))
  );
}

import { conjuncts, type Expr, uses } from '../../../expression/tree/expression.ts';
import { zip } from '../../../text/zip.ts';
import { keyOf } from '../../document/row-key.ts';
import { type Resource, uniqueKeys } from '../../statements/resources.ts';
import type { Checking } from './checking.ts';

/** True if `where` fixes every field of the identity or of a unique rule without a condition. */
export function matchesUnique(c: Checking, resource: Resource, where: Expr): boolean {
  const fixed = new Set<string>();
  for (const one of conjuncts(where)) {
    if (one.op !== 'call' || one.fn !== '==') continue;
    // Two values that can both be absent match every row without one.
    if (one.args.every((arg) => arg.type.nullable)) continue;
    for (const [a, b] of zip(one.args, one.args.toReversed()))
      if (!uses(b, 'this')) for (const field of isThis(a) ? keyOf(resource) : fixedBy(c, a)) fixed.add(field);
  }
  return uniqueKeys(resource).some((key) => key.every((field) => fixed.has(field)));
}

const isThis = (expr: Expr): boolean => expr.op === 'name' && expr.name === 'this';

/** The field that is known once `expr` is: itself, or the reference whose target no other row has the value of. */
function fixedBy(c: Checking, expr: Expr): string[] {
  if (expr.op !== 'get') return [];
  if (expr.of.op === 'name') return expr.of.name === 'this' && !expr.derived ? [expr.member] : [];
  if (expr.of.type.kind !== 'row' || expr.derived) return [];
  const target = c.r.resourceNamed(expr.of.type.resource);
  const unique = target && uniqueKeys(target).some((key) => key.length === 1 && key[0] === expr.member);
  return unique ? fixedBy(c, expr.of) : [];
}

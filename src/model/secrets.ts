import { type Expr, some } from '../expression/expr.ts';
import type { Type } from '../expression/types.ts';

/**
 * True if an expression reads a password where it may not. One may be given on, whole and as it was sent, to a field
 * that holds passwords and to the step that verifies one; nothing else learns anything of it.
 */
export function tellsSecret(expr: Expr, expected: Type | null): boolean {
  const secret = (one: Expr): boolean => one.type.kind === 'password';
  if (!some(expr, secret)) return false;
  const sent = expr.op === 'get' && expr.of.type.kind === 'object';
  return !sent || expected?.kind !== 'password';
}

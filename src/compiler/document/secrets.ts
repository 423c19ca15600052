import { type Expr, parts, some } from '../../expression/tree/expression.ts';
import type { Type } from '../../expression/tree/types.ts';
import type { Finding } from '../../syntax/diagnostic.ts';
import type { Token } from '../../syntax/tokens.ts';
import { expressionDiagnostics as d } from '../expression/messages.ts';
import type { Place } from '../expression/place.ts';

/**
 * The finding on an expression that reads a secret: a password, or a credential that a step has issued. Every part of
 * every expression is checked, so that no concatenation, condition, list or call reveals a secret.
 */
export function secretRead(expr: Expr, expected: Type | null, place: Place, token: Token): Finding | null {
  if (readsPassword(expr, expected)) return d.report.secret(token);
  // An outside handler takes a credential as it is, and sends it to whom it was issued for.
  const isGiven = place === 'answer' || (place === 'call' && expr.op === 'name');
  const name = isGiven ? null : credentialIn(expr);
  return name === null ? null : d.report.credential(token, { name });
}

/**
 * Whether an expression reads a password in a place where this is forbidden. Only the password in a request may be
 * used, only unchanged, and only as the value of a password field or as the argument of the step that verifies a
 * password.
 */
function readsPassword(expr: Expr, expected: Type | null): boolean {
  if (!some(expr, (one) => one.type.kind === 'password')) return false;
  const sent = expr.op === 'get' && expr.of.type.kind === 'object';
  return !sent || expected?.kind !== 'password';
}

/** The name of a credential that an expression reads, or of a list of credentials, which a `For each` may make. */
function credentialIn(expr: Expr): string | null {
  if (expr.op === 'name' && holdsCredential(expr.type)) return expr.name;
  for (const part of parts(expr)) {
    const found = credentialIn(part);
    if (found !== null) return found;
  }
  return null;
}

function holdsCredential(type: Type): boolean {
  if (type.kind === 'list' || type.kind === 'map') return holdsCredential(type.of);
  return type.kind === 'string' && type.credential === true;
}

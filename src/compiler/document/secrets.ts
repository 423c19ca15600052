import { type Expr, parts } from '../../expression/tree/expression.ts';
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
  const read = passwordRead(expr, expected);
  if (read) return d.report.secret(token, { is: read.secret ? 'secret' : 'password' });
  // An outside handler takes a credential as it is, and sends it to whom it was issued for.
  const isGiven = place === 'answer' || (place === 'call' && expr.op === 'name');
  const name = isGiven ? null : credentialIn(expr);
  return name === null ? null : d.report.credential(token, { name });
}

type PasswordType = Extract<Type, { kind: 'password' }>;

/**
 * The type of the password or secret that an expression reads in a place where this is forbidden; null where it reads
 * none. Only what a request has sent may be used, only unchanged, and only as the value of a password field or as the
 * argument of the step that verifies it.
 */
function passwordRead(expr: Expr, expected: Type | null): PasswordType | null {
  const sent = expr.op === 'get' && expr.of.type.kind === 'object';
  return sent && expected?.kind === 'password' ? null : passwordIn(expr);
}

function passwordIn(expr: Expr): PasswordType | null {
  if (expr.type.kind === 'password') return expr.type;
  for (const part of parts(expr)) {
    const found = passwordIn(part);
    if (found !== null) return found;
  }
  return null;
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

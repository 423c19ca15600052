import type { Expr } from '../../../expression/tree/expression.ts';
import * as t from '../../../expression/tree/types.ts';
import type { Name } from '../../../syntax/names.ts';
import type { Token } from '../../../syntax/tokens.ts';
import type { Scheme } from '../../statements/authentication.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import type { Checking } from './checking.ts';

/** The scheme of that name, or null with a finding. Reports a scheme whose credentials are not issued by steps. */
export function schemeOf(c: Checking, name: Name): Scheme | null {
  const { schemes } = c.r.model.authentication;
  const scheme = schemes.find((one) => one.name === name.text) ?? null;
  const names = schemes.map((one) => one.name);
  if (!scheme) {
    c.r.unknown(name, 'scheme', names);
    c.broken = true;
  } else if (scheme.credentials && !scheme.credentials.value.by.includes('steps'))
    c.findings.push(d.report.issuedElsewhere(name, { scheme: scheme.name }));
  return scheme;
}

/** The row to which a credential belongs, or will belong. */
export function checkHolder(c: Checking, token: Token, scheme: Scheme | null): Expr | null {
  const resource = scheme?.credentials?.value.resource.text;
  return c.type(token, resource && c.r.resourceNamed(resource) ? t.rowOf(resource) : null, '“for”');
}

/** Reports issued credentials that no expression reads: nobody would receive them. */
export function checkIssued(c: Checking): void {
  if (c.broken) return;
  for (const token of c.issued)
    if (!c.exprs.some((expr) => c.names.has(token.text) && expr.op === 'name' && expr.name === token.text))
      c.findings.push(d.report.issueUnused(token, { name: token.text }));
}

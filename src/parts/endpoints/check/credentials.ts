import * as t from '../../../expression/types.ts';
import type { Name } from '../../../source/read.ts';
import { opensToNobody, schemesAt } from '../../authentication/access.ts';
import type { Scheme } from '../../authentication/model.ts';
import { endpointsDiagnostics as d } from '../diagnostics.ts';
import { type Checking, type Of, row } from './checking.ts';

/** The verbs that hand out credentials and take them back: Issue and Revoke. */

export function checkIssue(c: Checking, step: Of<'Issue'>): void {
  const scheme = schemeOf(c, step.scheme);
  checkRow(c, step.to, scheme);
  if (scheme) checkScopes(c, step, scheme);
  const { idempotency } = c.one.settings;
  if (idempotency && idempotency.value !== 'none') c.findings.push(d.report.issueKept(step.span, {}, [c.endpoint]));
  c.issued.push(step.as);
  c.nameRow(step.as, t.CREDENTIAL);
}

export function checkRevoke(c: Checking, step: Of<'Revoke'>): void {
  const scheme = schemeOf(c, step.scheme);
  if (scheme?.kind && scheme.kind.value !== 'API key')
    c.findings.push(d.report.revokeToken(step.scheme, { scheme: scheme.name }));
  if (step.of) checkRow(c, step.of, scheme);
  else if (scheme) {
    const taken = schemesAt(c.r.model.authentication.schemes, c.one);
    // What follows a transition has no request that could have been sent with a key.
    if (taken.some((one) => one !== scheme) || opensToNobody(c.one) || !c.visibleOnly)
      c.findings.push(d.report.revokeSent(step.scheme, { scheme: scheme.name, endpoint: c.endpoint }));
  }
}

/** The scheme of a heading, if its credentials are issued by steps. */
function schemeOf(c: Checking, name: Name): Scheme | null {
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

function checkRow(c: Checking, token: Of<'Issue'>['to'], scheme: Scheme | null): void {
  const resource = scheme?.credentials?.value.resource.text;
  c.type(token, resource && c.r.resourceNamed(resource) ? row(resource) : null, '“for”');
}

function checkScopes(c: Checking, step: Of<'Issue'>, scheme: Scheme): void {
  const known = (scheme.scopes ?? []).map((scope) => scope.name.text);
  if (known.length && step.scopes === null)
    c.findings.push(d.report.issueScopes(step.span, { scheme: scheme.name, scopes: known.join(', ') }, [c.endpoint]));
  if (known.length === 0 && step.scopes)
    c.findings.push(d.report.issueNoScopes(step.scopes[0] ?? step.span, { scheme: scheme.name }));
  else for (const scope of step.scopes ?? []) if (!known.includes(scope.text)) c.r.unknown(scope, 'scope', known);
}

/** A credential that is told to nobody is good for nothing. */
export function checkIssued(c: Checking): void {
  if (c.broken) return;
  for (const token of c.issued)
    if (!c.exprs.some((expr) => c.names.has(token.text) && expr.op === 'name' && expr.name === token.text))
      c.findings.push(d.report.issueUnused(token, { name: token.text }));
}

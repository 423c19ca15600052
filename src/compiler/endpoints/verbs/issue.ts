import * as t from '../../../expression/tree/types.ts';
import { isKept } from '../../document/writes.ts';
import type { Scheme } from '../../statements/authentication.ts';
import type { Checking, Of } from '../check/checking.ts';
import { checkHolder, schemeOf } from '../check/credentials.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import { NOTHING, type VerbModule } from './verb.ts';

/** Issue `t`: Scheme for e with scopes a, b · without scopes */
export const ISSUE: VerbModule<'Issue'> = {
  does: ({ scheme }) => ({ ...NOTHING, byRequest: true, keeps: { credentialOf: scheme.text } }),
  check(c, step) {
    const scheme = schemeOf(c, step.scheme);
    const to = checkHolder(c, step.to, scheme);
    if (scheme) checkScopes(c, step, scheme);
    const { idempotency } = c.one.settings;
    if (idempotency && idempotency.value !== 'none') c.findings.push(d.report.issueKept(step.span, {}, [c.endpoint]));
    c.issued.push(step.as);
    c.nameRow(step.as, t.CREDENTIAL);
    if (!scheme || !to) return null;
    const scopes = (step.scopes ?? []).map((scope) => scope.text);
    const kept = isKept(scheme.name, c.r.model.authentication.schemes);
    return { do: 'issue', as: step.as.text, scheme: scheme.name, to, scopes, kept, line: c.line(step) };
  },
};

function checkScopes(c: Checking, step: Of<'Issue'>, scheme: Scheme): void {
  const known = (scheme.scopes ?? []).map((scope) => scope.name.text);
  if (known.length && step.scopes === null)
    c.findings.push(d.report.issueScopes(step.span, { scheme: scheme.name, scopes: known.join(', ') }, [c.endpoint]));
  if (known.length === 0 && step.scopes)
    c.findings.push(d.report.issueNoScopes(step.scopes[0] ?? step.span, { scheme: scheme.name }));
  else for (const scope of step.scopes ?? []) if (!known.includes(scope.text)) c.r.unknown(scope, 'scope', known);
}

import { opensToNobody, schemesAt } from '../../document/access.ts';
import { checkHolder, schemeOf } from '../check/credentials.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import { NOTHING, type VerbModule } from './verb.ts';

/** Revoke every Scheme for e · the Scheme sent */
export const REVOKE: VerbModule<'Revoke'> = {
  does: () => ({ ...NOTHING, keeps: true }),
  check(c, step) {
    const scheme = schemeOf(c, step.scheme);
    if (scheme?.kind && scheme.kind.value !== 'API key')
      c.findings.push(d.report.revokeToken(step.scheme, { scheme: scheme.name }));
    const of = step.of && checkHolder(c, step.of, scheme);
    if (!step.of && scheme) {
      const accepted = schemesAt(c.r.model.authentication.schemes, c.one);
      // Steps after a transition have no request, and so no sent credential to revoke.
      if (accepted.some((one) => one !== scheme) || opensToNobody(c.one) || !c.visibleOnly)
        c.findings.push(d.report.revokeSent(step.scheme, { scheme: scheme.name, endpoint: c.endpoint }));
    }
    return !scheme || (step.of && !of) ? null : { do: 'revoke', scheme: scheme.name, of, line: c.line(step) };
  },
};

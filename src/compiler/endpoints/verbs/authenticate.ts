import * as t from '../../../expression/tree/types.ts';
import { identityOf } from '../../document/resolve.ts';
import { passwordOf } from '../../resources/check-passwords.ts';
import { misnamesUnique } from '../../resources/check-uniques.ts';

import { checkAbsent } from '../check/absent-parameters.ts';
import { checkExactLookUp } from '../check/exact-look-up.ts';
import { checkSeen } from '../check/hidden-rows.ts';
import { matchesUnique, severalMatch } from '../check/unique-match.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import { NOTHING, type VerbModule } from './verb.ts';

/**
 * Authenticate `x`: R where p, password e, else code
 *
 * The condition must fix a unique key, and `e` must be a password of the request, unchanged.
 */
export const AUTHENTICATE: VerbModule<'Authenticate'> = {
  does: ({ as, resource }) => ({ ...NOTHING, byRequest: true, names: { as: as.text, resource: resource.text } }),
  check(c, step) {
    const resource = c.r.resource(step.resource);
    const name = step.resource.text;
    if (resource && !step.where) {
      const identity = identityOf(resource)?.name.text ?? 'id';
      c.findings.push(d.report.findWhere(step.span, { resource: name, identity }, [c.endpoint]));
    }
    const where = resource && step.where && c.condition(step.where, '“where”', name);
    if (resource && step.where && where && !matchesUnique(c, resource, where) && !misnamesUnique(resource))
      c.findings.push(severalMatch(c, resource, where, step.where, false));
    if (step.where && where) checkAbsent(c, 'Authenticate', where, step.where);
    if (where && step.where) checkExactLookUp(c, where, step.where, 'Authenticate');
    const kept = resource && passwordOf(resource);
    if (kept && where) checkSeen(c, 'Authenticate', resource, where, step.span);
    if (resource && !kept) c.findings.push(d.report.noPassword(step.resource, { resource: name }));
    const password = step.password && c.type(step.password, { kind: 'password', nullable: true }, '“password”');
    if (!step.password) c.findings.push(d.report.passwordUnsaid(step.span, { resource: name }, [c.endpoint]));
    if (step.code) c.r.code(step.code, 'step');
    else c.findings.push(d.report.findCode(step.span, { resource: name }, [c.endpoint]));
    c.nameRow(step.as, resource ? t.rowOf(name) : t.UNKNOWN);
    if (!where || !kept || !password || !step.code) return null;
    const found = { as: step.as.text, resource: name, where };
    return { do: 'verify', ...found, field: kept.name.text, password, code: step.code.text, line: c.line(step) };
  },
};

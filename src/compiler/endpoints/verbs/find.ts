import * as t from '../../../expression/tree/types.ts';
import { identityOf } from '../../document/resolve.ts';
import { passwordOf } from '../../resources/check-passwords.ts';
import { misnamesUnique } from '../../resources/check-uniques.ts';
import { checkAbsent } from '../check/absent-parameters.ts';
import { checkCase } from '../check/exact-look-up.ts';
import { checkSeen } from '../check/hidden-rows.ts';
import { checkOrder } from '../check/orders.ts';
import { matchedRules, severalMatch } from '../check/unique-look-up.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import { NOTHING, type VerbModule } from './verb.ts';

/** Find `x`: R where p, latest `k` first, else code · or none */
export const FIND: VerbModule<'Find'> = {
  does: ({ as, resource }) => ({ ...NOTHING, names: { as: as.text, resource: resource.text } }),
  check(c, step) {
    const resource = c.r.resource(step.resource);
    const name = step.resource.text;
    if (resource && !step.where && !step.order) {
      const identity = identityOf(resource)?.name.text ?? 'id';
      c.findings.push(d.report.findWhere(step.span, { resource: name, identity }, [c.endpoint]));
    }
    const where = resource && step.where && c.condition(step.where, '“where”', name);
    const rules = resource && where ? matchedRules(c, resource, where) : [];
    if (resource && step.where) {
      const unique = rules.length > 0;
      if (where && !unique && !step.order && !misnamesUnique(resource))
        c.findings.push(severalMatch(c, resource, where, step.where, true));
      if (unique && step.order) c.findings.push(d.report.findOrder(step.order.by, { resource: name }));
    }
    if (step.where && where) checkAbsent(c, 'Find', where, step.where);
    if (resource && where) checkSeen(c, 'Find', resource, where, step.span);
    const compared = resource && checkCase(c, step, resource, { where, rules });
    const order = resource && step.order && checkOrder(c, step.order, { resource, where });
    if (step.code) c.r.code(step.code, 'step');
    else if (!step.none) c.findings.push(d.report.findCode(step.span, { resource: name }, [c.endpoint]));
    c.nameRow(step.as, resource ? t.nullable(t.rowOf(name), step.none) : t.UNKNOWN);
    if ((step.where && !where) || (step.order && !order)) return null;
    const code = step.code?.text ?? null;
    return {
      do: 'find',
      as: step.as.text,
      resource: name,
      where: compared,
      order,
      code,
      reads: null,
      line: c.line(step),
    };
  },
};

/**
 * Authenticate `x`: R where p, password e, else code · secret e
 *
 * The condition must fix a unique key, and `e` must be a password, or a secret, of the request, unchanged.
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
    const rules = resource && where ? matchedRules(c, resource, where) : [];
    if (resource && step.where && where && rules.length === 0 && !misnamesUnique(resource))
      c.findings.push(severalMatch(c, resource, where, step.where, false));
    if (step.where && where) checkAbsent(c, 'Authenticate', where, step.where);
    const compared = resource && checkCase(c, step, resource, { where, rules });
    const secret = step.secret !== null;
    const kept = resource && passwordOf(resource, secret);
    if (kept && where) checkSeen(c, 'Authenticate', resource, where, step.span);
    const is = secret ? 'secret' : 'password';
    if (resource && !kept) c.findings.push(d.report.noPassword(step.resource, { resource: name, is }));
    const sent = step.secret ?? step.password;
    const type = { kind: 'password', nullable: true, ...(secret && { secret: true as const }) } as const;
    const password = sent && c.type(sent, type, `“${is}”`);
    if (!sent) c.findings.push(d.report.passwordUnsaid(step.span, { resource: name }, [c.endpoint]));
    if (step.code) c.r.code(step.code, 'step');
    else c.findings.push(d.report.findCode(step.span, { resource: name }, [c.endpoint]));
    c.nameRow(step.as, resource ? t.rowOf(name) : t.UNKNOWN);
    if (!compared || !kept || !password || !step.code) return null;
    const found = { as: step.as.text, resource: name, where: compared, field: kept.name.text };
    const compares = { password, ...(secret && { secret: true as const }) };
    return { do: 'verify', ...found, ...compares, code: step.code.text, line: c.line(step) };
  },
};

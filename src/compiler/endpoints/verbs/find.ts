import * as t from '../../../expression/tree/types.ts';
import { identityOf } from '../../document/resolve.ts';
import { misnamesUnique } from '../../resources/check-uniques.ts';

import { checkAbsent } from '../check/absent-parameters.ts';
import { checkExactLookUp } from '../check/exact-look-up.ts';
import { checkSeen } from '../check/hidden-rows.ts';
import { checkOrder } from '../check/orders.ts';
import { matchesUnique, severalMatch } from '../check/unique-match.ts';
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
    if (resource && step.where) {
      const unique = where && matchesUnique(c, resource, where);
      if (where && !unique && !step.order && !misnamesUnique(resource))
        c.findings.push(severalMatch(c, resource, where, step.where, true));
      if (unique && step.order) c.findings.push(d.report.findOrder(step.order.by, { resource: name }));
    }
    if (step.where && where) checkAbsent(c, 'Find', where, step.where);
    if (resource && where) checkSeen(c, 'Find', resource, where, step.span);
    if (where && step.where) checkExactLookUp(c, where, step.where, 'Find');
    const order = resource && step.order && checkOrder(c, step.order, resource);
    if (step.code) c.r.code(step.code, 'step');
    else if (!step.none) c.findings.push(d.report.findCode(step.span, { resource: name }, [c.endpoint]));
    c.nameRow(step.as, resource ? t.nullable(t.rowOf(name), step.none) : t.UNKNOWN);
    if ((step.where && !where) || (step.order && !order)) return null;
    const code = step.code?.text ?? null;
    return { do: 'find', as: step.as.text, resource: name, where, order, code, reads: null, line: c.line(step) };
  },
};

import { ensuredKeys, requestedBy } from '../../document/writes.ts';
import { misnamesUnique } from '../../resources/check-uniques.ts';
import { checkExactEnsure } from '../check/exact-look-up.ts';
import { checkSeen } from '../check/hidden-rows.ts';
import { checkMade } from '../check/new-row.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import { makesRow, type VerbModule } from './verb.ts';

/**
 * Ensure `x`: R from e with f e. The name may be left out.
 *
 * The fields that it sets must include a unique key, by which it finds an existing row.
 */
export const ENSURE: VerbModule<'Ensure'> = {
  does: makesRow,
  check(c, step) {
    const made = checkMade(c, step);
    const resource = c.r.resourceNamed(step.resource.text);
    const known = resource?.fields.map((field) => field.name.text) ?? [];
    const fills = [...requestedBy(step, c.one), ...step.with.map((one) => one.field.text)];
    const by = resource ? ensuredKeys(step, resource, c.one) : [];
    if (resource && fills.every((name) => known.includes(name)) && by.length === 0 && !misnamesUnique(resource))
      c.findings.push(d.report.ensureUnique(step.span, { resource: resource.name.text }));
    if (resource) checkSeen(c, 'Ensure', resource, null, step.span);
    if (resource) checkExactEnsure(c, resource, by, step.resource);
    return made && { do: 'ensure', ...made, by };
  },
};

import * as t from '../../../expression/tree/types.ts';
import { isEntityTag } from '../check/preconditions.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import { NOTHING, type VerbModule } from './verb.ts';

/** Match If-Match to e */
export const MATCH: VerbModule<'Match'> = {
  does: () => ({ ...NOTHING, byRequest: true }),
  check(c, step) {
    const to = c.type(step.to, t.STRING, 'Match');
    if (to && !isEntityTag(to)) c.findings.push(d.report.entityTag(step.to, { what: 'If-Match' }));
    return to && { do: 'match', header: step.header, to, of: null, line: c.line(step) };
  },
};

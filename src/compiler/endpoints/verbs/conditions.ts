import { alwaysTrue } from '../../../expression/tree/always.ts';
import * as t from '../../../expression/tree/types.ts';
import { isEntityTag } from '../check/preconditions.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import { NOTHING, type VerbModule } from './verb.ts';

/** Require p, else code */
export const REQUIRE: VerbModule<'Require'> = {
  does: () => NOTHING,
  check(c, step) {
    const test = c.condition(step.test, 'Require');
    if (test && alwaysTrue(test)) c.findings.push(d.report.cannotFail(step.test));
    c.assume(test, true);
    if (step.code) c.r.code(step.code, 'step');
    else c.findings.push(d.report.requireCode(step.span, {}, [c.endpoint]));
    return test && step.code && { do: 'require', test, code: step.code.text, line: c.line(step) };
  },
};

/** Match If-Match to e */
export const MATCH: VerbModule<'Match'> = {
  does: () => ({ ...NOTHING, byRequest: true }),
  check(c, step) {
    const to = c.type(step.to, t.STRING, 'Match');
    if (to && !isEntityTag(to)) c.findings.push(d.report.entityTag(step.to, { what: 'If-Match' }));
    return to && { do: 'match', header: step.header, to, of: null, line: c.line(step) };
  },
};

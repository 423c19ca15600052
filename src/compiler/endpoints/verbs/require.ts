import { alwaysTrue } from '../../../expression/tree/always.ts';
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

import { alwaysTrue } from '../../../expression/tree/always.ts';
import * as t from '../../../expression/tree/types.ts';
import { language } from '../../../syntax/messages.ts';
import { takesBody } from '../../document/effective.ts';
import { everyStep, type Step } from '../../statements/endpoints.ts';
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

/** The verbs before `Validate the body.`: none of them changes anything, or ends the request with a success. */
const BEFORE_BODY: ReadonlySet<Step['verb']> = new Set([
  'Find',
  'List',
  'Group',
  'Authenticate',
  'Require',
  'Match',
  'If',
]);

/** Validate the body. */
export const VALIDATE: VerbModule<'Validate'> = {
  does: () => ({ ...NOTHING, byRequest: true }),
  check(c, step) {
    const { one, endpoint } = c;
    const place = one.steps.indexOf(step);
    const before = one.steps.slice(0, Math.max(0, place));
    const params = { endpoint };
    if (!one.endpoint.steps.includes(step)) c.findings.push(d.report.validateNested(step.span));
    else if (!takesBody(one)) c.findings.push(d.report.validateNothing(step.span, params));
    else if (before.some(({ verb }) => verb === 'Validate'))
      c.findings.push(language.report.twice(step.span, { what: 'This step' }));
    else if (before.length === 0) c.findings.push(d.report.validateFirst(step.span));
    for (const early of everyStep(before))
      if (!BEFORE_BODY.has(early.verb) && early.verb !== 'Validate')
        c.findings.push(d.report.validateAfter(early.span, { verb: early.verb, verbs: [...BEFORE_BODY].join(', ') }));
    c.isBodyValid = true;
    const refuses = c.r.model.resources.rules.unknownFields?.value === 'refused';
    return { do: 'validate', refuses, line: c.line(step) };
  },
};

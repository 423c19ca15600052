import * as t from '../../../expression/tree/types.ts';
import type { GivenPlan } from '../../../plan/step.ts';
import { refuseRepeats, takeName } from '../../../syntax/names.ts';
import type { Phrase } from '../../../syntax/phrase.ts';
import type { Assignment, Handler } from '../../statements/endpoints.ts';
import type { Checking, Of } from '../check/checking.ts';
import { objectOf, parameterType } from '../check/parameters.ts';
import { handlersDiagnostics as d } from '../messages/handlers.ts';
import { NOTHING, type VerbModule } from './verb.ts';

/**
 * Run handler with n e, giving `x`
 *
 * A handler that there is, given all that it takes.
 */
export const RUN: VerbModule<'Run'> = {
  form: 'Run handler with name `value`, giving `result`.',
  read(phrase) {
    const handler = takeName(phrase, 'use', 'a handler');
    if (!handler) return null;
    const assignments: Assignment[] = [];
    const giving = () => {
      const as = phrase.code('declaration', 'a name in inline code');
      return as && { handler, with: assignments, as };
    };
    if (phrase.take('with'))
      do {
        if (assignments.length && phrase.take('giving')) return giving();
        const one = readGiven(phrase);
        if (!one) return null;
        assignments.push(one);
      } while (phrase.mark(','));
    refuseRepeats(
      assignments.map((one) => one.field),
      phrase.findings,
    );
    return phrase.take(', giving') ? giving() : { handler, with: assignments, as: null };
  },
  // One that gives nothing is queued, to be run once the change is durable.
  does: ({ as }) => ({ ...NOTHING, keeps: as === null }),
  check(c, step) {
    const all = c.r.model.endpoints.handlers;
    const handler = all.find((one) => one.name.text === step.handler.text);
    if (!handler) {
      const names = all.map((one) => one.name.text);
      c.r.unknown(step.handler, 'handler', names);
      if (step.as) c.nameRow(step.as, t.UNKNOWN);
      return null;
    }
    c.r.handlersUsed.add(handler.name.text);
    const assignments = checkTaken(c, step, handler);
    const { text: name } = handler.name;
    const pure = handler.kind?.value === 'pure';
    if (handler.kind && pure !== (step.as !== null))
      c.findings.push(pure ? d.report.handlerGiving(step.span, { name }) : d.report.handlerQueued(step.as, { name }));
    if (step.as) c.nameRow(step.as, objectOf(c.r, handler.gives));
    return (
      assignments && { do: 'run', handler: name, with: assignments, as: step.as?.text ?? null, line: c.line(step) }
    );
  },
};

function readGiven(phrase: Phrase): Assignment | null {
  const token = phrase.word('use', 'what the handler takes');
  const value = token && phrase.code('expression', 'an expression in inline code');
  return token && value && { field: { text: token.text, from: token.from, to: token.to }, value };
}

/** What a handler is given: each a value that it takes, and all that it has to be given. */
function checkTaken(c: Checking, step: Of<'Run'>, handler: Handler): readonly GivenPlan[] | null {
  const { text: name } = handler.name;
  const out: GivenPlan[] = [];
  for (const assignment of step.with) {
    const field = handler.takes.find((one) => one.name.text === assignment.field.text);
    const known = handler.takes.map((one) => one.name.text);
    if (!field) c.r.unknown(assignment.field, `value that ${name} takes`, known);
    const value = c.type(assignment.value, field ? parameterType(c.r, field) : null, `“${assignment.field.text}”`);
    if (value) out.push({ field: assignment.field.text, value });
  }
  for (const field of handler.takes)
    if (field.presence?.value === 'always' && !step.with.some((given) => given.field.text === field.name.text))
      c.findings.push(d.report.handlerTakes(step.span, { name, field: field.name.text }, [c.endpoint]));
  return out.length === step.with.length ? out : null;
}

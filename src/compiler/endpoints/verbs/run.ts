import * as t from '../../../expression/tree/types.ts';
import type { GivenPlan } from '../../../plan/step.ts';
import { objectOf, parameterType } from '../../document/parameter-types.ts';
import type { Handler } from '../../statements/endpoints.ts';
import type { Checking, Of } from '../check/checking.ts';
import { handlersDiagnostics as d } from '../messages/handlers.ts';
import { NOTHING, type VerbModule } from './verb.ts';

/**
 * Run handler with n e, giving `x`
 *
 * The handler must exist, and get all its required inputs.
 */
export const RUN: VerbModule<'Run'> = {
  // A handler without outputs is queued, to run once the transaction is durable.
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

/** Checks the inputs of a handler: each is one that the handler takes, and every required one is present. */
function checkTaken(c: Checking, step: Of<'Run'>, handler: Handler): readonly GivenPlan[] | null {
  const { text: name } = handler.name;
  const out: GivenPlan[] = [];
  for (const assignment of step.with) {
    const field = handler.takes.find((one) => one.name.text === assignment.field.text);
    const known = handler.takes.map((one) => one.name.text);
    if (!field) c.r.unknown(assignment.field, `value that ${name} takes`, known);
    const type = field ? parameterType(c.r, field) : null;
    const what = `“${assignment.field.text}”`;
    const value =
      handler.kind?.value === 'outside'
        ? c.typeOfCall(assignment.value, type, what)
        : c.type(assignment.value, type, what);
    if (value?.op === 'name') c.hand(value.name);
    if (value) out.push({ field: assignment.field.text, value });
  }
  for (const field of handler.takes)
    if (field.presence?.value === 'always' && !step.with.some((given) => given.field.text === field.name.text))
      c.findings.push(d.report.handlerTakes(step.span, { name, field: field.name.text }, [c.endpoint]));
  return out.length === step.with.length ? out : null;
}

import type { HandlerField, HandlerPlan } from '../../plan/step.ts';
import type { Resolved } from '../document/resolve.ts';
import { settled, settledList, withStated } from '../document/settled.ts';
import type { Handler, Parameter } from '../statements/endpoints.ts';
import type { CheckedHandler } from './handlers/check.ts';
import { planParameter } from './plan.ts';

/** The plans of all handlers; undefined while one isn't settled. */
export function planHandlers(
  r: Resolved,
  checked: ReadonlyMap<Handler, CheckedHandler>,
): readonly HandlerPlan[] | undefined {
  return settledList(r.model.endpoints.handlers.map((handler) => planHandler(r, handler, checked.get(handler))));
}

function planHandler(r: Resolved, said: Handler, follows: CheckedHandler | undefined): HandlerPlan | undefined {
  const handler = withStated(said, 'kind', 'file', 'fails', 'within');
  if (!handler || !follows) return undefined;
  return settled<HandlerPlan>({
    name: handler.name.text,
    kind: handler.kind.value,
    file: handler.file.value,
    takes: settledList(handler.takes.map((field) => planField(r, field))),
    gives: settledList(handler.gives.map((field) => planField(r, field))),
    fails: handler.fails.value.map((name) => name.text),
    within: handler.within.value,
    delays: handler.attempts?.value.delays ?? [],
    ...follows,
  });
}

function planField(r: Resolved, field: Parameter): HandlerField | undefined {
  const planned = planParameter(r, field);
  const presence = field.presence?.value;
  return planned && presence && { name: planned.name, rule: planned.rule, nullable: presence === 'optional' };
}

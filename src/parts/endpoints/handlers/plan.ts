import type { Resolved } from '../../../model/resolve.ts';
import type { HandlerField, HandlerPlan, InsideStep } from '../../../plan/step.ts';
import type { Parameter } from '../model.ts';
import { type LineOf, planParameter } from '../plan.ts';
import { planSteps } from '../plansteps.ts';
import { heldAs } from './check.ts';
import type { Handler } from './model.ts';

/** Turns the handlers of a document into what runs. */
export function planHandlers(r: Resolved, line: LineOf): HandlerPlan[] {
  return r.model.endpoints.handlers.map((handler) => ({
    name: handler.name.text,
    kind: handler.kind!.value,
    file: handler.file!.value,
    takes: handler.takes.map((field) => planField(r, field)),
    gives: handler.gives.map((field) => planField(r, field)),
    fails: handler.fails!.value.map((name) => name.text),
    within: handler.within!.value,
    delays: handler.delays?.value ?? [],
    answers: planHeld(r, handler, 'answers', line),
    failing: planHeld(r, handler, 'fails', line),
  }));
}

function planField(r: Resolved, field: Parameter): HandlerField {
  const { name, rule } = planParameter(r, field);
  return { name, rule, nullable: field.presence!.value === 'optional' };
}

function planHeld(r: Resolved, handler: Handler, when: 'answers' | 'fails', line: LineOf): InsideStep[] {
  const held = when === 'answers' ? handler.answers : handler.failing;
  if (!held) return [];
  const one = heldAs(handler, held, when);
  return r.within(one.endpoint.name, () => planSteps(held.steps, { r, one, rowsOf: new Map(), line }));
}

import { type Expr, some } from '../../expression/tree/expression.ts';
import { makesTransition } from '../../plan/slots.ts';
import type { InsideStep, Plan } from '../../plan/step.ts';
import type { Trace } from '../oracle/trace.ts';

/**
 * The traces of steps that refuse a request before it can make a transition: steps before or around the transition
 * whose condition reads the state. With such a step, no request attempts the transition from a wrong state.
 */
export function stateChecks(plan: Plan, resource: string, transition: string, field: string): Trace[] {
  const found: Trace[] = [];
  const isAbout = (expr: Expr | null): boolean =>
    expr !== null && some(expr, (part) => part.op === 'get' && part.member === field);
  const at = (step: InsideStep, what: string): Trace => ({ statement: `step ${step.line ?? 0}`, what });
  const visit = (steps: readonly InsideStep[], before: readonly Trace[]): void => {
    let checks = before;
    for (const step of steps) {
      if (step.do === 'require' && isAbout(step.test)) checks = [...checks, at(step, 'refused')];
      if (step.do === 'find' && isAbout(step.where)) checks = [...checks, at(step, 'none')];
      if (step.do === 'if') {
        const about = isAbout(step.test);
        visit(step.then, about ? [...checks, at(step, 'else')] : checks);
        visit(step.else, about ? [...checks, at(step, 'then')] : checks);
      }
      if (step.do === 'for each') {
        const about = step.over.kind === 'rows' && isAbout(step.over.where);
        visit(step.steps, about ? [...checks, at(step, 'rounds 0')] : checks);
      }
      if (makesTransition(step, resource, transition)) found.push(...checks);
    }
  };
  for (const endpoint of plan.endpoints) visit(endpoint.inside, []);
  for (const { states } of plan.resources) for (const one of states?.transitions ?? []) visit(one.then, []);
  return found;
}

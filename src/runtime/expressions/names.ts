import { allNested } from '../../plan/nested-steps.ts';
import { declaredBy } from '../../plan/slots.ts';
import type { EndpointPlan, PayloadPlan } from '../../plan/step.ts';
import type { Names } from './layout.ts';

/** Returns the names that an endpoint's expressions may use, in the order of their slots. */
export function namesOf(plan: EndpointPlan): Names {
  const parameters = plan.before.find((step) => step.do === 'read parameters');
  const body = plan.before.find((step) => step.do === 'validate body');
  return {
    vars: [...new Set([...allNested(plan.inside)].flatMap(declaredBy))],
    path: parameters?.path.map((one) => one.name) ?? [],
    query: parameters?.query.map((one) => one.name) ?? [],
    header: parameters?.header.map((one) => one.name) ?? [],
    request: body ? [...held(body.payload), ...body.parameters.map((one) => one.name)] : [],
  };
}

/** The members of the body that hold fields: the fields themselves, or the member that has them. */
function held(payload: PayloadPlan | null): readonly string[] {
  if (!payload) return [];
  return payload.member === null ? payload.fields : [payload.member];
}

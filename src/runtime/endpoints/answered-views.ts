import type { EndpointPlan, ViewMember } from '../../plan/step.ts';
import { type ShowContext, View } from '../resources/shown.ts';

/** Returns the views of an endpoint's lists: the query of the list also computes the values that its view needs. */
export function viewsOf(plan: EndpointPlan, show: ShowContext): ReadonlyMap<string, View> {
  const { body } = plan.after;
  const shown = (name: string): ViewMember['view'] => {
    if (body?.kind === 'page') return body.list === name ? body.view : null;
    const all = body?.kind === 'value' ? [body.shown] : body?.kind === 'members' ? body.members : [];
    return all.find(({ value }) => value.op === 'name' && value.name === name)?.view ?? null;
  };
  // A value that a later step may change is computed once all steps are done.
  const lists = plan.inside.flatMap((step) => (step.do === 'list' && !(step.all && plan.writes) ? [step.as] : []));
  return new Map(
    lists.flatMap((name) => {
      const view = shown(name);
      return view ? [[name, new View(view.resource, view.name, show)] as const] : [];
    }),
  );
}

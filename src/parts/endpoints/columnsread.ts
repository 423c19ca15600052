import type { BodyPlan, EndpointPlan, ResourcePlan, ShownPlan } from '../../plan/step.ts';
import { REVISION } from '../../store/tables.ts';

/**
 * The columns that an endpoint reads of the rows that a step names, beside what its answer shows of them in their own
 * form. Null where it may read any of them, changes rows, or doesn’t show them so.
 */
export function columnsRead(plan: EndpointPlan, name: string, resource: ResourcePlan): ReadonlySet<string> | null {
  const { body } = plan.after;
  const isIt = (value: ShownPlan['value']): boolean => value.op === 'name' && value.name === name;
  const places = placesIn(body, name, isIt);
  const own = places.every((view) => view?.resource === resource.name && view.name === resource.name);
  if (plan.writes || places.length === 0 || !own) return null;
  const out = new Set<string>();
  const others = body?.kind === 'members' ? body.members.filter(({ value }) => !isIt(value)) : [];
  return readsOnly([plan.inside, plan.after.headers, others], name, resource, out) ? out : null;
}

/** How the rows are shown wherever the answer holds them as they are. */
function placesIn(body: BodyPlan | null, name: string, isIt: (value: ShownPlan['value']) => boolean) {
  if (body?.kind === 'page') return body.list === name ? [body.view] : [];
  const shown = body?.kind === 'value' ? [body.shown] : body?.kind === 'members' ? body.members : [];
  return shown.flatMap(({ value, view }) => (isIt(value) ? [view] : []));
}

/** Whether a part of a plan, whatever it is, speaks of the rows only by their columns, which it adds. */
function readsOnly(part: unknown, name: string, resource: ResourcePlan, out: Set<string>): boolean {
  if (typeof part !== 'object' || part === null) return true;
  const { op, of, fn, args, member, derived } = part as Partial<Record<string, unknown>>;
  const isIt = (one: unknown): boolean =>
    typeof one === 'object' && one !== null && 'op' in one && 'name' in one && one.op === 'name' && one.name === name;
  if (isIt(part)) return false;
  if (op === 'get' && isIt(of)) {
    out.add(member as string);
    return derived !== true && resource.columns.some((column) => column.name === member);
  }
  if (op === 'call' && fn === 'etag' && isIt((args as unknown[])[0])) {
    out.add(REVISION);
    return true;
  }
  return Object.values(part).every((one) => readsOnly(one, name, resource, out));
}

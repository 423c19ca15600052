import { nullable, type Type } from '../../expression/types.ts';
import type { Resolved } from '../../model/resolve.ts';
import type { Effective } from '../endpoints/effective.ts';

/** True if an endpoint may be called by nobody in particular, though the document has callers. */
export function opensToNobody(one: Effective): boolean {
  return one.settings.access?.value.kind === 'anyone';
}

/** The type of `caller` where an endpoint's Access decides whether there is one. */
export function callerAt(caller: Type, one: Effective): Type {
  return opensToNobody(one) ? nullable(caller, true) : caller;
}

/** The type of `caller` in what holds at every endpoint, such as which rows are visible. */
export function callerAnywhere(caller: Type, r: Resolved): Type {
  return r.once(openEndpoints).length ? nullable(caller, true) : caller;
}

/** The type of `caller` as a row is created, or written later: null where an endpoint without callers does that. */
export function callerAsWritten(caller: Type, r: Resolved, resource: string, moment: string): Type {
  const { creates, writes } = r.once(doneByNobody);
  return (moment === 'create' ? creates.has(resource) : writes) ? nullable(caller, true) : caller;
}

/** The endpoints that nobody in particular may call. */
export const openEndpoints = (r: Resolved): readonly Effective[] => r.effective.filter(opensToNobody);

/** The resources whose rows nobody creates, and whether nobody writes rows that are there. */
function doneByNobody(r: Resolved): { creates: ReadonlySet<string>; writes: boolean } {
  const steps = r.once(openEndpoints).flatMap((one) => one.steps);
  return {
    creates: new Set(steps.flatMap((step) => (step.verb === 'Create' ? [step.resource.text] : []))),
    writes: steps.some((step) => step.verb === 'Change' || step.verb === 'Move'),
  };
}

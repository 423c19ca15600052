import type { Resolved } from '../../model/resolve.ts';
import { effectiveEndpoints } from '../endpoints/effective.ts';

/** True if the steps of an endpoint do one of `verbs` to rows of the resource: then a request can break its rules. */
export function doneByRequests(
  r: Resolved,
  resource: string,
  verbs: readonly ('Create' | 'Change' | 'Move' | 'Remove')[],
): boolean {
  return effectiveEndpoints(r.model).some((one) => {
    const rows = new Set<string>();
    return one.steps.some((step) => {
      if ((step.verb === 'Find' || step.verb === 'Create') && step.resource.text === resource) rows.add(step.as.text);
      if (step.verb === 'Create') return verbs.includes('Create') && step.resource.text === resource;
      if (step.verb !== 'Change' && step.verb !== 'Move' && step.verb !== 'Remove') return false;
      return verbs.includes(step.verb) && rows.has(step.row.text);
    });
  });
}

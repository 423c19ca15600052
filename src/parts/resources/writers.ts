import type { Resolved } from '../../model/resolve.ts';

type Writing = 'Create' | 'Change' | 'Move' | 'Remove';

/** True if the steps of an endpoint do one of `verbs` to rows of the resource: then a request can break its rules. */
export function doneByRequests(r: Resolved, resource: string, verbs: readonly Writing[]): boolean {
  const done = r.once(written).get(resource);
  return done !== undefined && verbs.some((verb) => done.has(verb));
}

/** What the steps of all endpoints do to the rows of each resource. */
function written(r: Resolved): Map<string, Set<Writing>> {
  const out = new Map<string, Set<Writing>>();
  const note = (resource: string, verb: Writing): void => {
    out.set(resource, (out.get(resource) ?? new Set()).add(verb));
  };
  for (const { steps } of r.effective) {
    const rows = new Map<string, string>();
    for (const step of steps) {
      if (step.verb === 'Find' || step.verb === 'Create') rows.set(step.as.text, step.resource.text);
      if (step.verb === 'Create') note(step.resource.text, step.verb);
      else if (step.verb === 'Change' || step.verb === 'Move' || step.verb === 'Remove') {
        const resource = rows.get(step.row.text);
        if (resource !== undefined) note(resource, step.verb);
      }
    }
  }
  return out;
}

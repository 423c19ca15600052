import type { Resolved } from '../../model/resolve.ts';
import { type Write, writesOf } from '../endpoints/written.ts';

type Writing = Write['verb'];

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
  for (const { steps } of r.effective)
    for (const { step, resource } of writesOf(steps)) if (resource !== null) note(resource, step.verb);
  return out;
}

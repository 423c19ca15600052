import { type Effective, requestOf } from '../../document/effective.ts';
import type { Resolved } from '../../document/resolve.ts';
import { givenOnCreate } from '../../resources/check-givings.ts';
import { resourcesDiagnostics } from '../../resources/messages.ts';
import type { Resource } from '../../statements/resources.ts';

/** Reports fields that are always present and for which a Create has no value. */
export function checkCreated(
  r: Resolved,
  one: Effective,
  resourceName: string,
  given: { requested: ReadonlySet<string>; assigned: ReadonlySet<string> },
): void {
  const resource = r.resourceNamed(resourceName);
  // An assignment to an unknown field may be a misspelling of any missing field, so no field is reported as missing.
  if (resource && [...given.assigned].some((name) => !r.fieldNamed(resource, name))) return;
  for (const field of resource?.fields ?? []) {
    const name = field.name.text;
    if (!field.givenBy || field.presence?.value !== 'always') continue;
    const sources = { request: given.requested.has(name), operator: false, steps: given.assigned.has(name) };
    if (givenOnCreate(field, sources)) continue;
    // An unknown field of the request may be a misspelling of this field.
    const requestable = field.givenBy.value.some((giving) => giving.from === 'request');
    if (requestable && resource && requestsStranger(r, one, resource)) continue;
    const params = { field: `${resourceName}.${name}`, resource: resourceName, endpoint: one.endpoint.name };
    r.notes.findings.push(resourcesDiagnostics.report.neverGiven(field.name, params, [one.endpoint.name]));
  }
}

function requestsStranger(r: Resolved, one: Effective, resource: Resource): boolean {
  const request = requestOf(one);
  if (request?.resource.text !== resource.name.text) return false;
  return request.fields.some(({ text }) => !r.fieldNamed(resource, text));
}

import type { Effective } from '../../document/effective.ts';
import type { Resolved } from '../../document/resolve.ts';
import { givenOnCreate } from '../../resources/check-givings.ts';
import { resourcesDiagnostics } from '../../resources/messages.ts';

/** What a Create has to be given: every field that is always present. */
export function checkCreated(
  r: Resolved,
  one: Effective,
  resourceName: string,
  given: { requested: ReadonlySet<string>; assigned: ReadonlySet<string> },
): void {
  const resource = r.resourceNamed(resourceName);
  for (const field of resource?.fields ?? []) {
    const name = field.name.text;
    if (!field.givenBy || field.presence?.value !== 'always') continue;
    const sources = { request: given.requested.has(name), operator: false, steps: given.assigned.has(name) };
    if (givenOnCreate(field, sources)) continue;
    const params = { field: `${resourceName}.${name}`, resource: resourceName, endpoint: one.endpoint.name };
    r.notes.findings.push(resourcesDiagnostics.report.neverGiven(field.name, params, [one.endpoint.name]));
  }
}

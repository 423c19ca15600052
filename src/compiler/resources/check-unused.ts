import { allSteps } from '../document/all-steps.ts';
import type { Resolved } from '../document/resolve.ts';
import { everyStep } from '../statements/endpoints.ts';
import type { Field, Resource } from '../statements/resources.ts';
import { resourcesDiagnostics as d } from './messages.ts';

/** Reports statements about resources that have no effect anywhere: they would be accepted and ignored. */
export function checkUnused(r: Resolved): void {
  // Events, endpoints and schemes use resources, and they are checked later.
  r.afterAll(() => {
    // A resource that nothing declares may be meant to be any of them.
    const strangers = r.notes.findings.some(({ owner }) => owner === 'resource');
    for (const resource of r.model.resources.list) {
      const { name } = resource;
      if (resource.fields.length > 0 && !strangers && !r.resourceUses.has(name.text) && !r.isSuggested(name.text))
        r.notes.findings.push(d.report.unusedResource(name, { resource: name.text }));
      for (const field of resource.fields) checkSources(r, resource, field);
    }
  });
}

/** A field that requests or steps give needs an endpoint that does. */
function checkSources(r: Resolved, resource: Resource, field: Field): void {
  const path = `${resource.name.text}.${field.name.text}`;
  const { list } = r.model.endpoints;
  if (list.length === 0 || r.isSuggested(field.name.text) || r.isSuggested(resource.name.text)) return;
  const requested = r.once(requestedFields).has(path);
  const assigned = r.once(assignedFields).has(field.name.text);
  for (const giving of field.givenBy?.value ?? []) {
    if (giving.from === 'request' && !giving.otherwise && !requested && !requestsStranger(r, resource))
      r.notes.findings.push(d.report.givenUnused(field.givenBy, { field: path, source: 'request' }));
    if (giving.from === 'steps' && !assigned)
      r.notes.findings.push(d.report.givenUnused(field.givenBy, { field: path, source: 'steps' }));
  }
}

/** True where a request holds a name that nothing declares: it may be any of the fields. */
const requestsStranger = (r: Resolved, resource: Resource): boolean =>
  [...r.once(requestedFields)].some((path) => {
    const [owner, ...name] = path.split('.');
    return owner === resource.name.text && !r.fieldNamed(resource, name.join('.'));
  });

/** The fields that requests hold, each as `Resource.field`. */
function requestedFields(r: Resolved): Set<string> {
  const { settings, list } = r.model.endpoints;
  return new Set(
    [settings, ...list.map((endpoint) => endpoint.settings)].flatMap(({ request }) => {
      if (!request || request.value === 'none') return [];
      const { resource, fields } = request.value;
      return fields.map((name) => `${resource.text}.${name.text}`);
    }),
  );
}

/** The fields that steps assign, in rows of any resource. */
function assignedFields(r: Resolved): Set<string> {
  const reactions = r
    .once(allSteps)
    .filter(({ background }) => background)
    .map(({ one }) => one);
  const steps = [...r.model.endpoints.unders, ...r.model.endpoints.list, ...reactions].flatMap((one) => [
    ...everyStep(one.steps),
  ]);
  return new Set(steps.flatMap((step) => ('with' in step ? step.with.map((one) => one.field.text) : [])));
}

import type { Resolved } from '../../model/resolve.ts';
import { resourcesDiagnostics as d } from './diagnostics.ts';
import type { Field, Resource, WireRules } from './model.ts';

/** Reports what is stated of resources and shows nowhere: it would be accepted and ignored. */
export function checkUnused(r: Resolved): void {
  checkRules(r);
  // Events, endpoints and schemes use resources, and they are checked later.
  r.afterAll(() => {
    for (const resource of r.model.resources.list) {
      const { name } = resource;
      if (!r.resourceUses.has(name.text) && !r.meant(name.text))
        r.notes.findings.push(d.report.unusedResource(name, { resource: name.text }));
      for (const field of resource.fields) checkSources(r, resource, field);
    }
  });
}

/** A rule of the part needs something that it rules. */
function checkRules(r: Resolved): void {
  const { rules, list } = r.model.resources;
  const fields = list.flatMap((resource) => resource.fields);
  const requests = r.model.endpoints.list.some((one) => one.settings.request && one.settings.request.value !== 'none');
  const typed = (kind: string): boolean => fields.some((field) => !field.type || field.type.value.kind === kind);
  const optional = fields.some((field) => field.presence?.value !== 'always');
  const needs: ReadonlyArray<readonly [keyof WireRules, boolean, string]> = [
    ['timestamps', typed('timestamp'), 'no field is a timestamp'],
    ['text', typed('string'), 'no field is a string'],
    ['missing', optional, 'every field is always present'],
    ['nulls', requests, 'no endpoint has a request'],
    ['emptyText', requests && typed('string'), 'no request holds a string'],
    ['unknownFields', requests, 'no endpoint has a request'],
  ];
  if (fields.length === 0) return;
  for (const [key, needed, reason] of needs)
    if (rules[key] && !needed) r.notes.findings.push(d.report.ruleUnused(rules[key], { reason }));
}

/** A field that requests or steps give needs an endpoint that does. */
function checkSources(r: Resolved, resource: Resource, field: Field): void {
  const path = `${resource.name.text}.${field.name.text}`;
  const { list } = r.model.endpoints;
  if (list.length === 0 || r.meant(field.name.text) || r.meant(resource.name.text)) return;
  const requested = [r.model.endpoints.settings, ...list.map((endpoint) => endpoint.settings)].some(({ request }) => {
    if (!request || request.value === 'none' || request.value.resource.text !== resource.name.text) return false;
    return request.value.fields.some((name) => name.text === field.name.text);
  });
  const assigned = [...r.model.endpoints.unders, ...list]
    .flatMap((one) => one.steps)
    .some((step) => 'with' in step && step.with.some((one) => one.field.text === field.name.text));
  for (const giving of field.givenBy?.value ?? []) {
    if (giving.from === 'request' && !giving.otherwise && !requested)
      r.notes.findings.push(d.report.givenUnused(field.givenBy, { field: path, source: 'request' }));
    if (giving.from === 'steps' && !assigned)
      r.notes.findings.push(d.report.givenUnused(field.givenBy, { field: path, source: 'steps' }));
  }
}

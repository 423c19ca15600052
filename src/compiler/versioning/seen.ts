import type { Resolved } from '../document/resolve.ts';
import type { Resource } from '../statements/resources.ts';

/** Whether callers see a field: in a shown form, in a request body or in a parameter. */
export function seenAnywhere(r: Resolved, resource: Resource, name: string): boolean {
  const shown = [...(resource.shown?.value ?? []), ...resource.views.flatMap((view) => view.members)];
  if (!resource.shown || shown.some((member) => member.field.text === name)) return true;
  const { endpoints } = r.model;
  const parameters = [endpoints, ...endpoints.list].flatMap((one) => one.parameters);
  return (
    requestsOf(r, resource.name.text).some((request) => request.fields.some((one) => one.text === name)) ||
    parameters.some(
      ({ type }) =>
        type?.value.kind === 'field' &&
        type.value.resource.text === resource.name.text &&
        type.value.field.text === name,
    )
  );
}

/** The requests whose bodies give fields of a resource. */
export function requestsOf(r: Resolved, resource: string) {
  const { endpoints } = r.model;
  return [endpoints.settings, ...endpoints.list.map((endpoint) => endpoint.settings)].flatMap(({ request }) =>
    request && request.value !== 'none' && request.value.resource.text === resource ? [request.value] : [],
  );
}

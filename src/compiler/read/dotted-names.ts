import type { Requested } from '../../language/endpoints.ts';
import type { Shown } from '../../language/resources.ts';
import { type Located, type Name, refuseRepeats } from '../../syntax/names.ts';
import type { Notes } from '../../syntax/phrase.ts';
import type { Model } from '../statements/model.ts';
import type { Resource } from '../statements/resources.ts';

/**
 * In a list of fields, a document may write `address` for all fields whose names begin with `address.`. Returns the
 * model with such names replaced by the full names of the fields.
 */
export function unfolded(model: Model, notes: Notes): Model {
  const dotted = model.resources.list.filter((one) => one.fields.some((field) => field.name.text.includes('.')));
  if (dotted.length === 0) return model;
  const resources = new Map(dotted.map((one) => [one.name.text, one]));
  const list = model.resources.list.map((one) => (resources.has(one.name.text) ? unfoldedShown(one, notes) : one));
  const settings = <T extends { readonly request: Located<Requested | 'none'> | null }>(said: T): T => {
    const { request } = said;
    if (!request || request.value === 'none') return said;
    const resource = resources.get(request.value.resource.text);
    if (!resource) return said;
    const fields = unfoldedNames(request.value.fields, resource, notes);
    return { ...said, request: { ...request, value: { ...request.value, fields } } };
  };
  const { endpoints } = model;
  return {
    ...model,
    resources: { ...model.resources, list },
    endpoints: {
      ...endpoints,
      settings: settings(endpoints.settings),
      list: endpoints.list.map((one) => ({ ...one, settings: settings(one.settings) })),
    },
  };
}

function unfoldedShown(resource: Resource, notes: Notes): Resource {
  const members = (shown: readonly Shown[]): Shown[] => {
    const out = shown.flatMap((one) => below(one.field, resource).map((field) => ({ ...one, field })));
    if (out.length > shown.length)
      refuseRepeats(
        out.map((one) => one.field),
        notes.findings,
      );
    return out;
  };
  const { shown, views } = resource;
  return {
    ...resource,
    shown: shown && { ...shown, value: members(shown.value) },
    views: views.map((view) => ({ ...view, members: members(view.members) })),
  };
}

function unfoldedNames(names: readonly Name[], resource: Resource, notes: Notes): Name[] {
  const out = names.flatMap((name) => below(name, resource));
  if (out.length > names.length) refuseRepeats(out, notes.findings);
  return out;
}

/** The fields below a name: those whose dotted names begin with it, if no field has the name itself. */
function below(name: Name, resource: Resource): Name[] {
  const known = [...resource.fields, ...resource.derived].some((field) => field.name.text === name.text);
  const nested = known ? [] : resource.fields.filter((field) => field.name.text.startsWith(`${name.text}.`));
  return nested.length ? nested.map((field) => ({ ...name, text: field.name.text })) : [name];
}

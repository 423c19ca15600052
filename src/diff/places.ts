import type { Compiled } from '../compile.ts';

/** The lines of what differences are about, by what they call it. */
export function placesOf({ model, lines }: Compiled): ReadonlyMap<string, number> {
  const out = new Map<string, number>();
  const note = (name: string, span: { readonly from: number } | null | undefined): void => {
    if (span && !out.has(name)) out.set(name, lines.position(span.from).line);
  };
  for (const resource of model.resources.list) {
    const name = resource.name.text;
    note(name, resource.name);
    for (const field of resource.fields) note(`${name}.${field.name.text}`, field.span);
    for (const field of resource.derived) note(`${name}.${field.name.text}`, field.span);
  }
  for (const { resource, transitions } of model.states.machines)
    for (const { name } of transitions) note(`${resource.text}.${name.text}`, name);
  for (const one of model.endpoints.list) note(one.name, one.span);
  for (const one of model.events.list) note(one.name.text, one.span);
  for (const one of model.errors.rows) note(one.code.text, one.span);
  for (const one of model.authentication.schemes) note(one.name, one.span);
  for (const one of model.versioning.versions) note(`version ${one.name}`, one.span);
  note('versions', model.versioning.current);
  for (const one of model.limits.rates) note(`rate ${one.per}`, one.span);
  return out;
}

/** The line of a place, or of what it belongs to; null where no line says it. */
export function lineOf(places: ReadonlyMap<string, number>, at: string): number | null {
  const cut = at.lastIndexOf('.');
  return places.get(at) ?? (cut > 0 ? lineOf(places, at.slice(0, cut)) : null);
}

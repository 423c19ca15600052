import type * as t from '../../../expression/tree/types.ts';
import type { Name } from '../../../syntax/names.ts';
import { bodyParameters, type Effective, isForm, requestOf, takesForm } from '../../document/effective.ts';
import { parameterType } from '../../document/parameter-types.ts';
import type { Resolved } from '../../document/resolve.ts';
import { namesOf } from '../../versioning/differences.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';

/** Checks the bodies that may be forms: their members are texts or lists of texts, in each version. */
export function checkForms(r: Resolved): void {
  const shared = r.model.endpoints.settings.payloads;
  const inForce = r.effective.filter((one) => one.settings.payloads === shared);
  if (shared && isForm(r.model.endpoints.settings) && inForce.length > 0 && !inForce.some(takesForm))
    r.notes.findings.push(d.report.formUnused(shared, { where: 'no endpoint that takes the bullet' }));
  const reported = new Set<number>();
  for (const one of r.effective) {
    const { payloads } = one.endpoint.settings;
    if (payloads && isForm(one.endpoint.settings) && !takesForm(one))
      r.notes.findings.push(d.report.formUnused(payloads, { where: `no request to ${one.endpoint.name}` }));
    if (!takesForm(one)) continue;
    for (const { name, type } of misfits(r, one)) {
      // Endpoints may share a Request.
      if (!reported.has(name.from))
        r.notes.findings.push(d.report.formValue(name, { name: name.text, type, endpoint: one.endpoint.name }));
      reported.add(name.from);
    }
  }
}

/** A member of a body that no form can hold, with a noun for its type. */
interface Misfit {
  readonly name: Name;
  readonly type: string;
}

function misfits(r: Resolved, one: Effective): Misfit[] {
  const request = requestOf(one);
  const parameters = bodyParameters(one).map((parameter) => {
    const type = parameter.type?.value;
    const names = type?.kind === 'field' ? namesOf(r, type.resource.text, type.field.text) : [];
    return { name: parameter.name, type: misfit(parameterType(r, parameter), [parameter.name.text, ...names]) };
  });
  const own = parameters.flatMap(({ name, type }) => (type === null ? [] : [{ name, type }]));
  if (!request) return own;
  if (request.member) return [{ name: request.member, type: request.list ? 'a list of objects' : 'an object' }, ...own];
  const row = r.rows.get(request.resource.text);
  const resource = r.resourceNamed(request.resource.text);
  // Files are parts of their own, or have findings of their own.
  const isOfFile = ({ text }: Name): boolean => resource !== null && r.fieldNamed(resource, text)?.of !== undefined;
  const fields = request.fields.flatMap((name) => {
    if (isOfFile(name)) return [];
    const known = row?.fields.get(name.text);
    const type = known ? misfit(known, namesOf(r, request.resource.text, name.text)) : null;
    return type === null ? [] : [{ name, type }];
  });
  return [...fields, ...own];
}

/** A noun for a value that no form can hold; null where a form can hold it. */
function misfit(type: t.Type, names: Iterable<string>): string | null {
  if ([...names].some((name) => name.includes('.'))) return 'a member of an object';
  if (type.kind === 'map') return 'a map';
  if (type.kind !== 'list') return null;
  if (type.of.kind === 'list') return 'a list of lists';
  return type.of.kind === 'map' ? 'a list of maps' : null;
}

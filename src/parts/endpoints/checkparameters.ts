import type { Resolved } from '../../model/resolve.ts';
import { fieldType } from '../../model/resolve.ts';
import * as t from '../../expression/types.ts';
import { resourcesDiagnostics } from '../resources/diagnostics.ts';
import { endpointsDiagnostics as d } from './diagnostics.ts';
import { type Effective, isBelow, pathNames } from './effective.ts';
import type { Parameter } from './model.ts';

/** Which allowed values fit which types; a field’s type brings its own, so beside it only `any` stands. */
const FITS: Readonly<Record<string, readonly string[]>> = {
  string: ['any', 'length', 'pattern', 'one of'],
  integer: ['any', 'range'],
};

/** The type of a parameter in expressions. */
export function parameterType(r: Resolved, parameter: Parameter): t.Type {
  const type = parameter.type?.value;
  const optional = parameter.presence?.value === 'optional';
  if (!type) return t.UNKNOWN;
  if (type.kind === 'field') {
    const known = r.rows.get(type.resource.text)?.fields.get(type.field.text);
    return known ? t.nullable(known, optional) : t.UNKNOWN;
  }
  const name = { ...parameter.name, text: `query.${parameter.name.text}` };
  const { allowed, presence } = parameter;
  const like = { name, span: parameter.span, type: { ...parameter.type!, value: type.type }, allowed, presence };
  return fieldType({ ...like, format: null, givenBy: null, unique: null }, parameter.in?.value ?? 'query');
}

/** Checks parameters: each declared where it can stand, of a known type, and used. */
export function checkParameters(r: Resolved, all: readonly Effective[]): void {
  for (const parameter of r.model.endpoints.parameters) {
    checkParameter(r, parameter);
    if (parameter.in?.value === 'query')
      r.notes.findings.push(d.report.parameterPlace(parameter.name, { name: parameter.name.text, place: 'query' }));
    else if (!all.some((one) => pathNames(one.endpoint.path).includes(parameter.name.text)))
      r.notes.findings.push(d.report.parameterUnused(parameter.name, { name: parameter.name.text }));
  }
  for (const one of all) {
    checkPath(r, one);
    for (const parameter of one.endpoint.parameters) checkOwn(r, one, parameter);
  }
  for (const under of r.model.endpoints.unders)
    for (const name of pathNames(under.path)) {
      const below = all.find((one) => isBelow(one.endpoint.path, under.path));
      if (below && !pathNames(below.endpoint.path).includes(name)) r.unknown({ text: name, ...under.span }, 'parameter', []);
    }
}

function checkPath(r: Resolved, one: Effective): void {
  const declared = one.parameters.map((parameter) => parameter.name.text);
  for (const name of pathNames(one.endpoint.path))
    if (!declared.includes(name)) {
      const params = { name, endpoint: one.endpoint.name };
      r.notes.findings.push(d.report.pathParameter(one.endpoint.span, params, [one.endpoint.name]));
    }
}

function checkOwn(r: Resolved, one: Effective, parameter: Parameter): void {
  checkParameter(r, parameter);
  const { text: name } = parameter.name;
  if (parameter.in?.value === 'path' && !pathNames(one.endpoint.path).includes(name))
    r.notes.findings.push(d.report.parameterPlace(parameter.name, { name, place: 'path' }));
  if (one.endpoint.parameters.find((other) => other.name.text === name) !== parameter)
    r.notes.findings.push(d.report.nameTaken(parameter.name, { name, endpoint: one.endpoint.name }));
  const pages = r.model.limits.pages?.value;
  const listed = one.steps.some((step) => step.verb === 'List');
  if (listed && pages && [pages.limit, pages.cursor].includes(name))
    r.notes.findings.push(d.report.pageParameter(parameter.name, { name }));
}

function checkParameter(r: Resolved, parameter: Parameter): void {
  const { findings } = r.notes;
  const type = parameter.type?.value;
  if (type?.kind === 'field') {
    const resource = r.resource(type.resource);
    if (resource) r.field(resource, type.field);
  }
  const path = `“${parameter.name.text}”`;
  const kind = type?.kind === 'plain' ? type.type.kind : null;
  const allowed = parameter.allowed?.value;
  if (kind === 'string' && allowed?.kind === 'any')
    findings.push(resourcesDiagnostics.report.stringBound(parameter.name, { field: path }));
  if (kind === 'integer' && allowed?.kind === 'any')
    findings.push(resourcesDiagnostics.report.integerBounds(parameter.name, { field: path }));
  const fits = FITS[kind ?? ''] ?? ['any'];
  if (allowed && !fits.includes(allowed.kind)) {
    const described = type?.kind === 'field' ? 'a field’s, with its bounds' : `${kind}`;
    const params = { allowed: allowed.kind, field: path, type: described };
    findings.push(resourcesDiagnostics.report.allowedOfType(parameter.allowed, params));
  }
  if (parameter.otherwise) r.code(parameter.otherwise, 'step');
  if (parameter.in?.value === 'path' && parameter.presence?.value === 'optional')
    findings.push(d.report.pathPresence(parameter.presence, { name: parameter.name.text }));
}

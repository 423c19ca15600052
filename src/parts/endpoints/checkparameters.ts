import * as t from '../../expression/types.ts';
import type { Resolved } from '../../model/resolve.ts';
import { fieldType } from '../../model/resolve.ts';
import { language } from '../../source/language.ts';
import { refuseRepeats } from '../../source/read.ts';
import { ALLOWED, checkBounds } from '../resources/bounds.ts';
import { resourcesDiagnostics } from '../resources/diagnostics.ts';
import { endpointsDiagnostics as d } from './diagnostics.ts';
import { type Effective, pathNames } from './effective.ts';
import { pathStart, segmentsOf } from './headings.ts';
import type { Parameter } from './model.ts';

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
  const shared = r.model.endpoints.parameters;
  const names = shared.map((parameter) => parameter.name);
  refuseRepeats(names, r.notes.findings, 'The parameter ');
  for (const parameter of shared) {
    checkParameter(r, parameter);
    if (parameter.keeps) {
      const params = { what: 'A condition on rows', where: 'at a parameter of every endpoint' };
      r.notes.findings.push(language.report.unexpected(parameter.keeps, params));
    }
    if (parameter.in?.value === 'query')
      r.notes.findings.push(d.report.parameterPlace(parameter.name, { name: parameter.name.text, place: 'query' }));
    else if (!all.some((one) => pathNames(one.endpoint.path).includes(parameter.name.text)))
      r.afterAll(() => {
        if (r.meant(parameter.name.text)) return;
        r.notes.findings.push(d.report.parameterUnused(parameter.name, { name: parameter.name.text }));
      });
  }
  for (const one of all) {
    checkPath(r, one);
    for (const parameter of one.endpoint.parameters) checkOwn(r, one, parameter);
  }
}

/** Each name in the braces of a path is a parameter; one that a parameter was probably meant by is misspelt. */
function checkPath(r: Resolved, one: Effective): void {
  const { endpoint } = one;
  const declared = [...endpoint.parameters, ...r.model.endpoints.parameters]
    .filter((parameter) => parameter.in?.value === 'path')
    .map((parameter) => parameter.name.text);
  const names = pathNames(endpoint.path);
  for (const segment of segmentsOf(endpoint.path, pathStart(endpoint))) {
    if (!segment.named || one.parameters.some((parameter) => parameter.name.text === segment.text)) continue;
    const free = declared.filter((name) => !names.includes(name));
    const params = { name: segment.text, endpoint: endpoint.name };
    if (r.nearest(segment.text, free)) r.unknown(segment, 'parameter', free);
    else r.notes.findings.push(d.report.pathParameter(segment, params, [endpoint.name]));
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
  const listed = one.every.some((step) => step.verb === 'List');
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
  const { allowed } = parameter;
  if (type?.kind === 'plain') {
    const stated = { value: type.type, from: parameter.type!.from, to: parameter.type!.to };
    const format = { ...stated, value: 'none' as const };
    findings.push(...checkBounds({ name: parameter.name, type: stated, format, allowed, givenBy: null }, path));
  } else if (type && allowed && allowed.value.kind !== 'any') {
    const params = { allowed: ALLOWED[allowed.value.kind], field: path, type: 'a field’s, with its bounds' };
    findings.push(resourcesDiagnostics.report.allowedOfType(allowed, params));
  }
  checkSeparated(r, parameter);
  if (parameter.otherwise) r.code(parameter.otherwise, 'step');
  if (parameter.in?.value === 'path' && parameter.presence?.value === 'optional')
    findings.push(d.report.pathPresence(parameter.presence, { name: parameter.name.text }));
}

/** Items have to be separated somehow where a list stands in an address; nothing else has any. */
function checkSeparated(r: Resolved, parameter: Parameter): void {
  const { type } = parameter;
  const known = parameterType(r, parameter).kind;
  if (!type || known === 'unknown') return;
  const params = { name: parameter.name.text };
  const text = parameter.in?.value === 'path' || parameter.in?.value === 'query';
  if (known === 'list' && text && !type.value.separated) r.notes.findings.push(d.report.separated(type, params));
  if ((known !== 'list' || !text) && type.value.separated) r.notes.findings.push(d.report.notSeparated(type, params));
}

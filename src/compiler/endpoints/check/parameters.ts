import { codePoints } from '../../../expression/values/text.ts';
import type { ParameterType } from '../../../language/endpoints.ts';
import { isFieldName, READ_ALREADY } from '../../../language/header-fields.ts';
import type { Allowed } from '../../../language/values.ts';
import { TYPES } from '../../../language/values.ts';
import { pathNames } from '../../../plan/paths.ts';
import { language } from '../../../syntax/messages.ts';
import { refuseRepeats } from '../../../syntax/names.ts';
import {
  type Effective,
  headerName,
  pathStart,
  piecesOf,
  requestOf,
  statedIdempotency,
} from '../../document/effective.ts';
import { targetOf } from '../../document/field-types.ts';
import { isPaged, pagesOf } from '../../document/pages.ts';
import { parameterType } from '../../document/parameter-types.ts';
import type { Resolved } from '../../document/resolve.ts';
import { identityOf } from '../../document/resolve.ts';
import { ALLOWED, checkBounds, innermost } from '../../resources/bounds.ts';
import { hashedUse, isHashed, isSecret } from '../../resources/check-passwords.ts';
import { resourcesDiagnostics } from '../../resources/messages.ts';
import type { Parameter } from '../../statements/endpoints.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';

/** Checks parameters: their places and types, and that each is used. */
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
    const place = parameter.in?.value ?? 'path';
    if (place === 'query' || place === 'body')
      r.notes.findings.push(d.report.parameterPlace(parameter.name, { name: parameter.name.text, place }));
    else
      r.afterAll(() => {
        if (usesShared(r, all, parameter) || r.isSuggested(parameter.name.text)) return;
        // An unused path parameter may be the correct spelling of an undeclared one.
        if (place === 'path' && all.some((one) => undeclared(one).length > 0)) return;
        r.notes.findings.push(d.report.parameterUnused(parameter.name, { name: parameter.name.text }));
      });
  }
  for (const one of all) {
    checkPath(r, one);
    checkOwn(r, one);
  }
}

/** The names in the braces of a path that no parameter declares. */
export const undeclared = ({ endpoint, parameters }: Effective): readonly string[] =>
  pathNames(endpoint.path).filter((name) => !parameters.some((parameter) => parameter.name.text === name));

/** Whether any endpoint uses a shared parameter: a path parameter in its path, a header parameter in an expression. */
function usesShared(r: Resolved, all: readonly Effective[], { in: place, name }: Parameter): boolean {
  if (place?.value === 'header') return r.headersUsed.has(name.text);
  return all.some((one) => pathNames(one.endpoint.path).includes(name.text));
}

/** Reports names in the braces of a path that no parameter declares: misspelt ones, and ones without a declaration. */
function checkPath(r: Resolved, one: Effective): void {
  const { endpoint } = one;
  const declared = [...endpoint.parameters, ...r.model.endpoints.parameters]
    .filter((parameter) => parameter.in?.value === 'path')
    .map((parameter) => parameter.name.text);
  const names = pathNames(endpoint.path);
  for (const segment of piecesOf(endpoint.path, pathStart(endpoint))) {
    if (!segment.named || one.parameters.some((parameter) => parameter.name.text === segment.text)) continue;
    const free = declared.filter((name) => !names.includes(name));
    const meant = likely(r, endpoint.path, segment.text);
    const owner = `path parameter ${meant.type}`;
    const params = { name: segment.text, endpoint: endpoint.name, found: segment.text, owner, ...meant };
    if (r.nearest(segment.text, free)) r.unknown(segment, 'parameter', free);
    else r.notes.findings.push(d.report.pathParameter(segment, params, [endpoint.name]));
  }
}

/** The likely type of a path parameter: the identity of the resource with a name like that of the segment before. */
function likely(r: Resolved, path: string, name: string): { type: string; code: string } {
  const before = /([^/]+)\/$/.exec(path.slice(0, path.indexOf(`{${name}}`)))?.[1] ?? '';
  const { list } = r.model.resources;
  const resource = list.find((one) => before.toLowerCase().startsWith(one.name.text.toLowerCase())) ?? list[0];
  if (!resource) return { type: 'string', code: 'not_found' };
  const identity = identityOf(resource)?.name.text ?? 'id';
  return { type: `${resource.name.text}.${identity}`, code: `${resource.name.text.toLowerCase()}_not_found` };
}

/** The parameters that the text of a condition reads, such as `query.name`; a bare `name` is a field. */
const readIn = (condition: string): readonly string[] =>
  [...condition.matchAll(/\b(?:query|header|path|request)(?:\.(\w+)|\[(?:"([^"]*)"|'([^']*)')\])/g)].map(
    ([, member, quoted, single]) => member ?? quoted ?? single ?? '',
  );

/** Whether a filter doesn't read its own parameter. False if it reads an undeclared one, which has its own finding. */
function isUnread({ name, keeps }: Parameter, parameters: readonly Parameter[]): boolean {
  const read = keeps ? readIn(keeps.text) : null;
  return (
    read !== null &&
    !read.includes(name.text) &&
    read.every((one) => parameters.some((other) => other.name.text === one))
  );
}

/** Checks the parameters that an endpoint declares itself. */
function checkOwn(r: Resolved, one: Effective): void {
  const { path, parameters, name: endpoint } = one.endpoint;
  const inPath = pathNames(path);
  const pages = isPaged(one) ? pagesOf(r, one)?.value : null;
  const seen = new Set<string>();
  for (const parameter of parameters) {
    checkParameter(r, parameter);
    const { text: name } = parameter.name;
    if (parameter.keeps && isUnread(parameter, parameters))
      r.notes.findings.push(d.report.filterUnread(parameter.keeps, { name }));
    if (parameter.in?.value === 'path' && !inPath.includes(name) && !r.isSuggested(name))
      r.notes.findings.push(d.report.parameterPlace(parameter.name, { name, place: 'path' }));
    if (seen.has(takenName(parameter)) || heldByRequest(one, parameter))
      r.notes.findings.push(d.report.nameTaken(parameter.name, { name, endpoint }));
    seen.add(takenName(parameter));
    if (pages && [pages.limit, pages.place].includes(name))
      r.notes.findings.push(d.report.pageParameter(parameter.name, { name }));
  }
}

/** The key by which names of parameters must differ. Path and query parameters share one set of names. */
function takenName(parameter: Parameter): string {
  const place = parameter.in?.value ?? 'query';
  if (place === 'header') return `header ${headerName(parameter)}`;
  return `${place === 'path' ? 'query' : place} ${parameter.name.text}`;
}

/** Whether a parameter in the body has the name of a member that Request declares. */
function heldByRequest(one: Effective, parameter: Parameter): boolean {
  const request = requestOf(one);
  if (parameter.in?.value !== 'body' || !request) return false;
  const members = request.member ? [request.member] : request.fields;
  return members.some((name) => name.text === parameter.name.text);
}

/** Checks that the name of a header parameter is the name of a header field, and of none that the service reads. */
function checkHeader(r: Resolved, { name }: Parameter): void {
  if (!isFieldName(name.text) || r.once(headersTaken).has(name.text.toLowerCase()))
    r.notes.findings.push(d.report.headerName(name, { found: name.text }));
}

/** The header fields that the service reads for other purposes, in lower case. */
function headersTaken(r: Resolved): ReadonlySet<string> {
  return new Set([
    ...READ_ALREADY,
    ...statedIdempotency(r.model.endpoints).flatMap(({ value }) =>
      value === 'none' ? [] : [value.header.toLowerCase()],
    ),
    ...r.model.authentication.schemes.flatMap(({ header, cookie }) => [
      ...(header ? [header.value.name.toLowerCase()] : []),
      ...(cookie ? ['cookie'] : []),
    ]),
    r.model.versioning.header?.value.toLowerCase() ?? '',
  ]);
}

/** Checks one parameter by itself: its type, its bounds and its default. */
export function checkParameter(r: Resolved, parameter: Parameter): void {
  const { findings } = r.notes;
  const type = parameter.type?.value;
  if (type?.kind === 'field') {
    const resource = r.resource(type.resource);
    const field = resource && r.field(resource, type.field);
    if (field?.type && 'of' in field.type.value && targetOf(field.type.value) && parameter.type)
      findings.push(
        language.report.notYet(parameter.type, {
          what: `A ${field.type.value.kind} of references as a parameter`,
        }),
      );
    if (field && isHashed(field) && parameter.in && parameter.in.value !== 'body') {
      const path = `${resource.name.text}.${field.name.text}`;
      findings.push(hashedUse(parameter.in, path, isSecret(field), `be sent in the ${parameter.in.value}`));
    }
  }
  const path = `“${parameter.name.text}”`;
  const { allowed } = parameter;
  if (parameter.type && type?.kind === 'plain') {
    const of = innermost(type.type);
    if (of.kind === 'reference') r.resource(of.resource, 'type or resource', TYPES);
    const stated = { ...parameter.type, value: type.type };
    const format = { ...stated, value: 'none' as const };
    if (of.kind !== 'reference' || r.rows.has(of.resource.text))
      findings.push(...checkBounds({ name: parameter.name, type: stated, format, allowed, givenBy: null }, path));
  } else if (type && allowed && allowed.value.kind !== 'any') {
    const params = {
      allowed: ALLOWED[allowed.value.kind],
      field: path,
      type: 'a field’s, with its bounds',
      fits: 'any',
    };
    findings.push(resourcesDiagnostics.report.allowedOfType(allowed, params));
  }
  checkSeparated(r, parameter);
  if (parameter.in?.value === 'header') checkHeader(r, parameter);
  if (parameter.fallback) {
    const stands = r.type(parameter.fallback, r.scope(new Map(), null), parameterType(r, parameter), path, 'row');
    const bounds = type?.kind === 'field' ? fieldOf(r, type)?.allowed : allowed;
    if (stands?.op === 'const' && bounds && !isWithin(stands.value, bounds.value))
      findings.push(d.report.elseBeyond(parameter.fallback, { name: parameter.name.text }));
  }
  if (parameter.otherwise) r.code(parameter.otherwise, 'step');
  if (parameter.in?.value === 'path' && parameter.presence && parameter.presence.value !== 'always')
    findings.push(d.report.pathPresence(parameter.presence, { name: parameter.name.text }));
}

const fieldOf = (r: Resolved, { resource, field }: Extract<ParameterType, { kind: 'field' }>) =>
  r.resourceNamed(resource.text)?.fields.find((one) => one.name.text === field.text);

/** Whether a default lies within the allowed values of its parameter; also true where no bounds apply. */
function isWithin(value: string | number | boolean | null, allowed: Allowed): boolean {
  const measure = typeof value === 'string' ? codePoints(value) : value;
  if (typeof measure !== 'number' || !('min' in allowed) || allowed.kind === 'decimals') return true;
  if (typeof value === 'string' && allowed.kind !== 'length') return true;
  return measure >= allowed.min && measure <= allowed.max;
}

/** Checks separators: a list in a path, query or header needs one, and no other parameter has one. */
function checkSeparated(r: Resolved, parameter: Parameter): void {
  const { type } = parameter;
  const known = parameterType(r, parameter).kind;
  if (!type || known === 'unknown') return;
  const params = { name: parameter.name.text };
  if (known === 'map' && parameter.in?.value !== 'body') r.notes.findings.push(d.report.mapInText(type, params));
  const text = parameter.in !== null && parameter.in.value !== 'body';
  if (known === 'list' && text && !type.value.separated) r.notes.findings.push(d.report.separated(type, params));
  if ((known !== 'list' || !text) && type.value.separated) r.notes.findings.push(d.report.notSeparated(type, params));
}

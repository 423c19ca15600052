import * as t from '../../expression/tree/types.ts';
import { type Access, accessText, type ParameterPlace, type Requested } from '../../language/endpoints.ts';
import type { InsideStep } from '../../plan/step.ts';
import { allowing } from '../../syntax/diagnostic.ts';
import type { Name } from '../../syntax/names.ts';
import { callerAt, hasScope, schemesOf } from '../document/access.ts';
import { type Effective, isBelow, Paths, pathStart, piecesOf, requestOf, takesBody } from '../document/effective.ts';
import { parameterType } from '../document/parameter-types.ts';
import type { Resolved } from '../document/resolve.ts';
import type { Endpoint, Handler, Schedule, Settings, Under } from '../statements/endpoints.ts';
import { checkBytes } from './check/bytes.ts';
import { checkForms } from './check/forms.ts';
import { checkParameters, undeclared } from './check/parameters.ts';
import { checkConditional } from './check/preconditions.ts';
import { checkMethod, checkSettings } from './check/settings.ts';
import { checkTags } from './check-tags.ts';
import { type CheckedHandler, checkHandlers } from './handlers/check.ts';
import { endpointsDiagnostics as d } from './messages/endpoints.ts';
import { checkSchedules } from './schedules/check.ts';
import { type CheckedSteps, checkEach, checkSteps } from './verbs/check-steps.ts';

/** The planned steps of the settled endpoints, handlers and schedules. */
export interface CheckedEndpoints {
  readonly steps: ReadonlyMap<Effective, CheckedSteps>;
  readonly handlers: ReadonlyMap<Handler, CheckedHandler>;
  readonly schedules: ReadonlyMap<Schedule, readonly InsideStep[]>;
}

/** Checks every endpoint: its settings, parameters, request and steps. */
export function checkEndpoints(r: Resolved): CheckedEndpoints {
  const { endpoints } = r.model;
  if (endpoints.list.length === 0 && (endpoints.settings.payloads || endpoints.parameters.length))
    r.notes.findings.push(d.report.none(null));
  checkUnders(r);
  checkTagNames(r);
  checkSettings(r, r.effective);
  checkParameters(r, r.effective);
  const reported = new Set<number>();
  for (const settings of [endpoints.settings, ...endpoints.list.map((endpoint) => endpoint.settings)])
    checkRequest(r, settings);
  checkForms(r);
  checkBytes(r);
  const handlers = checkHandlers(r, checkEach);
  const schedules = checkSchedules(r, checkEach);
  const settled = new Map<Effective, CheckedSteps>();
  for (const one of r.effective) {
    checkAccess(r, one.settings.access?.value, reported);
    const audience = one.settings.audience?.value;
    if (audience !== 'none') checkAccess(r, audience, reported);
    const steps = r.within(one.endpoint.name, () => checkSteps(r, one, namesOf(r, one)));
    if (steps) settled.set(one, steps);
    checkMethod(r, one);
    checkConditional(r, one);
  }
  checkTags(r, settled);
  return { steps: settled, handlers, schedules };
}

/** Checks an Access, or an Audience. A shared statement is reported once, for all endpoints that inherit it. */
function checkAccess(r: Resolved, access: Access | undefined, reported: Set<number>): void {
  if (!access || access.kind === 'anyone') return;
  const { kind, names } = access;
  const [first] = names;
  const { schemes } = r.model.authentication;
  if (kind === 'scope') for (const { text } of names) r.scopeUses.add(text);
  if (reported.has(first.from)) return;
  reported.add(first.from);
  if (schemes.length === 0) {
    r.notes.findings.push(d.report.accessUncalled(first, { access: accessText(access) }));
    if (kind === 'any') for (const name of names) r.resource(name);
    return;
  }
  if (kind === 'any') for (const name of names) checkCallers(r, name);
  else if (names.map((name) => checkScope(r, name)).every(Boolean) && !schemesOf(schemes, access).length)
    r.notes.findings.push(d.report.scopesApart({ ...first, to: names.at(-1)!.to }, { access: accessText(access) }));
}

/** Checks that rows of the resource call. */
function checkCallers(r: Resolved, name: Name): void {
  const resource = r.resource(name);
  const callers = new Set(r.model.authentication.schemes.map((scheme) => scheme.caller?.text ?? name.text));
  if (resource && !callers.has(name.text))
    r.notes.findings.push(d.report.accessOfAnother(name, { resource: name.text, caller: [...callers].join(' or ') }));
}

/** Checks that some scheme has the scope. */
function checkScope(r: Resolved, name: Name): boolean {
  const { schemes } = r.model.authentication;
  if (schemes.some((scheme) => hasScope(scheme, name.text))) return true;
  const scopes = schemes.flatMap((scheme) => (scheme.scopes ?? []).map((scope) => scope.name.text));
  const params = {
    found: name.text,
    nearest: r.nearest(name.text, [...scopes, 'anyone']) ?? '',
    scopes: scopes.join(', '),
  };
  r.notes.findings.push(allowing(d.report.unknownScope(name, params), scopes));
  return false;
}

/** The API versions that a request may name; null where the API has no versions. */
function servedVersions({ scheme, current, versions }: Resolved['model']['versioning']): string[] | null {
  if (scheme === null) return null;
  const older = versions.filter(({ state }) => state !== 'retired').map(({ name }) => name);
  return [...(current ? [current.value] : []), ...older];
}

/** The names, with their types, that the first step of an endpoint may use. */
function namesOf(r: Resolved, one: Effective): Map<string, t.Type> {
  const names = callerAt(r, one);
  const members = (place: ParameterPlace) => {
    const of = one.parameters.filter((parameter) => parameter.in?.value === place);
    const missing = place === 'path' ? undeclared(one).map((name) => [name, t.UNKNOWN] as const) : [];
    return Object.fromEntries([
      ...missing,
      ...of.map((parameter) => [parameter.name.text, parameterType(r, parameter)] as const),
    ]);
  };
  names.set('service', t.service(servedVersions(r.model.versioning)));
  for (const place of ['path', 'query', 'header'] as const)
    names.set(place, { kind: 'object', members: members(place), nulls: [], nullable: false });
  if (takesBody(one)) names.set('request', requestType(r, requestOf(one), members('body')));
  return names;
}

/** The type of `request`, the body: its fields, or the member that holds them, then the parameters in the body. */
function requestType(r: Resolved, request: Requested | null, members: Record<string, t.Type>): t.ObjectType {
  const object = { kind: 'object', nullable: false } as const;
  const payload = request && payloadType(r, request);
  if (!request || !payload) return { ...object, members, nulls: [] };
  if (!request.member) return { ...payload, members: { ...payload.members, ...members } };
  const memberType: t.Type = request.list ? { kind: 'list', of: payload, nullable: false } : payload;
  return { ...object, members: { [request.member.text]: memberType, ...members }, nulls: [] };
}

function payloadType(r: Resolved, request: Requested): t.ObjectType {
  const row = r.rows.get(request.resource.text);
  // An unknown field has a finding of its own, and gets a type that fits everywhere.
  const known = request.fields.map((field) => [field.text, row?.fields.get(field.text) ?? t.UNKNOWN] as const);
  const { optional } = request;
  return {
    kind: 'object',
    members: Object.fromEntries(known.map(([name, type]) => [name, t.nullable(type, optional || type.nullable)])),
    nulls: known.filter(([, type]) => type.nullable).map(([name]) => name),
    payload: { resource: request.resource.text, fields: known.map(([name]) => name), optional },
    nullable: false,
  };
}

function checkRequest(r: Resolved, settings: Settings): void {
  const request = settings.request?.value;
  if (!request || request === 'none') return;
  const { list, member } = request;
  if (list && member && !list.items)
    r.notes.findings.push(d.report.requestItems(settings.request, { member: member.text }));
  const resource = r.resource(request.resource);
  if (!resource) return;
  for (const name of request.fields) {
    const field = r.field(resource, name);
    if (field?.givenBy && !field.givenBy.value.some((giving) => giving.from === 'request')) {
      const path = `${resource.name.text}.${field.name.text}`;
      r.notes.findings.push(d.report.notGivenBy(name, { field: path, source: 'request' }));
    }
  }
}

/** Checks the tags of endpoints: each has a heading or is a resource, and each heading names the tag of an endpoint. */
function checkTagNames(r: Resolved): void {
  const { tags, list } = r.model.endpoints;
  const named = new Set(tags.map(({ name }) => name.text));
  const resources = r.model.resources.list.map(({ name }) => name.text);
  const used = list.flatMap(({ settings }) => settings.tag?.value ?? []);
  for (const name of used)
    if (!named.has(name.text) && !resources.includes(name.text)) r.unknown(name, 'tag', [...named, ...resources]);
  for (const { name } of tags) {
    if (resources.includes(name.text)) r.notes.findings.push(d.report.tagTaken(name, { name: name.text }));
    else if (!used.some(({ text }) => text === name.text) && !r.isSuggested(name.text))
      r.notes.findings.push(d.report.tagUnused(name, { name: name.text }));
  }
}

/** Checks the paths of `### Under`: each has endpoints below it, and their paths have the same names of parameters. */
function checkUnders(r: Resolved): void {
  const { unders, list } = r.model.endpoints;
  const paths = new Paths(unders);
  const found = list.map((endpoint) => ({ endpoint, above: paths.above(endpoint.path) }));
  const led = new Set(
    found.flatMap(({ endpoint, above }) => above.filter((under) => isBelow(endpoint.path, under.path))),
  );
  for (const under of unders) if (!led.has(under)) checkLost(r, under);
  for (const { endpoint, above } of found)
    for (const under of above) if (led.has(under)) checkNames(r, under, endpoint);
}

/** Reports a path without endpoints below it. Its first segment that no endpoint shares may be misspelt. */
function checkLost(r: Resolved, under: Under): void {
  let at = r.once(served);
  for (const segment of piecesOf(under.path, under.span.from)) {
    const children = segment.named ? at.named : at.plain;
    const next = children.get(segment.text);
    if (!next) {
      if (r.nearest(segment.text, children.keys()))
        r.unknown(segment, segment.named ? 'parameter' : 'path', children.keys());
      else r.notes.findings.push(d.report.underUnused(under.span, { path: under.path }));
      return;
    }
    at = next;
  }
}

/** A tree of the paths of the endpoints, by segment. */
interface Served {
  readonly plain: Map<string, Served>;
  readonly named: Map<string, Served>;
}

function served(r: Resolved): Served {
  const root: Served = { plain: new Map(), named: new Map() };
  for (const endpoint of r.model.endpoints.list) {
    let at = root;
    for (const segment of piecesOf(endpoint.path, pathStart(endpoint))) {
      const children = segment.named ? at.named : at.plain;
      const next = children.get(segment.text) ?? { plain: new Map(), named: new Map() };
      children.set(segment.text, next);
      at = next;
    }
  }
  return root;
}

/** Reports an endpoint that is below the path except for a parameter's name: the steps would silently not apply. */
function checkNames(r: Resolved, under: Under, endpoint: Endpoint): void {
  if (isBelow(endpoint.path, under.path)) return;
  const above = piecesOf(under.path, under.span.from);
  const path = piecesOf(endpoint.path, pathStart(endpoint));
  for (const [i, { text: name }] of above.entries()) {
    const own = path[i];
    if (!own || own.text === name) continue;
    r.notes.findings.push(d.report.underNames(own, { found: own.text, under: under.path, name }));
    return;
  }
}

import * as t from '../../expression/tree/types.ts';
import type { ParameterPlace, Requested } from '../../language/endpoints.ts';
import { callerNames, hasScope } from '../document/access.ts';
import { type Effective, requestOf, takesBody } from '../document/effective.ts';
import type { Resolved } from '../document/resolve.ts';
import type { Handler, Settings } from '../statements/endpoints.ts';
import { checkConditional } from './check/conditional.ts';
import { checkParameters, parameterType, undeclared } from './check/parameters.ts';
import { checkMethod, checkSettings } from './check/settings.ts';
import { checkUnders } from './check/under-paths.ts';
import { checkTags } from './check-tags.ts';
import { type CheckedHandler, checkHandlers } from './handlers/check.ts';
import { endpointsDiagnostics as d } from './messages/endpoints.ts';
import { type CheckedSteps, checkEach, checkSteps } from './verbs/check-steps.ts';

/** The planned steps of the settled endpoints and handlers. */
export interface CheckedEndpoints {
  readonly steps: ReadonlyMap<Effective, CheckedSteps>;
  readonly handlers: ReadonlyMap<Handler, CheckedHandler>;
}

/** Checks every endpoint: its settings, parameters, request and steps. */
export function checkEndpoints(r: Resolved): CheckedEndpoints {
  const { endpoints } = r.model;
  if (endpoints.list.length === 0 && (endpoints.settings.payloads || endpoints.parameters.length))
    r.notes.findings.push(d.report.none(null));
  checkUnders(r);
  checkSettings(r, r.effective);
  checkParameters(r, r.effective);
  const reported = new Set<number>();
  for (const settings of [endpoints.settings, ...endpoints.list.map((endpoint) => endpoint.settings)])
    checkRequest(r, settings);
  const handlers = checkHandlers(r, checkEach);
  const settled = new Map<Effective, CheckedSteps>();
  for (const one of r.effective) {
    checkAccess(r, one, reported);
    const steps = r.within(one.endpoint.name, () => checkSteps(r, one, namesOf(r, one)));
    if (steps) settled.set(one, steps);
    checkMethod(r, one);
    checkConditional(r, one);
  }
  checkTags(r, settled);
  return { steps: settled, handlers };
}

/** Checks the Access of an endpoint. A shared statement is reported once, for all endpoints that inherit it. */
function checkAccess(r: Resolved, one: Effective, reported: Set<number>): void {
  const access = one.settings.access?.value;
  if (!access || access.kind === 'anyone') return;
  const { kind, name } = access;
  const { schemes } = r.model.authentication;
  if (kind === 'scope') r.scopeUses.add(name.text);
  if (reported.has(name.from)) return;
  reported.add(name.from);
  if (schemes.length === 0) {
    const text = kind === 'any' ? `any ${name.text}` : name.text;
    r.notes.findings.push(d.report.accessUncalled(name, { access: text }));
    if (kind === 'any') r.resource(name);
    return;
  }
  if (kind === 'any') {
    const resource = r.resource(name);
    const callers = schemes.map((scheme) => scheme.caller?.text ?? name.text);
    const [caller] = callers;
    if (resource && caller !== undefined && !callers.includes(name.text))
      r.notes.findings.push(d.report.accessOfAnother(name, { resource: name.text, caller }));
    return;
  }
  if (schemes.some((scheme) => hasScope(scheme, name.text))) return;
  const scopes = schemes.flatMap((scheme) => (scheme.scopes ?? []).map((scope) => scope.name.text));
  r.notes.findings.push(
    d.report.unknownScope(name, {
      found: name.text,
      nearest: r.nearest(name.text, [...scopes, 'anyone']) ?? '',
      scopes: scopes.join(', '),
    }),
  );
}

/** The API versions that a request may name; null where the API has no versions. */
function servedVersions({ scheme, current, versions }: Resolved['model']['versioning']): string[] | null {
  if (scheme === null) return null;
  const older = versions.filter(({ state }) => state !== 'retired').map(({ name }) => name);
  return [...(current ? [current.value] : []), ...older];
}

/** The names, with their types, that the first step of an endpoint may use. */
function namesOf(r: Resolved, one: Effective): Map<string, t.Type> {
  const names = callerNames(r, [one]);
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

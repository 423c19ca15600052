import * as t from '../../expression/types.ts';
import type { Resolved } from '../../model/resolve.ts';
import { language } from '../../source/language.ts';
import { callerNames, hasScope } from '../authentication/access.ts';
import { checkSteps } from './check/steps.ts';
import { checkConditional } from './checkconditional.ts';
import { checkParameters, parameterType } from './checkparameters.ts';
import { checkMethod, checkSettings } from './checksettings.ts';
import { checkUnders } from './checkunders.ts';
import { endpointsDiagnostics as d } from './diagnostics.ts';
import type { Effective } from './effective.ts';
import type { Requested, Settings } from './model.ts';

/** Checks every endpoint: its settings, parameters, request and steps. */
export function checkEndpoints(r: Resolved): void {
  const { endpoints } = r.model;
  if (endpoints.list.length === 0 && (endpoints.settings.payloads || endpoints.parameters.length))
    r.notes.findings.push(d.report.none(null));
  checkUnders(r);
  checkSettings(r, r.effective);
  checkParameters(r, r.effective);
  const reported = new Set<number>();
  for (const settings of [endpoints.settings, ...endpoints.list.map((endpoint) => endpoint.settings)])
    checkRequest(r, settings);
  for (const one of r.effective) {
    checkAccess(r, one, reported);
    r.within(one.endpoint.name, () => checkSteps(r, one, namesOf(r, one)));
    checkMethod(r, one);
    checkConditional(r, one);
  }
}

/** One mistaken statement is one finding, however many endpoints take their access from it. */
function checkAccess(r: Resolved, one: Effective, reported: Set<number>): void {
  const access = one.settings.access?.value;
  if (!access || access.kind === 'anyone') return;
  const { kind, name } = access;
  const { schemes } = r.model.authentication;
  if (kind === 'scope') r.scopeUses.add(name.text);
  if (reported.has(name.from)) return;
  reported.add(name.from);
  if (kind === 'any') {
    const resource = r.resource(name);
    if (schemes.length === 0)
      r.notes.findings.push(
        language.report.unexpected(name, { what: 'Access for callers', where: 'where there are none' }),
      );
    const callers = schemes.map((scheme) => scheme.caller?.text ?? name.text);
    if (resource && schemes.length && !callers.includes(name.text))
      r.notes.findings.push(d.report.accessOfAnother(name, { resource: name.text, caller: callers[0]! }));
    return;
  }
  if (schemes.some((scheme) => hasScope(scheme, name.text))) return;
  const scopes = schemes.flatMap((scheme) => (scheme.scopes ?? []).map((scope) => scope.name.text));
  r.notes.findings.push(
    d.report.unknownScope(name, { found: name.text, nearest: r.nearest(name.text, [...scopes, 'anyone']) ?? '' }),
  );
}

/** The names that the steps of an endpoint start with. */
function namesOf(r: Resolved, one: Effective): Map<string, t.Type> {
  const names = callerNames(r, [one]);
  const members = (place: 'path' | 'query') => {
    const of = one.parameters.filter((parameter) => parameter.in?.value === place);
    return Object.fromEntries(of.map((parameter) => [parameter.name.text, parameterType(r, parameter)]));
  };
  names.set('service', t.SERVICE);
  names.set('path', { kind: 'object', members: members('path'), nullable: false });
  names.set('query', { kind: 'object', members: members('query'), nullable: false });
  const request = one.settings.request?.value;
  if (request && request !== 'none')
    names.set('request', { kind: 'object', members: requestMembers(r, request), nullable: false });
  return names;
}

function requestMembers(r: Resolved, request: Requested): Record<string, t.Type> {
  const row = r.rows.get(request.resource.text);
  return Object.fromEntries(
    request.fields.flatMap((field) => {
      const type = row?.fields.get(field.text);
      return type ? [[field.text, t.nullable(type, request.optional || type.nullable)]] : [];
    }),
  );
}

function checkRequest(r: Resolved, settings: Settings): void {
  const request = settings.request?.value;
  if (!request || request === 'none') return;
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

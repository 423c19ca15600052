import { isOfName, type NameDifference } from '../../language/versioning.ts';
import { language } from '../../syntax/messages.ts';
import { isNameOfField } from '../../syntax/names.ts';
import { requestOf } from '../document/effective.ts';
import { isPaged, pagesOf } from '../document/pages.ts';
import type { Resolved } from '../document/resolve.ts';
import type { Parameter } from '../statements/endpoints.ts';
import type { Field, Resource } from '../statements/resources.ts';
import type { Version } from '../statements/versioning.ts';
import { versioningDiagnostics as d } from './messages.ts';
import { requestsOf, seenAnywhere } from './seen.ts';
import { checkWords } from './words.ts';

/** Checks the differences of each version, newest first: each name is of a field that shows, and is free. */
export function checkDifferences(r: Resolved): void {
  const { versions } = r.model.versioning;
  const names = new Map<string, string | null>();
  for (const [i, version] of versions.entries()) {
    const differences = version.differences?.value ?? [];
    const answers = versions.slice(i).some((older) => older.state !== 'retired');
    if (differences.length && !answers)
      r.notes.findings.push(d.report.retiredDiffers(version.differences, { version: version.name }));
    const seen = new Set<string>();
    const named = differences.filter(isOfName);
    for (const one of named) {
      const path = `${one.resource.text}.${one.field.text}`;
      if (seen.has(path))
        r.notes.findings.push(language.report.twice(one.field, { what: `The difference of ${path}` }));
      seen.add(path);
      checkDifference(r, version, one, names);
      names.set(path, one.was);
    }
    for (const one of named) {
      checkFree(r, one, names);
      checkParametersFree(r, one, names);
    }
  }
  checkWords(r);
}

function checkDifference(
  r: Resolved,
  version: Version,
  one: NameDifference,
  newer: ReadonlyMap<string, string | null>,
): void {
  const resource = r.resource(one.resource);
  if (!resource) return;
  const derived = resource.derived.map(({ name }) => name.text);
  const field = derived.includes(one.field.text) ? null : r.field(resource, one.field, derived);
  if (!field && !derived.includes(one.field.text)) return;
  const path = `${resource.name.text}.${one.field.text}`;
  const renamed = newer.get(path);
  const next = renamed === undefined ? one.field.text : renamed;
  if (one.was === next)
    r.notes.findings.push(
      d.report.sameName(one.field, { field: path, name: next === null ? 'absent' : `called “${next}”` }),
    );
  if (one.was !== null && !isNameOfField(one.was, Number.POSITIVE_INFINITY))
    r.notes.findings.push(d.report.fieldName(one.field, { name: one.was }));
  if (!seenAnywhere(r, resource, one.field.text)) r.notes.findings.push(d.report.unseen(one.field, { field: path }));
  if (field && one.was === null && neededInRequest(r, resource, field))
    r.notes.findings.push(d.report.absentNeeded(one.field, { field: path, version: version.name }));
}

function neededInRequest(r: Resolved, resource: Resource, field: Field): boolean {
  const path = `${resource.name.text}.${field.name.text}`;
  const parameters = r.effective.flatMap((one) => one.parameters);
  if (parameters.some((one) => one.presence?.value === 'always' && followsField(one) && fieldOf(one) === path))
    return true;
  const otherwise = field.givenBy?.value.some((giving) => giving.from === 'request' && giving.otherwise);
  if (field.presence?.value !== 'always' || otherwise) return false;
  return requestsOf(r, resource.name.text).some(
    (request) => !request.optional && request.fields.some((one) => one.text === field.name.text),
  );
}

/** The names of a field in all versions. */
export function namesOf(r: Resolved, resource: string, field: string): ReadonlySet<string> {
  const differences = r.model.versioning.versions.flatMap((version) => version.differences?.value ?? []);
  const own = differences.filter(isOfName).filter((one) => one.resource.text === resource && one.field.text === field);
  return new Set([field, ...own.flatMap(({ was }) => was ?? [])]);
}

/** No two fields of a resource have the same name in one version. */
function checkFree(r: Resolved, one: NameDifference, names: ReadonlyMap<string, string | null>): void {
  const resource = r.resourceNamed(one.resource.text);
  for (const other of [...(resource?.fields ?? []), ...(resource?.derived ?? [])]) {
    const path = `${one.resource.text}.${other.name.text}`;
    const called = names.has(path) ? names.get(path) : other.name.text;
    if (one.was !== null && other.name.text !== one.field.text && called && areSameMember(called, one.was))
      r.notes.findings.push(d.report.nameTaken(one.field, { resource: one.resource.text, name: one.was }));
  }
}

/** In no request do a field and a parameter, or two parameters, have the same name in one place. */
function checkParametersFree(r: Resolved, one: NameDifference, names: ReadonlyMap<string, string | null>): void {
  for (const effective of r.effective) {
    const { endpoint, parameters } = effective;
    const request = requestOf(effective);
    const requested = request && !request.member && request.resource.text === one.resource.text ? request : null;
    const inBody = requested?.fields.some((name) => name.text === one.field.text);
    const own = parameters.find((each) => fieldOf(each) === `${one.resource.text}.${one.field.text}`);
    const places = [inBody ? 'body' : null, own?.in?.value === 'path' ? null : own?.in?.value];
    const called = (each: Parameter) => names.get(fieldOf(each) ?? '') ?? each.name.text;
    const others = parameters.filter((each) => each !== own && each.in && places.includes(each.in.value)).map(called);
    const pages = places.includes('query') && isPaged(effective) ? pagesOf(r, effective)?.value : null;
    const rival = [...others, ...(pages ? [pages.limit, pages.place] : [])].find((name) => name === one.was);
    if (rival) r.notes.findings.push(d.report.parameterTaken(one.field, { name: rival, endpoint: endpoint.name }));
  }
}

/** The field whose name a parameter has: the parameter is renamed with the field in each version. */
function fieldOf({ name, type }: Parameter): string | null {
  const known = type?.value;
  return known?.kind === 'field' && name.text === known.field.text ? `${known.resource.text}.${name.text}` : null;
}

/** Only parameters in the query and the body are renamed: a path is fixed, and HTTP names the headers. */
const followsField = (parameter: Parameter): boolean => ['query', 'body'].includes(parameter.in?.value ?? '');

/** Whether two names cannot both be members: they are the same, or one is nested in the other. */
export const areSameMember = (a: string, b: string): boolean =>
  a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`);

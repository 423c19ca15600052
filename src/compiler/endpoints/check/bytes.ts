import type { Requested } from '../../../language/endpoints.ts';
import { isSafe } from '../../../plan/callers.ts';
import type { Name } from '../../../syntax/names.ts';
import { showSize } from '../../../text/units.ts';
import { bodyParameters, bytesOf, type Effective, requestOf, takesParts } from '../../document/effective.ts';
import { limitAt } from '../../document/effective-limits.ts';
import type { Resolved } from '../../document/resolve.ts';
import type { Step } from '../../statements/endpoints.ts';
import type { BytesField, Resource } from '../../statements/resources.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';

/** Checks the endpoints whose body is the bytes of a field: exactly one step of each way stores them. */
export function checkBytes(r: Resolved): void {
  const reported = new Set<number>();
  for (const one of r.effective) {
    const bytes = bytesOf(one);
    const request = requestOf(one);
    const resource = request && r.resourceNamed(request.resource.text);
    if (!request || !resource) continue;
    if (!bytes && takesParts(one)) {
      checkParts(r, one, filesOf(r, request), resource);
      continue;
    }
    if (!bytes) {
      // Endpoints may share a Request.
      for (const name of request.fields) {
        const of = r.fieldNamed(resource, name.text)?.of;
        if (of === undefined || reported.has(name.from)) continue;
        reported.add(name.from);
        r.notes.findings.push(d.report.bytesAmong(name, { field: `${resource.name.text}.${of}` }));
      }
      continue;
    }
    const field = resource.bytes.find(({ name }) => name.text === bytes.text);
    const path = `${resource.name.text}.${bytes.text}`;
    if (!field) {
      // An unknown field has a finding of its own.
      if (r.fieldNamed(resource, bytes.text)) r.notes.findings.push(d.report.bytesOfNone(bytes, { field: path }));
      continue;
    }
    checkUpload(r, one, path);
    const size = limitAt(r, one, 'Request size');
    if (size && field.allowed && size.value < field.allowed.max)
      r.notes.findings.push(
        d.report.bytesBeyond(
          size,
          {
            field: path,
            endpoint: one.endpoint.name,
            most: showSize(size.value),
            size: showSize(field.allowed.max),
          },
          [one.endpoint.name],
        ),
      );
  }
}

/** The fields of bytes whose members a request has. */
export function filesOf(r: Resolved, request: Requested | null): readonly BytesField[] {
  const resource = request && r.resourceNamed(request.resource.text);
  const named = new Set(request?.fields.map((name) => resource && r.fieldNamed(resource, name.text)?.of));
  return resource?.bytes.filter(({ name }) => named.has(name.text)) ?? [];
}

/** The bytes that the heads of the parts of a form, and its values, have at the least. */
const LEAST_ROOM = 16 * 1024;

/** Checks a form of several parts. Its files are stored before the steps, and a part has one name in all versions. */
function checkParts(r: Resolved, one: Effective, files: readonly BytesField[], resource: Resource): void {
  const { findings } = r.notes;
  const endpoint = one.endpoint.name;
  const [first] = files;
  if (!first) {
    for (const step of one.every)
      if (step.verb === 'Validate') findings.push(d.report.partsValidated(step.span, { endpoint }));
    return;
  }
  checkUpload(r, one, files.map(({ name }) => `${resource.name.text}.${name.text}`).join(', '));
  const request = requestOf(one);
  for (const name of request?.fields ?? []) {
    if (r.fieldNamed(resource, name.text)?.of === undefined || !isDifferent(r, resource, name)) continue;
    findings.push(d.report.partsRenamed(name, { field: `${resource.name.text}.${name.text}`, endpoint }));
  }
  const size = limitAt(r, one, 'Request size');
  const least = files.reduce((sum, { allowed }) => sum + (allowed?.max ?? 0), 0) + LEAST_ROOM;
  if (size && size.value < least)
    findings.push(
      d.report.partsBeyond(size, { endpoint, most: showSize(size.value), least: showSize(least) }, [endpoint]),
    );
}

/** Whether a version has another name for a field, or lacks it. */
const isDifferent = (r: Resolved, resource: Resource, field: Name): boolean =>
  r.model.versioning.versions.some((version) =>
    version.differences?.value.some((one) => one.resource.text === resource.name.text && one.field.text === field.text),
  );

function checkUpload(r: Resolved, one: Effective, field: string): void {
  const { endpoint } = one;
  const params = { endpoint: endpoint.name, field };
  const { findings } = r.notes;
  // A GET has a finding of its own.
  if (endpoint.method === 'QUERY') findings.push(d.report.bytesQuery(endpoint.span, params));
  for (const parameter of bytesOf(one) ? bodyParameters(one) : [])
    findings.push(d.report.bytesBeside(parameter.name, { ...params, name: parameter.name.text }));
  for (const step of one.every) {
    if (step.verb === 'Validate') findings.push(d.report.bytesValidated(step.span, params));
    if (step.verb === 'Ensure' && step.from) findings.push(d.report.bytesEnsured(step.span, params));
  }
  if (!limitAt(r, one, 'Time-out')) findings.push(d.report.bytesTimeout(endpoint.span, params, [endpoint.name]));
  if (isSafe(endpoint.method) || one.every.length === 0) return;
  const most = stored(one.steps);
  const twice = most > 1 ? one.every.find(stores) : undefined;
  if (twice) findings.push(d.report.bytesTwice(twice.span, params));
  else if (most === 0) findings.push(d.report.bytesUnstored(endpoint.span, params, [endpoint.name]));
}

const stores = (step: Step): boolean => (step.verb === 'Create' || step.verb === 'Change') && step.from !== null;

/** The largest number of times that one way through the steps stores the bytes; two where it may be any number. */
function stored(steps: readonly Step[]): number {
  let sum = 0;
  for (const step of steps) {
    if (stores(step)) sum += 1;
    else if (step.verb === 'If') sum += Math.max(stored(step.steps), stored(step.otherwise ?? []));
    else if (step.verb === 'For each') sum += 2 * stored(step.steps);
  }
  return sum;
}

import type { Expr } from '../../../expression/tree/expression.ts';
import type { Assignment } from '../../../language/assignments.ts';
import type { Giving } from '../../../language/resources.ts';
import { FILE_MEMBERS, fileColumn } from '../../../plan/files.ts';
import type { FromPlan, GivenPlan } from '../../../plan/step.ts';
import type { Name } from '../../../syntax/names.ts';
import type { Span } from '../../../syntax/span.ts';
import type { Token } from '../../../syntax/tokens.ts';
import { requestOf } from '../../document/effective.ts';
import { identityOf } from '../../document/resolve.ts';
import { hashedUse, isSecret } from '../../resources/check-passwords.ts';
import { checkGiven } from '../../resources/constants.ts';
import { resourcesDiagnostics } from '../../resources/messages.ts';
import type { BytesField, Resource } from '../../statements/resources.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import { filesOf } from './bytes.ts';
import type { Checking, Of } from './checking.ts';

/** The values of `from`: the names of the fields, and the plan; null where it isn't settled. */
interface RequestValues {
  readonly requested: ReadonlySet<string>;
  readonly plan: FromPlan | null;
  /** True if `from` has an error: the fields are then unknown, which causes no further findings. */
  readonly unclear?: boolean;
}

const NOT_TAKEN: RequestValues = { requested: new Set(), plan: null };

const UNCLEAR: RequestValues = { ...NOT_TAKEN, unclear: true };

/** Checks `from request` and returns the fields that the request provides. */
export function fromRequest(c: Checking, from: Token, verb: string, resource: Resource): RequestValues {
  if (from.text === 'request' && !c.names.has('request')) return requestMissing(c, from, resource);
  const value = c.type(from, null, '“from”');
  if (!value) {
    c.broken = true;
    c.readFromRequest = true;
    return UNCLEAR;
  }
  const payload = value.type.kind === 'object' ? value.type.payload : null;
  if (!payload) {
    c.findings.push(d.report.fromRequest(from, { verb, of: requestOf(c.one) ? '' : from.text }));
    c.readFromRequest = true;
    return UNCLEAR;
  }
  c.readFromRequest = true;
  if (payload.resource !== resource.name.text) {
    const params = { verb, from: from.text, of: payload.resource, resource: resource.name.text };
    // An unknown resource has a finding of its own.
    if (c.r.resourceNamed(payload.resource)) c.findings.push(d.report.fromAnother(from, params));
    return UNCLEAR;
  }
  const request = requestOf(c.one);
  if (verb === 'Change') for (const field of request?.fields ?? []) keepsIdentity(c, resource, field);
  const files = filesOf(c.r, request).map(({ name }) => fileColumn(name.text));
  const bytes = files.length > 0 && { bytes: files };
  return { requested: new Set(payload.fields), plan: { value, fields: payload.fields, ...bytes } };
}

/** Reports fields with two sources in one step: the request, and `with` or the moment of the change. */
export function givenOnce(
  c: Checking,
  step: Of<'Create'> | Of<'Ensure'> | Of<'Change'>,
  resource: Resource,
  requested: ReadonlySet<string>,
): void {
  const twice = (at: Span, field: string): void => {
    c.findings.push(resourcesDiagnostics.report.givenTwice(at, { field: `${resource.name.text}.${field}` }));
  };
  for (const { field } of step.with) {
    const isSent = resource.fields.some(({ of, name }) => of === field.text && requested.has(name.text));
    if (isSent) twice(field, field.text);
  }
  for (const { field } of step.with)
    if (requested.has(field.text) && givesAt(resource, field.text, (giving) => giving.from === 'steps'))
      twice(field, field.text);
  const atChange = (giving: Giving): boolean => giving.from === 'moment' && giving.moment.text === 'change';
  if (step.verb !== 'Change') return;
  for (const field of requested) if (step.from && givesAt(resource, field, atChange)) twice(step.from, field);
}

const givesAt = (resource: Resource, field: string, test: (giving: Giving) => boolean): boolean =>
  resource.fields.some((one) => one.name.text === field && one.givenBy?.value.some(test));

function requestMissing(c: Checking, from: Token, resource: Resource): RequestValues {
  const params = { endpoint: c.endpoint, resource: resource.name.text };
  c.findings.push(d.report.requestMissing(from, params, [c.endpoint]));
  return NOT_TAKEN;
}

function keepsIdentity(c: Checking, resource: Resource, field: Name): void {
  if (identityOf(resource)?.name.text !== field.text) return;
  const path = `${resource.name.text}.${field.text}`;
  c.findings.push(resourcesDiagnostics.report.identityChanged(field, { field: path }));
}

/** Checks `with f e`: returns the names of the fields, and the plan, which is null where a value isn't settled. */
export function assignments(
  c: Checking,
  list: readonly Assignment[],
  resource: Resource | null,
  moments: readonly string[],
): { assigned: ReadonlySet<string>; given: readonly GivenPlan[] | null } {
  let isSettled = true;
  const values = list.flatMap((one) => {
    const bytes = resource?.bytes.find(({ name }) => name.text === one.field.text);
    if (resource && bytes) {
      const cleared = clearing(c, one, resource, bytes, moments);
      isSettled &&= cleared !== null;
      return cleared ?? [];
    }
    const value = resource ? assignment(c, one, resource, moments) : c.type(one.value, null, `“${one.field.text}”`);
    isSettled &&= value !== null;
    return value ? [{ field: one.field.text, value }] : [];
  });
  const assigned = new Set(list.map((one) => one.field.text));
  return { assigned, given: isSettled ? values : null };
}

/** The facts about bytes that a Change removes: bytes take no value but null. */
function clearing(
  c: Checking,
  { field, value }: Assignment,
  resource: Resource,
  { name, presence }: BytesField,
  moments: readonly string[],
): readonly GivenPlan[] | null {
  const path = `${resource.name.text}.${field.text}`;
  if (value.text.trim() !== 'null' || moments.join() !== 'change') {
    c.findings.push(d.report.bytesOfSteps(value, { field: path }));
    return null;
  }
  if (presence?.value === 'always') {
    c.findings.push(d.report.bytesAlways(value, { field: path }));
    return null;
  }
  const fields = c.r.rows.get(resource.name.text)?.fields;
  const given = FILE_MEMBERS.flatMap((member) => {
    const fact = `${name.text}.${member}`;
    const typed = c.type(value, fields?.get(fact) ?? null, `“${field.text}”`);
    return typed ? [{ field: fact, value: typed }] : [];
  });
  return given.length === FILE_MEMBERS.length ? given : null;
}

function assignment(c: Checking, one: Assignment, resource: Resource, moments: readonly string[]): Expr | null {
  const field = c.r.field(resource, one.field);
  const path = `${resource.name.text}.${one.field.text}`;
  const type = (field && c.r.rows.get(resource.name.text)?.fields.get(one.field.text)) ?? null;
  const value = c.type(one.value, type, `“${one.field.text}”`);
  const source = value && asSent(value, one.field.text) ? 'request' : 'steps';
  if (field?.of !== undefined) c.findings.push(d.report.bytesAssigned(one.field, { field: path, of: field.of }));
  else if (field && isSecret(field) && value && value.type.kind !== 'null')
    c.findings.push(hashedUse(one.field, path, true, 'be assigned another value than null'));
  else if (field?.givenBy && !field.givenBy.value.some((giving) => [source, 'steps'].includes(giving.from)))
    c.findings.push(d.report.notGivenBy(one.field, { field: path, source: 'steps' }));
  if (field?.givenBy?.value.some((giving) => giving.from === 'moment' && moments.includes(giving.moment.text)))
    c.findings.push(resourcesDiagnostics.report.givenTwice(one.field, { field: path }));
  if (!moments.includes('create')) keepsIdentity(c, resource, one.field);
  if (field && value) c.findings.push(...checkGiven(c.r, field, value, one.value, path));
  return value;
}

/** Whether the value of the field `f` is `request.f`: then the request is the source of the field. */
function asSent(value: Expr, field: string): boolean {
  return value.op === 'get' && value.of.op === 'name' && value.of.name === 'request' && value.member === field;
}

import type { Effective } from '../../src/compiler/document/effective.ts';
import type { Parameter } from '../../src/compiler/statements/endpoints.ts';
import type { Requested } from '../../src/language/endpoints.ts';
import type { Content } from './content.ts';
import { evaluate, resourceOf, type Scope, sees } from './evaluate.ts';
import { condition, type FaultAt, refusal } from './refusal.ts';
import { type Checked, checkJson, kindOf, kindOfParameter, targetOf } from './validate.ts';
import { Bag, Ref, type Val } from './value.ts';
import type { Speech } from './versions.ts';

/** What reading a body takes along. */
interface Reading {
  readonly scope: Scope;
  readonly content: Content;
  readonly apiVersion: Speech;
}

/** The members that an object of the body may have, and those values that were sent, in one form. */
interface Known {
  readonly names: string[];
  readonly sent: unknown[];
}

/** The parameters that stand in the body. */
export const bodyParameters = (one: Effective): Parameter[] =>
  one.parameters.filter((each) => each.in!.value === 'body');

/** Checks a body against the fields and the parameters that the endpoint takes; gives what was sent, in one form. */
export function readBody(reading: Reading, one: Effective, body: unknown): string {
  const { content, scope } = reading;
  const request = one.settings.request!.value;
  const object = asObject(body);
  if (!object) {
    content.faults.push({ place: 'pointer', name: '', code: 'not_an_object' });
    return '';
  }
  const known: Known = { names: [], sent: [] };
  if (request !== 'none' && request.member) readMember(reading, request, object, known);
  else if (request !== 'none') readFields(reading, request, object, '', content.request, known);
  for (const parameter of bodyParameters(one)) readParameter(reading, parameter, object, known);
  refuseUnknown(scope, content, object, '', known.names);
  return JSON.stringify(known.sent);
}

const asObject = (value: unknown): Map<string, unknown> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? new Map(Object.entries(value)) : null;

function refuseUnknown(
  { model }: Scope,
  { faults }: Content,
  object: ReadonlyMap<string, unknown>,
  at: string,
  names: readonly string[],
): void {
  if (model.resources.rules.unknownFields?.value !== 'refused') return;
  for (const name of object.keys())
    if (!names.includes(name)) faults.push({ place: 'pointer', name: at + pointer(name), code: 'unknown_field' });
}

/** The fields stand in a member: an object, or a list of such. */
function readMember(reading: Reading, request: Requested, object: Map<string, unknown>, known: Known): void {
  const { content, scope } = reading;
  const { text: name } = request.member!;
  const fault = (at: string, code: FaultAt['code']) => content.faults.push({ place: 'pointer', name: at, code });
  known.names.push(name);
  const sent = object.get(name);
  const at = pointer(name);
  const one = (value: unknown, where: string): Bag => {
    const values = new Map<string, Val>();
    const members = asObject(value);
    if (!members) {
      fault(where, 'not_an_object');
      return new Bag(values);
    }
    const inner: Known = { names: [], sent: known.sent };
    readFields(reading, request, members, where, values, inner);
    refuseUnknown(scope, content, members, where, inner.names);
    return new Bag(values);
  };
  if (sent === undefined) fault(at, 'missing');
  else if (sent === null) fault(at, 'null_refused');
  else if (!request.list) content.request.set(name, one(sent, at));
  else if (!Array.isArray(sent)) fault(at, 'not_list');
  else {
    const bounds = request.list.items?.value;
    if (bounds && sent.length < bounds.min) fault(at, 'too_few');
    else if (bounds && sent.length > bounds.max) fault(at, 'too_many');
    else {
      known.sent.push(sent.length);
      content.request.set(
        name,
        sent.map((value, i) => one(value, `${at}/${i}`)),
      );
    }
  }
}

function readFields(
  reading: Reading,
  request: Requested,
  object: ReadonlyMap<string, unknown>,
  at: string,
  values: Map<string, Val>,
  known: Known,
): void {
  for (const { text: field } of request.fields) {
    const name = reading.apiVersion.name(request.resource.text, field);
    if (name !== null) known.names.push(name);
    const sent = name !== null && object.has(name);
    readField(
      reading,
      request,
      { field, at: at + pointer(name ?? field) },
      sent ? object.get(name) : undefined,
      values,
    );
    known.sent.push(sent ? [values.get(field)] : null);
  }
}

function readField(
  { scope, content }: Reading,
  request: Requested,
  { field, at }: { field: string; at: string },
  sent: unknown,
  values: Map<string, Val>,
): void {
  const { model } = scope;
  const resource = request.resource.text;
  const stated = resourceOf(scope, resource).fields.find((one) => one.name.text === field)!;
  const always = stated.presence!.value === 'always';
  const fault = (code: FaultAt['code']) => content.faults.push({ place: 'pointer', name: at, code });
  if (sent === undefined) {
    if (request.optional) return;
    const giving = stated.givenBy!.value.find((one) => one.from === 'request');
    if (giving?.from === 'request' && giving.otherwise)
      values.set(field, evaluate(giving.otherwise.text, { ...scope, row: null }));
    else if (always) fault('missing');
    return;
  }
  if (isNothing(scope, sent)) {
    if (always) fault('null_refused');
    values.set(field, null);
    return;
  }
  const checked = checkJson(model, kindOf(model, resource, field), sent);
  if ('value' in checked) values.set(field, checked.value);
  else tell(content, checked, at);
}

/** True for null, and for empty text where that is null. */
function isNothing({ model }: Scope, sent: unknown): boolean {
  const { text, emptyText } = model.resources.rules;
  const trimmed = typeof sent === 'string' && text?.value === 'trimmed' ? sent.trim() : sent;
  return sent === null || (trimmed === '' && emptyText?.value === 'null');
}

function tell(content: Content, { faults }: Extract<Checked, { faults: unknown }>, at: string): void {
  for (const { code, item } of faults)
    content.faults.push({ place: 'pointer', name: item === null ? at : `${at}/${item}`, code });
}

/** A parameter in the body. Null is nothing that was sent for an optional one, and refused for others. */
function readParameter(
  { scope, content, apiVersion }: Reading,
  parameter: Parameter,
  object: Map<string, unknown>,
  known: Known,
): void {
  const type = parameter.type!.value;
  const declared = parameter.name.text;
  const bears = type.kind === 'field' && type.field.text === declared;
  const name = bears ? apiVersion.name(type.resource.text, type.field.text) : declared;
  if (name !== null) known.names.push(name);
  const at = pointer(name ?? declared);
  const sent = name === null ? undefined : object.get(name);
  const fault = (code: FaultAt['code']): void => {
    if (parameter.otherwise && code !== 'missing') content.refusal ??= refusal(parameter.otherwise.text);
    else content.faults.push({ place: 'pointer', name: at, code });
  };
  const { request: values } = content;
  if (sent === undefined) {
    if (parameter.fallback) values.set(declared, evaluate(parameter.fallback.text, { ...scope, row: null }));
    else if (parameter.presence!.value === 'always') fault('missing');
  } else if (isNothing(scope, sent)) {
    if (parameter.presence!.value !== 'optional') fault('null_refused');
  } else {
    const checked = checkJson(scope.model, kindOfParameter(scope.model, parameter), sent);
    if ('value' in checked) values.set(declared, checked.value);
    else if (parameter.otherwise) fault(checked.faults[0]!.code);
    else tell(content, checked, at);
  }
  known.sent.push(sent === undefined || isNothing(scope, sent) ? null : [values.get(declared)]);
}

/** A JSON Pointer to a member (RFC 6901). */
const pointer = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`.toWellFormed();

/** Puts rows in the place of the identities that a body refers to; those that are not there for the caller are refused. */
export function resolveReferences(
  scope: Scope,
  one: Effective,
  apiVersion: Speech,
  { request: values }: Content,
): void {
  const request = one.settings.request!.value;
  if (request === 'none') return;
  const faults: FaultAt[] = [];
  const resource = resourceOf(scope, request.resource.text);
  const resolve = (into: Map<string, Val>, at: string): void => {
    for (const { text: field } of request.fields) {
      const type = resource.fields.find((each) => each.name.text === field)!.type!.value;
      const value = into.get(field) ?? null;
      const name = at + pointer(apiVersion.name(request.resource.text, field) ?? field);
      const resolved = (target: string, one: Val, item = ''): Val => {
        const found = one instanceof Ref ? one : scope.rows.byIdentity(target, one);
        if (found && (one === found || sees(scope, found))) return found;
        faults.push({ place: 'pointer', name: name + item, code: 'reference_unknown' });
        return one;
      };
      if (value === null) continue;
      const items = targetOf(type);
      if (type.kind === 'reference') into.set(field, resolved(type.resource.text, value));
      else if (items !== null)
        into.set(
          field,
          (value as readonly Val[]).map((one, i) => resolved(items, one, `/${i}`)),
        );
    }
  };
  const member = request.member?.text;
  const held = member === undefined ? null : values.get(member);
  if (member === undefined) resolve(values, '');
  else if (held instanceof Bag) resolve(held.sent, pointer(member));
  else for (const [i, bag] of ((held ?? []) as readonly Bag[]).entries()) resolve(bag.sent, `${pointer(member)}/${i}`);
  if (faults.length) throw condition('reference unknown', faults);
}

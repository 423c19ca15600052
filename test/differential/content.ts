import type { Model } from '../../src/model/model.ts';
import type { Effective } from '../../src/parts/endpoints/effective.ts';
import type { Parameter, Requested } from '../../src/parts/endpoints/model.ts';
import { evaluate, resourceOf, type Scope, sees } from './evaluate.ts';
import { formOf } from './pages.ts';
import { condition, type FaultAt, type Refusal, refusal } from './refusal.ts';
import { type Checked, checkJson, checkWritten, type Kind, kindOf } from './validate.ts';
import { Ref, type Val } from './value.ts';
import type { Speech } from './versions.ts';

/** What parameters and body turned out to hold. */
export interface Content {
  readonly path: Map<string, Val>;
  readonly query: Map<string, Val>;
  readonly request: Map<string, Val>;
  /** The values of the body that were sent, in one form: what makes two requests the same. */
  readonly canonical: string;
  readonly faults: FaultAt[];
  /** The code of a parameter that states one for what isn’t allowed: it answers as the first step. */
  refusal: Refusal | null;
}

/** What of a request its content is. */
export interface Sent {
  readonly segments: ReadonlyMap<string, string>;
  readonly query: ReadonlyArray<readonly [string, string]>;
  readonly body: unknown;
}

/** Checks parameters, then the body; all faults are gathered. */
export function readContent(scope: Scope, one: Effective, speech: Speech, sent: Sent): Content {
  const content: Content = {
    path: new Map(),
    query: new Map(),
    request: new Map(),
    canonical: '',
    faults: [],
    refusal: null,
  };
  for (const parameter of one.parameters.filter((each) => each.in!.value === 'path')) {
    const name = parameter.name.text;
    const checked = checkWritten(scope.model, kindOfParameter(scope.model, parameter), sent.segments.get(name)!);
    keep(content, content.path, parameter, name, checked);
  }
  const pages = formOf(scope.model, one);
  const paged = one.steps.some((step) => step.verb === 'List' && step.bound === 'pages') && pages;
  const known: string[] = paged ? [pages.limit, pages.place] : [];
  for (const parameter of one.parameters.filter((each) => each.in!.value === 'query'))
    known.push(readQueryParameter(scope, content, parameter, speech, sent.query));
  if (one.settings.unknownParameters!.value === 'refused')
    for (const [name] of sent.query)
      if (!known.includes(name)) content.faults.push({ place: 'parameter', name, code: 'unknown_parameter' });
  const request = one.settings.request!.value;
  return request === 'none' ? content : readBody(scope, content, request, speech, sent.body);
}

function keep(content: Content, into: Map<string, Val>, parameter: Parameter, name: string, checked: Checked): void {
  if ('value' in checked) into.set(parameter.name.text, checked.value);
  else if (parameter.otherwise) content.refusal ??= refusal(parameter.otherwise.text);
  else for (const { code } of checked.faults) content.faults.push({ place: 'parameter', name, code });
}

/** Reads one parameter of the query and gives what it is called: as its field is, where it bears its field’s name. */
function readQueryParameter(
  scope: Scope,
  content: Content,
  parameter: Parameter,
  speech: Speech,
  query: Sent['query'],
): string {
  const type = parameter.type!.value;
  const declared = parameter.name.text;
  const bears = type.kind === 'field' && type.field.text === declared;
  const name = bears ? speech.name(type.resource.text, type.field.text) : declared;
  const given = query.filter(([each]) => each === name);
  const fault = (code: FaultAt['code']) => content.faults.push({ place: 'parameter', name: name ?? declared, code });
  if (given.length > 1) fault('repeated');
  else if (given[0])
    keep(
      content,
      content.query,
      parameter,
      name!,
      checkWritten(scope.model, kindOfParameter(scope.model, parameter), given[0][1]),
    );
  else if (parameter.fallback) content.query.set(declared, evaluate(parameter.fallback.text, { ...scope, row: null }));
  else if (parameter.presence!.value === 'always') fault('missing');
  return name ?? '\0';
}

/** What a parameter says of its values. */
export function kindOfParameter(model: Model, parameter: Parameter): Kind {
  const type = parameter.type!.value;
  if (type.kind === 'field') return kindOf(model, type.resource.text, type.field.text);
  return { type: type.type, format: 'none', allowed: parameter.allowed!.value };
}

function readBody(scope: Scope, content: Content, request: Requested, speech: Speech, body: unknown): Content {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    content.faults.push({ place: 'pointer', name: '', code: 'not_an_object' });
    return content;
  }
  const members = new Map(Object.entries(body));
  const names: Array<string | null> = [];
  const canonical: unknown[] = [];
  for (const { text: field } of request.fields) {
    const name = speech.name(request.resource.text, field);
    names.push(name);
    const sent = name !== null && members.has(name);
    readField(scope, content, request, { field, name: name ?? field }, sent ? members.get(name) : undefined);
    canonical.push(sent ? [content.request.get(field)] : null);
  }
  if (scope.model.resources.rules.unknownFields?.value === 'refused')
    for (const name of members.keys())
      if (!names.includes(name)) content.faults.push({ place: 'pointer', name: pointer(name), code: 'unknown_field' });
  return { ...content, canonical: JSON.stringify(canonical) };
}

function readField(
  scope: Scope,
  content: Content,
  request: Requested,
  { field, name }: { field: string; name: string },
  sent: unknown,
): void {
  const { model } = scope;
  const { rules, list } = model.resources;
  const resource = request.resource.text;
  const stated = list.find((one) => one.name.text === resource)!.fields.find((one) => one.name.text === field)!;
  const always = stated.presence!.value === 'always';
  const fault = (code: FaultAt['code']) => content.faults.push({ place: 'pointer', name: pointer(name), code });
  if (sent === undefined) {
    if (request.optional) return;
    const giving = stated.givenBy!.value.find((one) => one.from === 'request');
    if (giving?.from === 'request' && giving.otherwise)
      content.request.set(field, evaluate(giving.otherwise.text, { ...scope, row: null }));
    else if (always) fault('missing');
    return;
  }
  const text = typeof sent === 'string' && rules.text?.value === 'trimmed' ? sent.trim() : sent;
  const value = text === '' && rules.emptyText?.value === 'null' ? null : sent;
  if (value === null) {
    if (always) fault('null_refused');
    content.request.set(field, null);
    return;
  }
  const checked = checkJson(model, kindOf(model, resource, field), value);
  if ('faults' in checked)
    for (const { code, item } of checked.faults)
      content.faults.push({ place: 'pointer', name: `${pointer(name)}${item === null ? '' : `/${item}`}`, code });
  else content.request.set(field, checked.value);
}

/** A JSON Pointer to a member (RFC 6901). */
const pointer = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The refusal that faults come to: what is wrong before what is unknown, the body before parameters. */
export function faultsRefused({ faults }: Content): Refusal | null {
  if (faults.length === 0) return null;
  const known = faults.filter((one) => one.code !== 'unknown_field' && one.code !== 'unknown_parameter');
  if (known.length) return condition('invalid request', faults);
  const field = faults.some((one) => one.code === 'unknown_field');
  return condition(field ? 'unknown field' : 'unknown parameter', faults);
}

/** Puts rows in the place of the identities that a body refers to; those that are not there for the caller are refused. */
export function resolveReferences(scope: Scope, one: Effective, speech: Speech, { request: values }: Content): void {
  const request = one.settings.request!.value;
  if (request === 'none') return;
  const faults: FaultAt[] = [];
  const resource = resourceOf(scope, request.resource.text);
  for (const { text: field } of request.fields) {
    const type = resource.fields.find((each) => each.name.text === field)!.type!.value;
    const value = values.get(field) ?? null;
    if (type.kind !== 'reference' || value === null || value instanceof Ref) continue;
    const found = scope.rows.byIdentity(type.resource.text, value);
    if (found && sees(scope, found)) values.set(field, found);
    else {
      const name = pointer(speech.name(request.resource.text, field) ?? field);
      faults.push({ place: 'pointer', name, code: 'reference_unknown' });
    }
  }
  if (faults.length) throw condition('reference unknown', faults);
}

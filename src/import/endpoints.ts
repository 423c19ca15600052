import { type Endpoint, type Endpoints, NO_PART_SETTINGS, NO_SETTINGS } from '../compiler/statements/endpoints.ts';
import type { Requested } from '../language/endpoints.ts';
import type { AccessOf } from './access.ts';
import type { Note } from './annotated.ts';
import { commentText } from './ledger.ts';
import type { Node } from './node.ts';
import {
  type Answer,
  type Body,
  type Content,
  type Input,
  isForm,
  isJson,
  jsonSchemaOf,
  type Operation,
} from './operations.ts';
import { Parameters } from './parameters.ts';
import type { EndpointPath } from './paths.ts';
import type { Places } from './places.ts';
import { here, type Imported, type Member, membersOf, named, peekMembers } from './resources.ts';
import { schemaValue } from './value.ts';

/** The resources by the places of their schemas. */
type Resources = ReadonlyMap<string, Imported>;

/** Makes the endpoint of an operation. */
export function endpointOf(
  operation: Operation,
  path: EndpointPath,
  resources: Resources,
  accessOf: AccessOf,
  places: Places,
): Endpoint {
  const { method, node, inputs, body, answers } = operation;
  const name = `${method} ${path.path}`;
  places.set(node.pointer, 'endpoints', `\`${name}\``);
  const parameters = new Parameters(`\`${name}\``, path, places);
  const isInPath = ({ place }: Input): boolean => place === 'path';
  for (const input of [...inputs.filter(isInPath), ...inputs.filter((one) => !isInPath(one))]) parameters.add(input);
  for (const answer of answers) answer.node.leave('answer');
  const { request, payloads } = body ? requestOf(operation, body, resources, parameters) : NO_REQUEST;
  if (request && body) places.set(body.node.pointer, 'endpoints', `\`${name}\``, '- Request');
  if (payloads && body) places.set(body.node.pointer, 'endpoints', `\`${name}\``, '- Payloads');
  const access = accessOf(operation);
  if (access && operation.security) places.set(operation.security.pointer, 'endpoints', `\`${name}\``, '- Access');
  return {
    name,
    method,
    path: path.path,
    settings: {
      ...NO_SETTINGS,
      access: access && here(access),
      request: request && here(request),
      payloads: payloads && here(payloads),
    },
    parameters: parameters.all,
    steps: [],
    span: places.span(),
  };
}

/** The statements about the body of a request. */
interface RequestSettings {
  readonly request: Requested | 'none' | null;
  readonly payloads: 'JSON' | 'form' | 'JSON or form' | null;
}

const NO_REQUEST: RequestSettings = { request: null, payloads: null };

/** The fields that a body has, or `none` beside members that are parameters; null where it cannot be said. */
function requestOf(
  { method, answers }: Operation,
  body: Body,
  resources: Resources,
  parameters: Parameters,
): RequestSettings {
  const use = jsonSchemaOf(body.contents);
  const form = body.contents.find(({ media, schema }) => isForm(media) && (schema !== null || body.form.length > 0));
  const isSame = use === null || form?.schema?.resolved()?.pointer === use.resolved()?.pointer;
  const isOfForm = form !== undefined && isSame && successes(answers).every(({ media }) => isPlainJson(media));
  for (const { media, node } of body.contents)
    if (!isJson(media) && !(isForm(media) && isOfForm) && body.form.length === 0) node.leave('media');
  for (const { node } of isOfForm ? [] : body.form) node.leave('media');
  if (method === 'GET') {
    for (const { node } of body.form.length ? body.form : [body]) node.leave('bodyOfGet');
    return NO_REQUEST;
  }
  if (isOfForm && !use) return formOf(body, form, parameters);
  const request = use && jsonOf(body, use, resources, parameters);
  const isEither = isOfForm && request !== null && isFlat(body, form, use);
  if (isOfForm && !isEither) form.node.leave('form');
  return { request, payloads: isEither ? 'JSON or form' : null };
}

function jsonOf(body: Body, use: Node, resources: Resources, parameters: Parameters): Requested | 'none' | null {
  const schema = use.resolved();
  const resource = schema && resources.get(schema.pointer);
  const isMergePatch = body.contents.some(({ media }) => /^application\/merge-patch\+json/i.test(media ?? ''));
  if (resource && resource.requested.length > 0) {
    body.node.stateMembers('name', 'in');
    if (body.isRequired) body.node.stateMembers('required');
    else body.node.get('required')?.leave('bodyOptional');
    return {
      member: null,
      list: null,
      resource: resource.resource.name,
      fields: resource.requested.map(named),
      optional: isMergePatch,
    };
  }
  const members = schema ? membersOf(schema) : [];
  if (members.length === 0) {
    use.leave('bodyShape');
    return null;
  }
  for (const member of members) parameters.addMember(member);
  body.node.stateMembers('name', 'in');
  requirePresence(body, members);
  return 'none';
}

/** A body with some member that always is there is always there itself. */
function requirePresence(body: Body, members: readonly Member[]): void {
  const isOptional = members.every(({ required }) => required.length === 0);
  if (body.isRequired === !isOptional) body.node.stateMembers('required');
  else body.node.get('required')?.leave('bodyOptional');
}

/** Whether a form can have the members of a body of JSON: single values, and lists that repeat their name. */
function isFlat({ contents }: Body, form: Content, use: Node | null): boolean {
  const schema = use?.resolved();
  const members = schema ? peekMembers(schema) : [];
  const isEncoded = contents.length > 2 || form.node.get('encoding') !== null;
  const isPlain = members.every(({ node }) => {
    const { type, object } = schemaValue(node);
    return object === null && (type === null || !('of' in type) || (type.kind === 'list' && !('of' in type.of)));
  });
  return !isEncoded && isPlain;
}

/** The members of a form, as parameters in the body. */
function formOf(body: Body, form: Content, parameters: Parameters): RequestSettings {
  const schema = form.schema?.resolved();
  const members = schema ? membersOf(schema) : [];
  const before = parameters.all.length;
  for (const member of members) parameters.addFormMember(member, !form.node.find('encoding', member.name));
  for (const { name, node, isRequired } of body.form) {
    const required = node.get('required');
    const isRepeated = node.text('collectionFormat') === 'multi';
    if (isRepeated) node.stateMembers('collectionFormat');
    parameters.addFormMember({ name, node, required: isRequired && required ? [required] : [] }, isRepeated);
    node.stateMembers('in', 'name', 'required');
  }
  if (parameters.all.length === before) {
    form.schema?.leave('bodyShape');
    return NO_REQUEST;
  }
  if (schema) requirePresence(body, members);
  return { request: 'none', payloads: 'form' };
}

const isPlainJson = (media: string | null): boolean =>
  media !== null && /^application\/json\s*(?:;\s*charset=utf-8)?$/i.test(media);

/** An endpoint with its operation. */
export interface Taken {
  readonly operation: Operation;
  readonly endpoint: Endpoint;
}

/** The part with all endpoints, and the format of bodies where the file states it of all. */
export function partOf(taken: readonly Taken[], places: Places): Endpoints {
  // An endpoint that takes forms states its own format.
  const isOwn = ({ endpoint }: Taken): boolean => endpoint.settings.payloads !== null;
  const contents = taken.flatMap((one) => [
    ...(isOwn(one) ? [] : (one.operation.body?.contents ?? [])),
    ...successes(one.operation.answers),
  ]);
  const [first] = contents;
  const isPlain = contents.every(({ media }) => isPlainJson(media));
  const isStated = first !== undefined && isPlain && !taken.every(isOwn);
  if (isStated) places.set(first.node.pointer, 'endpoints', '', '- Payloads');
  const settings = { ...NO_PART_SETTINGS, payloads: isStated ? here('JSON' as const) : null };
  return {
    settings,
    parameters: [],
    unders: [],
    list: taken.map(({ endpoint }) => endpoint),
    handlers: [],
    schedules: [],
    tags: [],
  };
}

const successes = (answers: readonly Answer[]) =>
  answers.flatMap(({ status, contents }) => (/^2/.test(status) ? contents : []));

/** The answers of an operation, for whoever writes the steps of its endpoint. */
export const answerNotes = ({ answers }: Operation, resources: Resources): Note[] =>
  answers.map(({ status, node, contents }) => {
    const schema = jsonSchemaOf(contents);
    const media = contents.find(({ media: one }) => !isJson(one))?.media;
    const body = schema ? schemaName(schema, resources) : media ? commentText(media) : null;
    return { text: `Answer ${commentText(status)}${body === null ? '' : ` with ${body}`}`, pointer: node.pointer };
  });

/** How a remark calls the schema of a body: by the name of its resource, or of the schema. */
function schemaName(use: Node, resources: Resources): string {
  const schema = use.resolved();
  const resource = schema && resources.get(schema.pointer);
  if (resource) return resource.resource.name.text;
  const reference = use.text('$ref');
  if (reference !== null) return commentText(reference.slice(reference.lastIndexOf('/') + 1));
  const items = schema?.get('items');
  if (items) return `a list of ${schemaName(items, resources)}`;
  const names = schema ? peekMembers(schema).map(({ name }) => commentText(name)) : [];
  return names.length ? `an object of ${names.join(', ')}` : commentText(schema?.text('type') ?? '') || 'a body';
}

/** The schemas that requests and answers name: of a body, of each item of it, or of a member of a body without a name. */
export function namedSchemas(operations: readonly Operation[]): Map<string, { schema: Node; isShown: boolean }> {
  const out = new Map<string, { schema: Node; isShown: boolean }>();
  const add = (use: Node, isShown: boolean, depth: number): void => {
    const isNamed = use.get('$ref') !== null;
    const schema = use.resolved();
    if (!schema || depth > 4) return;
    if (schema.get('items') && !isNamed) add(schema.get('items')!, isShown, depth + 1);
    else if (!isNamed) for (const { node } of peekMembers(schema)) add(node, isShown, depth + 1);
    else if (peekMembers(schema).length > 0)
      out.set(schema.pointer, { schema, isShown: isShown || out.get(schema.pointer)?.isShown === true });
    else if (schema.get('items')) add(schema.get('items')!, isShown, depth + 1);
  };
  for (const { body, answers } of operations) {
    const request = body && jsonSchemaOf(body.contents);
    if (request) add(request, false, 0);
    for (const { status, contents } of answers) {
      const answer = /^2/.test(status) ? jsonSchemaOf(contents) : null;
      if (answer) add(answer, true, 0);
    }
  }
  return out;
}

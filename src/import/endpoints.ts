import { type Endpoint, type Endpoints, NO_PART_SETTINGS, NO_SETTINGS } from '../compiler/statements/endpoints.ts';
import type { Requested } from '../language/endpoints.ts';
import type { AccessOf } from './access.ts';
import type { Note } from './annotated.ts';
import { commentText } from './ledger.ts';
import type { Node } from './node.ts';
import { type Answer, type Body, type Input, isJson, jsonSchemaOf, type Operation } from './operations.ts';
import { Parameters } from './parameters.ts';
import type { EndpointPath } from './paths.ts';
import type { Places } from './places.ts';
import { here, type Imported, membersOf, named, peekMembers } from './resources.ts';

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
  const request = body ? requestOf(method, body, resources, parameters) : null;
  if (request && body) places.set(body.node.pointer, 'endpoints', `\`${name}\``, '- Request');
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
    },
    parameters: parameters.all,
    steps: [],
    span: places.span(),
  };
}

/** The fields that a body has, or `none` beside members that are parameters; null where it cannot be said. */
function requestOf(
  method: string,
  body: Body,
  resources: Resources,
  parameters: Parameters,
): Requested | 'none' | null {
  for (const { media, node } of body.contents) if (!isJson(media)) node.leave('media');
  const use = jsonSchemaOf(body.contents);
  if (method === 'GET') body.node.leave('bodyOfGet');
  if (method === 'GET' || !use) return null;
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
  if (!schema || members.length === 0) {
    use.leave('bodyShape');
    return null;
  }
  for (const member of members) parameters.addMember(member);
  body.node.stateMembers('name', 'in');
  const isOptional = members.every(({ required }) => required.length === 0);
  if (body.isRequired === !isOptional) body.node.stateMembers('required');
  else body.node.get('required')?.leave('bodyOptional');
  return 'none';
}

/** The part with all endpoints, and the format of bodies where the file states it of all. */
export function partOf(list: readonly Endpoint[], operations: readonly Operation[], places: Places): Endpoints {
  const contents = operations.flatMap(({ body, answers }) => [...(body?.contents ?? []), ...successes(answers)]);
  const isPlain = contents.every(
    ({ media }) => media !== null && /^application\/json\s*(?:;\s*charset=utf-8)?$/i.test(media),
  );
  const [first] = contents;
  const isStated = first !== undefined && isPlain;
  if (isStated) places.set(first.node.pointer, 'endpoints', '', '- Payloads');
  const settings = { ...NO_PART_SETTINGS, payloads: isStated ? here('JSON' as const) : null };
  return { settings, parameters: [], unders: [], list, handlers: [] };
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

import type { EndpointContract } from '../../contract/endpoint.ts';
import { facts, type Json, type JsonObject, present } from '../json.ts';
import type { Reason } from '../not-expressed.ts';
import { ANSWERED, successOf } from './examples.ts';
import type { Exporting } from './exporting.ts';
import { operationName, resourceOf } from './operation-names.ts';
import { parametersOf } from './parameters.ts';
import { responsesOf } from './responses.ts';
import { markdown, paragraphs } from './text.ts';

/** Converts an endpoint to an operation. */
export function operationOf(x: Exporting, endpoint: EndpointContract): JsonObject {
  const id = x.operations.get(endpoint.name);
  return present({ ...commonOf(x, endpoint, true), operationId: id, ...extensionsOf(x, endpoint) });
}

/** The operation HEAD of an endpoint, which answers like GET without the body. */
export function headOf(x: Exporting, endpoint: EndpointContract): JsonObject {
  const operationId = x.operationName(operationName('HEAD', endpoint.path));
  return present({ ...commonOf(x, endpoint, false), summary: `HEAD ${endpoint.path}`, operationId });
}

function commonOf(x: Exporting, endpoint: EndpointContract, body: boolean): Record<string, Json | undefined> {
  const parameters = parametersOf(x, endpoint);
  return {
    tags: [x.tag(resourceOf(endpoint) ?? x.contract.title)],
    summary: endpoint.name,
    description: paragraphs(x.prose('endpoint', endpoint.name), descriptionOf(endpoint)),
    operationId: undefined,
    deprecated: x.version.status === 'deprecated' || undefined,
    security: securityOf(endpoint),
    parameters: parameters.length ? parameters : undefined,
    requestBody: requestOf(x, endpoint),
    responses: responsesOf(x, endpoint, body),
  };
}

function descriptionOf({ steps, answers }: EndpointContract): string {
  const success = answers.at(-1);
  const lines = steps.map(({ text, under }) => (under.length ? `${under.join('; ')}: ${text}` : text));
  const all = [...lines, ...(success ? [`answer ${success.status}`] : [])];
  return all.map((line, i) => `${i + 1}. ${markdown(line)}`).join('\n');
}

/** The accepted security schemes, with the required scope; empty if there are no credentials. */
function securityOf({ access }: EndpointContract): Json {
  const scopes = access.scope === null ? [] : [access.scope];
  const schemes = access.schemes.map((name) => ({ [name.replace(/[^A-Za-z0-9._-]+/g, '-')]: scopes }));
  if (schemes.length === 0) return [];
  return access.withoutCredentials ? [{}, ...schemes] : schemes;
}

function requestOf(x: Exporting, endpoint: EndpointContract): JsonObject | undefined {
  const { body, name } = endpoint;
  if (!body) return undefined;
  const use = { way: 'in', patch: body.patch, text: false, at: `${name} body` } as const;
  const schema = x.schemas.object(body.type, use);
  const sent = successOf(x, endpoint)?.request.body;
  const examples = sent === undefined ? {} : { examples: { [ANSWERED]: { value: sent } } };
  x.notes.add('body text');
  if (body.patch) x.notes.add('merge', name);
  return present({
    required: body.required || undefined,
    content: Object.fromEntries(body.mediaTypes.map((one) => [one, { schema, ...examples }])),
    'x-ninefold-patch': body.patch || undefined,
  });
}

/** `x-ninefold-` members with facts about an endpoint that OpenAPI cannot express. */
function extensionsOf(x: Exporting, endpoint: EndpointContract): Record<string, Json | undefined> {
  const { idempotency, preconditions, page, body } = endpoint;
  const own = (reason: Reason, value: unknown): Json | undefined => {
    if (value === null || value === undefined) return undefined;
    x.notes.add(reason);
    return facts(value);
  };
  x.notes.add('order');
  if (endpoint.writes) x.notes.add('writes');
  return {
    'x-ninefold-steps': endpoint.steps.length ? own('steps', endpoint.steps) : undefined,
    'x-ninefold-answers': endpoint.answers.map(({ status, code, because }) => facts({ status, code, because })),
    'x-ninefold-unknown-parameters': own('unknown parameters', endpoint.unknownParameters),
    'x-ninefold-unread-body': body ? undefined : own('unread body', endpoint.unreadBody),
    'x-ninefold-limits': own('limits', endpoint.limits),
    'x-ninefold-idempotency': own('idempotency', idempotency),
    'x-ninefold-preconditions': own('preconditions', preconditions),
    'x-ninefold-page': own('pages', page),
    'x-ninefold-writes': endpoint.writes || undefined,
  };
}

import type { StreamContract, VersionContract } from '../../contract/contract.ts';
import type { EndpointContract, ParameterContract } from '../../contract/endpoint.ts';
import { facts, type Json, type JsonObject, present } from '../json.ts';
import { componentName } from '../json-schema.ts';
import { requestFacts, streamFacts } from '../openapi/caller-facts.ts';
import type { Exporting } from '../openapi/exporting.ts';
import { parametersOf } from '../openapi/parameters.ts';
import { markdown } from '../openapi/text.ts';
import { envelopeOf, messageIds, messageOf, messagesIn, payloadOf, type Sent } from './messages.ts';

/** Endpoints that answer with a stream of events. */
export const streamsIn = ({ endpoints }: VersionContract): EndpointContract[] =>
  endpoints.filter((one) => one.answers.at(-1)?.body?.type.kind === 'stream');

/** The channel of the stream that an endpoint returns; null if the document has none. */
export function streamOf(x: Exporting, endpoint: EndpointContract): Sent | null {
  const { stream } = x.contract;
  const success = endpoint.answers.at(-1)?.body?.type;
  if (!stream || success?.kind !== 'stream') return null;
  const id = x.operations.get(endpoint.name) ?? endpoint.name;
  const events = x.version.events.filter((one) => success.events.includes(one.name));
  const ids = messageIds(events);
  const messages = events.map((event): [string, JsonObject] => [
    ids.get(event) ?? event.name,
    {
      ...messageOf(x, event),
      headers: fieldsOf(stream, event.name),
      payload: stream.data === 'payload' ? payloadOf(x, event) : envelopeOf(x, event),
    },
  ]);
  x.notes.add('event stream');
  return {
    id,
    channel: present({
      address: endpoint.path,
      title: endpoint.name,
      description:
        'A stream of server-sent events (WHATWG HTML): `event` and `id` of a message are its headers, and `data` is its payload.',
      messages: Object.fromEntries(messages),
      parameters: pathOf(x, endpoint),
    }),
    operation: present({
      action: 'send',
      channel: { $ref: `#/channels/${id}` },
      title: endpoint.name,
      summary: `The service answers ${markdown(endpoint.name)} with a stream of events.`,
      description: [...streamFacts(stream), ...requestFacts(x, endpoint)].join(' '),
      security: securityOf(x, endpoint),
      bindings: { http: present({ method: endpoint.method, query: queryOf(x, endpoint), bindingVersion: '0.3.0' }) },
      messages: messagesIn(id, ids.values()),
      ...factsOf(x, endpoint, stream),
    }),
  };
}

/** The schema of the fields of a server-sent event, without `data`. */
function fieldsOf({ resumption }: StreamContract, name: string): JsonObject {
  return {
    type: 'object',
    properties: {
      event: { type: 'string', enum: [name] },
      ...(resumption
        ? {
            id: {
              type: 'string',
              description: 'The id of the event: sent as Last-Event-ID, it resumes the stream after the event.',
            },
          }
        : {}),
    },
    required: resumption ? ['event', 'id'] : ['event'],
  };
}

function pathOf(x: Exporting, endpoint: EndpointContract): JsonObject | undefined {
  const parameters = endpoint.parameters.filter((one) => one.in === 'path');
  if (parameters.length === 0) return undefined;
  x.notes.add('path');
  const schemas = schemasOf(x, { ...endpoint, parameters });
  return Object.fromEntries(
    parameters.map((one) => [
      one.name,
      present({
        description: one.refersTo === null ? undefined : `The identity of a ${one.refersTo}.`,
        'x-ninefold-schema': schemas.get(one.name)?.schema,
      }),
    ]),
  );
}

function queryOf(x: Exporting, endpoint: EndpointContract): JsonObject | undefined {
  const parameters = endpoint.parameters.filter((one) => one.in === 'query');
  if (parameters.length === 0) return undefined;
  return objectOf(x, endpoint, parameters, endpoint.unknownParameters === 'refused');
}

/** Parameters as an object schema, which bindings require. */
function objectOf(
  x: Exporting,
  endpoint: EndpointContract,
  parameters: readonly ParameterContract[],
  closed: boolean,
): JsonObject {
  const schemas = schemasOf(x, { ...endpoint, parameters });
  const required = parameters.flatMap(({ name }) => (schemas.get(name)?.required === true ? [name] : []));
  return present({
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ name }) => [name, schemas.get(name)?.schema ?? {}])),
    required: required.length ? required : undefined,
    additionalProperties: closed ? false : undefined,
  });
}

/** Parameters in the form of the OpenAPI export, by name. */
const schemasOf = (x: Exporting, endpoint: EndpointContract): ReadonlyMap<string, JsonObject> =>
  new Map(parametersOf(x, endpoint).map((one) => [String(one.name), one]));

/**
 * The accepted security schemes; undefined if a request without credentials is accepted, which AsyncAPI cannot express.
 */
function securityOf(x: Exporting, { access }: EndpointContract): Json | undefined {
  x.notes.add('access');
  if (access.schemes.length === 0 || access.withoutCredentials) return undefined;
  return access.schemes.map((name) => ({ $ref: `#/components/securitySchemes/${componentName(name)}` }));
}

/** `x-ninefold-` members with facts about a stream that AsyncAPI cannot express. */
function factsOf(x: Exporting, endpoint: EndpointContract, stream: StreamContract): Record<string, Json | undefined> {
  const headers = endpoint.parameters.filter((one) => one.in === 'header');
  if (headers.length) x.notes.add('request headers');
  if (endpoint.steps.length) x.notes.add('steps');
  x.notes.add('refusals');
  x.notes.add('limits');
  const { lines: _lines, ...rest } = stream;
  return {
    'x-ninefold-stream': facts(rest),
    'x-ninefold-access': facts(endpoint.access),
    'x-ninefold-request-headers': headers.length ? objectOf(x, endpoint, headers, false) : undefined,
    'x-ninefold-steps': endpoint.steps.length ? facts(endpoint.steps) : undefined,
    'x-ninefold-answers': endpoint.answers.map(({ status, code, because }) => facts({ status, code, because })),
    'x-ninefold-limits': facts(endpoint.limits),
  };
}

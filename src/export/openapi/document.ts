import type {
  Contract,
  EventContract,
  ResourceContract,
  StatesContract,
  VersionContract,
  WebhookContract,
} from '../../contract/contract.ts';
import type { EndpointContract } from '../../contract/endpoint.ts';
import { machinesOf } from '../../contract/machines.ts';
import { resourcesInWords } from '../../contract/resources-in-words.ts';
import { codeSpan } from '../code-span.ts';
import { whenText } from '../event-texts.ts';
import type { Exchange } from '../exchange.ts';
import { forCallers } from '../internals.ts';
import { facts, type Json, type JsonObject, present } from '../json.ts';
import { componentName } from '../json-schema.ts';
import type { Reason } from '../not-expressed.ts';
import { securityKind } from '../security-kind.ts';
import { generalFacts } from './caller-facts.ts';
import { Exporting, type OpenApiFormat, sending } from './exporting.ts';
import { operationOf } from './operation.ts';
import { operationName } from './operation-names.ts';
import { shareComponents } from './sharing.ts';
import { bullets, markdown, paragraphs } from './text.ts';

const NUMBERS: Readonly<Record<OpenApiFormat, string>> = { '3.1': '3.1.2', '3.2': '3.2.0' };

const ABOUT =
  'Members that begin with `x-ninefold-` hold facts that OpenAPI cannot express; the list `x-ninefold-not-expressed` at the end names them all.';

/**
 * Converts one version of a contract to an OpenAPI document. `exchanges` are its examples; examples of errors without
 * an exchange are composed from the contract. `internals`: also what callers do not need, such as steps and guards.
 */
export function openApiOf(
  contract: Contract,
  version: VersionContract,
  format: OpenApiFormat,
  exchanges: readonly Exchange[] = [],
  internals = false,
): JsonObject {
  const idOf = (name: string): string => operationName(name.split(' ')[0] ?? '', name.split(' ')[1] ?? '');
  const merged = withOnePath(version, exchanges);
  const x = new Exporting(contract, merged.version, format, idOf, merged.exchanges, internals);
  for (const name of merged.renamed) x.notes.add('one path', name);
  const made = pathsOf(x);
  const { paths, components: shared } = shareComponents(
    internals ? made : mapped(made, (item) => mapped(item, forCallers)),
  );
  const webhooks = webhooksOf(x);
  const schemes = schemesOf(x);
  const more = rootFacts(x);
  const schemas = x.components();
  const components = present({
    schemas: Object.keys(schemas).length ? schemas : undefined,
    ...shared,
    securitySchemes: Object.keys(schemes).length ? schemes : undefined,
  });
  const all = present({
    openapi: NUMBERS[format],
    info: infoOf(x),
    servers: serversOf(x),
    tags: [...x.tags].map((name) => tagOf(x, name)),
    paths,
    webhooks: Object.keys(webhooks).length ? webhooks : undefined,
    components: Object.keys(components).length ? components : undefined,
    ...more,
    'x-ninefold-not-expressed': x.notes.list(),
  });
  return internals ? all : forCallers(all);
}

function infoOf(x: Exporting): JsonObject {
  const { name, status, deprecated, sunset, mediaType } = x.version;
  if (name === null) x.notes.add('no version');
  x.notes.add('this version');
  const domain = x.prose('domain');
  return present({
    title: x.contract.title,
    summary: x.prose('purpose'),
    version: name ?? 'unversioned',
    description: paragraphs(domain && `Domain: ${domain}.`, bullets(generalFacts(x)), x.internals ? ABOUT : undefined),
    'x-ninefold-version': { name, status, deprecated, sunset, mediaType },
  });
}

function tagOf(x: Exporting, name: string): JsonObject {
  const resource = resourcesInWords(x.contract.resources, x.version).find((one) => one.name === name);
  if (!resource) {
    const described = x.prose('tag', name);
    const isStated = x.version.endpoints.some(({ tag }) => tag === name);
    return present({
      name,
      description: described ?? (isStated ? undefined : x.tags.size === 1 ? 'All operations.' : 'Other operations.'),
    });
  }
  const prose = x.prose('resource', name);
  const states = machinesOf(resource).map((one) => statesText(x, resource, one));
  const description = paragraphs(prose, ...states);
  return { name, description: description || `Operations on ${markdown(name)}.` };
}

/**
 * The states and transitions of a field, which callers can follow; empty if this version does not show the field, or has
 * another name for it or for its states.
 */
function statesText(x: Exporting, { name }: ResourceContract, machine: StatesContract): string {
  const shown = x.version.shapes
    .filter((one) => one.resource === name)
    .flatMap(({ type }) => type.members.filter((one) => one.name === machine.field));
  const isSame = shown.some(
    ({ type }) => type.kind === 'text' && machine.values.every((one) => type.oneOf?.includes(one)),
  );
  if (!isSame) return '';
  const quoted = (values: readonly string[]): string => values.map(codeSpan).join(', ');
  const moves = machine.transitions.map(
    (one) => `- ${markdown(one.name)}: ${quoted(one.from)} → ${quoted([one.to])}${one.timed ? ', by itself' : ''}`,
  );
  return [`${codeSpan(machine.field)} begins as ${codeSpan(machine.initial)}, and changes:`, ...moves].join('\n');
}

function serversOf(x: Exporting): Json {
  const { url } = x.contract.address;
  if (url !== null) return [{ url }];
  x.notes.add('address');
  return [{ url: '/' }];
}

function pathsOf(x: Exporting): Record<string, Record<string, JsonObject>> {
  const paths = new Map<string, Record<string, JsonObject>>();
  for (const endpoint of x.version.endpoints) {
    const item = paths.get(endpoint.path) ?? {};
    item[memberOf(x, endpoint)] = operationOf(x, endpoint);
    paths.set(endpoint.path, item);
  }
  return Object.fromEntries(paths);
}

/** The member of a path that holds the operation of a method. OpenAPI 3.1 has none for QUERY. */
function memberOf(x: Exporting, { name, method }: EndpointContract): string {
  if (method !== 'QUERY' || x.format !== '3.1') return method.toLowerCase();
  x.notes.add('query', name);
  return 'x-ninefold-query';
}

/** `x-ninefold-` members with facts about the whole service that OpenAPI cannot express. */
function rootFacts(x: Exporting): Record<string, Json | undefined> {
  const { contract, version } = x;
  const { errors } = contract;
  const own = (reason: Reason, value: unknown): Json | undefined => {
    if (value === null || (Array.isArray(value) && value.length === 0)) return undefined;
    x.notes.add(reason);
    return facts(value);
  };
  if (contract.resources.some((one) => one.states)) x.notes.add('states');
  const others = contract.versions.map(({ shapes: _s, endpoints: _e, events: _v, elsewhere: _w, ...rest }) => rest);
  return {
    'x-ninefold-wire': own('wire', contract.wire),
    'x-ninefold-rates': own('limits', contract.rates),
    'x-ninefold-browsers': own('browsers', contract.browsers),
    'x-ninefold-resources': own('resources', resourcesInWords(contract.resources, version)),
    'x-ninefold-codes': own('codes', errors.codes),
    'x-ninefold-error-payload': own('error values', errors.payload),
    'x-ninefold-no-request': own('no request', errors.wire),
    'x-ninefold-elsewhere': own('elsewhere', version.elsewhere),
    'x-ninefold-events': own('events', version.events),
    'x-ninefold-versioning': contract.versioning ? own('versions', contract.versioning) : undefined,
    'x-ninefold-versions': contract.versioning ? own('versions', others) : undefined,
    'x-ninefold-webhook': own('webhook', contract.webhook),
    'x-ninefold-stream': own('stream', contract.stream),
    'x-ninefold-unsettled': own('unsettled', contract.unsettled),
  };
}

/** Credentials as the whole value of a header. */
const WHOLE_HEADER = { type: 'apiKey', in: 'header' };

/** The ways in which callers show who they are. */
function schemesOf(x: Exporting): JsonObject {
  return Object.fromEntries(
    x.contract.schemes.map((scheme) => {
      x.notes.add('credentials');
      return [
        scheme.name.replace(/[^A-Za-z0-9._-]+/g, '-'),
        { ...securityKind(scheme, WHOLE_HEADER), 'x-ninefold-scheme': facts(scheme) },
      ];
    }),
  );
}

/** The webhooks that the service sends to receivers. */
function webhooksOf(x: Exporting): JsonObject {
  const { webhook } = x.contract;
  if (!webhook) return {};
  const events = x.version.events.filter((one) => one.notifiedBy.includes('webhook'));
  return Object.fromEntries(events.map((event) => [event.name, { post: deliveryOf(x, webhook, event) }]));
}

function deliveryOf(x: Exporting, webhook: WebhookContract, event: EventContract): JsonObject {
  const { signature, envelope, mediaType } = webhook;
  const type = { ...envelope, members: envelope.members.filter((one) => one.name !== 'data' && one.name !== 'type') };
  const around = x.schemas.object(type, sending(`${event.name} `));
  const data = x.schemas.of(event.payload, sending(`${event.name} data`));
  const properties = envelope.members.map((one): [string, JsonObject] => {
    if (one.name === 'data') return [one.name, data];
    if (one.name === 'type') return [one.name, { type: 'string', enum: [event.name] }];
    return [one.name, x.schemas.member(one, sending(`${event.name} `))];
  });
  const required = envelope.members.filter((one) => one.presence === 'always').map((one) => one.name);
  const schema = { ...around, properties: Object.fromEntries(properties), required };
  return {
    tags: [x.tag(event.resource ?? x.contract.title)],
    summary: event.name,
    description: markdown(whenText(x, event)),
    operationId: x.operationName(`on-${componentName(event.name)}`),
    parameters: signature.headers.map((name) => ({ name, in: 'header', required: true, schema: { type: 'string' } })),
    requestBody: { required: true, content: { [mediaType]: { schema } } },
    responses: { '2XX': { description: 'The delivery succeeded.' } },
    security: [],
  };
}

const mapped = <T, R>(of: Readonly<Record<string, T>>, to: (one: T) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(of).map(([name, one]) => [name, to(one)]));

interface OnePath {
  readonly version: VersionContract;
  readonly exchanges: readonly Exchange[];
  /** The endpoints whose parameters get the names that another endpoint of the same address uses. */
  readonly renamed: readonly string[];
}

const PARAMETER = /\{([^}]*)\}/g;

/**
 * OpenAPI takes two paths that differ in the names of their parameters alone for one: the parameters of the second are
 * called as those of the first.
 */
function withOnePath(version: VersionContract, exchanges: readonly Exchange[]): OnePath {
  const first = new Map<string, string>();
  for (const { path } of version.endpoints) {
    const form = path.replace(PARAMETER, '{}');
    if (!first.has(form)) first.set(form, path);
  }
  const names = new Map<string, ReadonlyMap<string, string>>();
  const endpoints = version.endpoints.map((one): EndpointContract => {
    const path = first.get(one.path.replace(PARAMETER, '{}')) ?? one.path;
    if (path === one.path) return one;
    const called = new Map(namesIn(one.path).map((name, i) => [name, namesIn(path)[i] ?? name]));
    names.set(one.name, called);
    const parameters = one.parameters.map((parameter) =>
      parameter.in === 'path' ? { ...parameter, name: called.get(parameter.name) ?? parameter.name } : parameter,
    );
    return { ...one, path, parameters };
  });
  const asCalled = (one: Exchange): Exchange => {
    const called = names.get(one.endpoint);
    if (!called) return one;
    const parameters = new Map(
      [...one.request.parameters].map(([key, value]) => {
        const name = key.startsWith('path ') ? called.get(key.slice('path '.length)) : undefined;
        return [name === undefined ? key : `path ${name}`, value];
      }),
    );
    return { ...one, request: { ...one.request, parameters } };
  };
  return { version: { ...version, endpoints }, exchanges: exchanges.map(asCalled), renamed: [...names.keys()] };
}

const namesIn = (path: string): string[] => [...path.matchAll(PARAMETER)].map(([, name = '']) => name);

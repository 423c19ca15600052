import type { Contract, VersionContract } from '../../contract/contract.ts';
import type { Exchange } from '../exchange.ts';
import { facts, type Json, type JsonObject, present } from '../json.ts';
import type { Reason } from '../not-expressed.ts';
import { Exporting, type OpenApiFormat } from './exporting.ts';
import { withOnePath } from './one-path.ts';
import { headOf, operationOf } from './operation.ts';
import { operationName } from './operation-names.ts';
import { schemesOf } from './security.ts';
import { shareResponses } from './shared-responses.ts';
import { markdown, paragraphs } from './text.ts';
import { webhooksOf } from './webhooks.ts';

const NUMBERS: Readonly<Record<OpenApiFormat, string>> = { '3.1': '3.1.2', '3.2': '3.2.0' };

const ABOUT =
  'Made from the document that runs as the service. Members that begin with `x-ninefold-` hold facts that OpenAPI cannot express; the list `x-ninefold-not-expressed` at the end names them all.';

/**
 * Converts one version of a contract to an OpenAPI document. `exchanges` are its examples; examples of errors without
 * an exchange are composed from the contract.
 */
export function openApiOf(
  contract: Contract,
  version: VersionContract,
  format: OpenApiFormat,
  exchanges: readonly Exchange[] = [],
): JsonObject {
  const idOf = (name: string): string => operationName(name.split(' ')[0] ?? '', name.split(' ')[1] ?? '');
  const merged = withOnePath(version, exchanges);
  const x = new Exporting(contract, merged.version, format, idOf, merged.exchanges);
  for (const name of merged.renamed) x.notes.add('one path', name);
  const { paths, responses } = shareResponses(pathsOf(x));
  const webhooks = webhooksOf(x);
  const schemes = schemesOf(x);
  const more = rootFacts(x);
  const schemas = x.components();
  const components = present({
    schemas: Object.keys(schemas).length ? schemas : undefined,
    responses: Object.keys(responses).length ? responses : undefined,
    securitySchemes: Object.keys(schemes).length ? schemes : undefined,
  });
  return present({
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
    description: paragraphs(domain && `Domain: ${domain}.`, ABOUT),
    'x-ninefold-version': { name, status, deprecated, sunset, mediaType },
  });
}

function tagOf(x: Exporting, name: string): JsonObject {
  const resource = x.contract.resources.find((one) => one.name === name);
  if (!resource) return { name, description: 'Operations that concern no single resource.' };
  const { states } = resource;
  const values = states && `The states of ${name}.${states.field}: ${states.values.join(', ')}.`;
  return {
    name,
    description: paragraphs(
      x.prose('resource', name) ?? markdown(`Operations on rows of ${name}.`),
      values === null ? undefined : markdown(values),
    ),
  };
}

function serversOf(x: Exporting): Json {
  const { url } = x.contract.address;
  if (url !== null) return [{ url }];
  x.notes.add('address');
  return [{ url: '/', description: 'The operator decides the address of the service.' }];
}

function pathsOf(x: Exporting): Record<string, Record<string, JsonObject>> {
  const paths = new Map<string, Record<string, JsonObject>>();
  for (const endpoint of x.version.endpoints) {
    const item = paths.get(endpoint.path) ?? {};
    item[endpoint.method.toLowerCase()] = operationOf(x, endpoint);
    if (endpoint.head) item.head = headOf(x, endpoint);
    paths.set(endpoint.path, item);
  }
  return Object.fromEntries(paths);
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
    'x-ninefold-resources': own('resources', contract.resources),
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

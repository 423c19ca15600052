import type { Contract, VersionContract } from '../../contract/contract.ts';
import { forCallers } from '../internals.ts';
import { facts, type Json, type JsonObject, present } from '../json.ts';
import { componentName } from '../json-schema.ts';
import { versionFacts } from '../openapi/caller-facts.ts';
import { Exporting } from '../openapi/exporting.ts';
import { operationName } from '../openapi/operation-names.ts';
import { paragraphs } from '../openapi/text.ts';
import { securityKind } from '../security-kind.ts';
import { streamOf, streamsIn } from './stream.ts';
import { signatureOf, webhooksOf } from './webhooks.ts';

const ABOUT =
  'The webhooks and the streams of events of the service. Its OpenAPI description has requests and their answers.';
const INTERNALS =
  'Members that begin with `x-ninefold-` hold facts that AsyncAPI cannot express; the list `x-ninefold-not-expressed` at the end names them all.';

/**
 * Converts the webhooks and streams of one version of a contract to an AsyncAPI document. `internals`: also what callers
 * do not need, such as steps and conditions.
 */
export function asyncApiOf(contract: Contract, version: VersionContract, internals = false): JsonObject {
  // Operations have the names of the OpenAPI export, and referenced types are among the schemas.
  const idOf = (name: string): string => operationName(name.split(' ')[0] ?? '', name.split(' ')[1] ?? '');
  const x = new Exporting(contract, version, '3.1', idOf, [], internals);
  const webhooks = webhooksOf(x);
  const parts = [webhooks, ...streamsIn(version).map((endpoint) => streamOf(x, endpoint))].filter(
    (one) => one !== null,
  );
  const server = serverOf(x);
  const schemes = schemesOf(x);
  const more = rootFacts(x);
  x.notes.add('requests');
  if (parts.length === 0) x.notes.add('no events');
  const schemas = x.components();
  const components = present({
    schemas: Object.keys(schemas).length ? schemas : undefined,
    messageTraits: webhooks && contract.webhook ? signatureOf(contract.webhook) : undefined,
    securitySchemes: Object.keys(schemes).length ? schemes : undefined,
  });
  const all = present({
    asyncapi: '3.1.0',
    info: infoOf(x),
    servers: server ? { service: server } : undefined,
    defaultContentType: 'application/json',
    channels: parts.length ? Object.fromEntries(parts.map(({ id, channel }) => [id, channel])) : undefined,
    operations: parts.length ? Object.fromEntries(parts.map(({ id, operation }) => [id, operation])) : undefined,
    components: Object.keys(components).length ? components : undefined,
    ...more,
    'x-ninefold-not-expressed': x.notes.list(),
  });
  return internals ? all : forCallers(all);
}

function infoOf(x: Exporting): JsonObject {
  const { name, status, deprecated, sunset } = x.version;
  if (name === null) x.notes.add('unversioned');
  x.notes.add('this version');
  const byVersion = x.contract.versioning
    ? 'A receiver gets events in the version for which it was registered.'
    : undefined;
  const resources = new Set(
    x.version.events.flatMap(({ notifiedBy, resource }) => (notifiedBy.length ? (resource ?? []) : [])),
  );
  return present({
    title: x.contract.title,
    version: name ?? 'unversioned',
    description: paragraphs(ABOUT, ...versionFacts(x), byVersion, x.internals ? INTERNALS : undefined),
    tags: resources.size ? [...resources].map((one) => ({ name: componentName(one) })) : undefined,
    'x-ninefold-version': { name, status, deprecated, sunset },
  });
}

/** The server of streams; webhooks go to the addresses of receivers. */
function serverOf(x: Exporting): JsonObject | null {
  const { url } = x.contract.address;
  if (streamsIn(x.version).length === 0) return null;
  if (url === null) {
    x.notes.add('no server');
    return null;
  }
  const { host, protocol, pathname } = new URL(url);
  return present({
    host,
    protocol: protocol.replace(/:$/, ''),
    pathname: pathname === '/' ? undefined : pathname,
  });
}

/** `x-ninefold-` members with facts about all events that AsyncAPI cannot express. */
function rootFacts(x: Exporting): Record<string, Json | undefined> {
  const { contract, version } = x;
  const withEvents = new Set(version.events.map((one) => one.resource));
  const resources = contract.resources.filter((one) => withEvents.has(one.name));
  if (resources.length) x.notes.add('seen by');
  const visible = resources.map((one) => [one.name, one.visible?.text ?? null]);
  const versions = contract.versions.map(({ name, status, deprecated, sunset }) => ({
    name,
    status,
    deprecated,
    sunset,
  }));
  if (contract.versioning) x.notes.add('receivers by version');
  const counted = new Set(streamsIn(version).flatMap((one) => one.limits.rates.map(({ rate }) => rate)));
  const rates = contract.rates.filter((one) => counted.has(one.name));
  return {
    'x-ninefold-visible': resources.length ? Object.fromEntries(visible) : undefined,
    'x-ninefold-rates': rates.length ? facts(rates) : undefined,
    'x-ninefold-versions': contract.versioning ? facts(versions) : undefined,
  };
}

/** Credentials as the whole value of a header. */
const WHOLE_HEADER = { type: 'httpApiKey', in: 'header' };

/** The ways in which readers of streams show who they are; none where there is no stream. */
function schemesOf(x: Exporting): JsonObject {
  const used = new Set(streamsIn(x.version).flatMap((one) => one.access.schemes));
  const schemes = x.contract.schemes.filter((one) => used.has(one.name));
  if (schemes.length) x.notes.add('credentials');
  return Object.fromEntries(
    schemes.map((scheme) => [
      componentName(scheme.name),
      { ...securityKind(scheme, WHOLE_HEADER), 'x-ninefold-scheme': facts(scheme) },
    ]),
  );
}

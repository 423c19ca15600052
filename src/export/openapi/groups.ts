import type { SchemeContract, VersionContract } from '../../contract/contract.ts';
import type { EndpointContract } from '../../contract/endpoint.ts';
import { successesOf } from '../../contract/successes.ts';
import type { ContractType } from '../../contract/types.ts';

/**
 * The resource that each endpoint is about, by the name of the endpoint; null where it is about none. The path decides:
 * the rows that are listed at it, the row that its last parameter identifies, or the row that a GET of it answers. Where
 * the path says nothing, the endpoint’s own answer does, then the path above it, then the first step, then another
 * endpoint of the path, such as the one that takes the bytes which a GET answers with. Rows that a step
 * writes do not count: an endpoint that also writes a row of an audit trail is not about the audit trail.
 */
export function groupsOf(
  version: VersionContract,
  schemes: readonly SchemeContract[],
): ReadonlyMap<string, string | null> {
  const paths = new Paths(version);
  const isShown = (resource: string | null): resource is string =>
    version.shapes.some((one) => one.resource === resource);
  const found = new Map(
    version.endpoints.map((endpoint): [string, string | null] => {
      const path = segmentsOf(endpoint.path);
      const resource =
        paths.resource(path) ??
        answered(version, endpoint) ??
        paths.resourceAbove(path) ??
        endpoint.steps.map((one) => one.resource).find(isShown) ??
        loggedOut(endpoint, schemes);
      return [endpoint.name, resource];
    }),
  );
  const ofPath = new Map(
    version.endpoints.flatMap(({ name, path }) => (found.get(name) ? [[path, found.get(name)]] : [])),
  );
  return new Map(version.endpoints.map(({ name, path }) => [name, found.get(name) ?? ofPath.get(path) ?? null]));
}

/** The callers whose credentials an endpoint revokes, where it does nothing else and they are of one resource. */
function loggedOut({ steps, access }: EndpointContract, schemes: readonly SchemeContract[]): string | null {
  if (!steps.some((one) => one.do === 'revoke')) return null;
  const callers = new Set(schemes.flatMap(({ name, caller }) => (access.schemes.includes(name) ? [caller] : [])));
  return callers.size === 1 ? ([...callers][0] ?? null) : null;
}

type Path = readonly string[];

/** The place of a path parameter, whatever the name of the parameter. */
const PARAMETER = '{}';

/** The segments of a path. Text after a parameter is an action: `{id}:cancel` is `{}`. */
const segmentsOf = (path: string): Path =>
  path
    .split('/')
    .filter((one) => one !== '')
    .map((one) => (one.startsWith('{') ? PARAMETER : one));

/** The resources of the paths of a version. */
class Paths {
  /** The resource whose rows a GET lists. */
  private readonly lists = new Map<string, string>();
  /** The resource of which a path parameter identifies a row. */
  private readonly finds = new Map<string, string>();
  /** The resource that a GET shows. */
  private readonly shows = new Map<string, string>();

  constructor(version: VersionContract) {
    for (const endpoint of version.endpoints) {
      const path = segmentsOf(endpoint.path);
      for (const [i, segment] of endpoint.path.split('/').slice(1).entries()) {
        const name = /^\{([^}]*)\}/.exec(segment)?.[1];
        const found = endpoint.parameters.find((one) => one.in === 'path' && one.name === name)?.finds;
        if (found) put(this.finds, path.slice(0, i + 1), found.resource);
      }
      const isRead = endpoint.method === 'GET' || endpoint.method === 'QUERY';
      const resource = isRead && !/\}[^/]+$/.test(endpoint.path) ? answered(version, endpoint) : null;
      if (resource === null) continue;
      put(this.shows, path, resource);
      if (isList(endpoint)) put(this.lists, path, resource);
    }
  }

  /** The resource of a path by what is known of the path itself; null if nothing is. */
  resource(path: Path): string | null {
    const [all, one] = path.at(-1) === PARAMETER ? [path.slice(0, -1), path] : [path, [...path, PARAMETER]];
    return this.lists.get(keyOf(all)) ?? this.finds.get(keyOf(one)) ?? this.shows.get(keyOf(path)) ?? null;
  }

  /** The resource of the nearest path above that has one. The root has all paths below it, and is about none of them. */
  resourceAbove(path: Path): string | null {
    for (let length = path.length - 1; length > 0; length--) {
      const found = this.resource(path.slice(0, length));
      if (found !== null) return found;
    }
    return null;
  }
}

const keyOf = (path: Path): string => path.join('/');

function put(map: Map<string, string>, path: Path, resource: string): void {
  if (!map.has(keyOf(path))) map.set(keyOf(path), resource);
}

const isList = (endpoint: EndpointContract): boolean =>
  endpoint.page !== null ||
  successesOf(endpoint).some(({ body }) => body !== null && ['list', 'set', 'rows'].includes(body.type.kind));

/** The resource that an endpoint answers with; null if it answers with none. */
function answered(version: VersionContract, endpoint: EndpointContract): string | null {
  for (const { body } of successesOf(endpoint)) {
    const found = body && resourceIn(version, body.type);
    if (found) return found;
  }
  return null;
}

/** The first resource in a type; null if there is none. */
export function resourceIn(version: VersionContract, type: ContractType): string | null {
  switch (type.kind) {
    case 'shape':
      return version.shapes.find((one) => one.name === type.name)?.resource ?? null;
    case 'list':
    case 'set':
    case 'rows':
    case 'map':
      return resourceIn(version, type.of);
    case 'object': {
      const found = type.members.map((one) => one.field?.split('.')[0] ?? resourceIn(version, one.type));
      return found.find((one) => one !== null) ?? null;
    }
    case 'stream': {
      const events = version.events.filter((one) => type.events.includes(one.name));
      const resources = new Set(events.map((one) => one.resource));
      return resources.size === 1 ? ([...resources][0] ?? null) : null;
    }
    default:
      return null;
  }
}

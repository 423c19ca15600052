import type { Contract, VersionContract } from '../../contract/contract.ts';
import type { EndpointContract } from '../../contract/endpoint.ts';
import { successesOf } from '../../contract/successes.ts';
import type { ContractType } from '../../contract/types.ts';
import { Names } from '../json-schema.ts';
import { camel, pascal } from './words.ts';

/** A group of methods: `client.orders.items` has the methods of `/orders/{id}/items`. */
export interface Group {
  readonly methods: readonly Method[];
  readonly groups: ReadonlyArray<readonly [name: string, group: Group]>;
}

export interface Method {
  readonly name: string;
  readonly endpoint: EndpointContract;
  /** The full name of the method, as in `orders.create`. */
  readonly chain: readonly string[];
}

interface Route {
  readonly endpoint: EndpointContract;
  readonly segments: readonly string[];
}

/** Assigns a method to each endpoint of a version, in groups by the fixed segments of its path. */
export function treeOf(contract: Contract, version: VersionContract): Group {
  const paths = version.endpoints.map((one) => wordsOf(one.path));
  const skipped = skippedOf(contract, version, paths);
  const routes = version.endpoints.map((endpoint, i) => ({ endpoint, segments: (paths[i] ?? []).slice(skipped) }));
  return groupOf(
    routes.map((route) => ({ ...placeOf(route, routes), endpoint: route.endpoint })),
    [],
  );
}

/** The texts and parameters of a path: `/orders/{id}:cancel` is named like `/orders/{id}/cancel`. */
const wordsOf = (path: string): readonly string[] => path.match(/\{[^}]*\}|[^/{}:]+/g) ?? [];

const isParameter = (segment: string): boolean => segment.startsWith('{');

/** The number of leading segments that all paths share, such as a version or `/api`. */
function skippedOf(contract: Contract, version: VersionContract, paths: ReadonlyArray<readonly string[]>): number {
  const by = contract.versioning?.by;
  const prefix = by?.kind === 'path' && version.name !== null ? by.prefix.split('/').filter(Boolean).length : 0;
  const [first = []] = paths;
  let skipped = prefix;
  while (
    skipped < first.length &&
    paths.every((one) => {
      const next = one[skipped + 1];
      return one[skipped] === first[skipped] && next !== undefined && !isParameter(next);
    })
  )
    skipped++;
  return skipped;
}

interface Placed {
  readonly endpoint: EndpointContract;
  /** The names of the enclosing groups. */
  readonly groups: readonly string[];
  /** The preferred name of the method, and the one that is used if the first is taken. */
  readonly wanted: readonly [string, string];
}

function placeOf({ endpoint, segments }: Route, routes: readonly Route[]): Omit<Placed, 'endpoint'> {
  const fixed = segments.filter((one) => !isParameter(one)).map(camel);
  const last = segments.at(-1) ?? '';
  const before = segments.at(-2) ?? '';
  const lastName = pascal(last);
  if (isParameter(last)) {
    const action = endpoint.method === 'POST' && isParameter(before) ? camel(last) : null;
    const verb = action ?? itemVerb(endpoint, answersWithList(endpoint));
    return { groups: fixed, wanted: [verb, verb + lastName] };
  }
  if (fixed.length > 1 && isAction({ endpoint, segments }, routes)) {
    const own = ACTIONS[endpoint.method];
    const name = own ? own + lastName : (fixed.at(-1) ?? '');
    // `POST /tickets:solve` and `POST /tickets/{number}/solve` differ in the parameter.
    const ofAll = routes.some(
      (one) => one.segments.join('/') === segments.filter((part) => !isParameter(part)).join('/'),
    );
    const second =
      ofAll && isParameter(before) ? `${name}By${pascal(before)}` : endpoint.method.toLowerCase() + lastName;
    return { groups: fixed.slice(0, -1), wanted: [name, second] };
  }
  const verb = groupVerb(endpoint, segments, routes);
  return { groups: fixed, wanted: [verb, verb + lastName] };
}

/** The verbs before the names of actions, for methods whose requests say more than the name. */
const ACTIONS: Readonly<Record<string, string>> = { PUT: 'set', PATCH: 'update', DELETE: 'delete' };

/** Whether the last segment of a path names an action (`/orders/{id}/place`), with no further paths below it. */
function isAction({ endpoint, segments }: Route, routes: readonly Route[]): boolean {
  const path = segments.join('/');
  const isLeaf = routes.every(
    (one) => one.endpoint === endpoint || !`${one.segments.join('/')}/`.startsWith(`${path}/`),
  );
  if (!isLeaf) return false;
  if (endpoint.method === 'GET') return !isList(endpoint) && !isStream(endpoint);
  return !(creates(endpoint) && isParameter(segments.at(-2) ?? ''));
}

const answersWith = (endpoint: EndpointContract, kind: ContractType['kind']): boolean =>
  successesOf(endpoint).some(({ body }) => body?.type.kind === kind);

const creates = (endpoint: EndpointContract): boolean => successesOf(endpoint).some(({ status }) => status === 201);

export const isStream = (endpoint: EndpointContract): boolean => answersWith(endpoint, 'stream');

const answersWithList = (endpoint: EndpointContract): boolean =>
  endpoint.page !== null || answersWith(endpoint, 'list');

/** Whether an endpoint answers with a list, or with an object that has one list. */
const isList = (endpoint: EndpointContract): boolean =>
  answersWithList(endpoint) || (endpoint.steps.some((step) => step.do === 'list') && listsIn(endpoint) === 1);

const listsIn = (endpoint: EndpointContract): number =>
  successesOf(endpoint).flatMap(({ body }) =>
    body?.type.kind === 'object' ? body.type.members.filter(({ type }) => type.kind === 'list') : [],
  ).length;

function itemVerb(endpoint: EndpointContract, list: boolean): string {
  switch (endpoint.method) {
    case 'GET':
      return isStream(endpoint) ? 'stream' : list ? 'list' : 'get';
    case 'QUERY':
      return 'query';
    case 'PATCH':
      return 'update';
    case 'PUT':
      return endpoint.body?.patch ? 'update' : 'set';
    case 'DELETE':
      return 'delete';
    default:
      return creates(endpoint) ? 'create' : 'post';
  }
}

function groupVerb(endpoint: EndpointContract, segments: readonly string[], routes: readonly Route[]): string {
  const siblings = routes.filter((one) => one.segments.join('/') === segments.join('/')).map((one) => one.endpoint);
  const listed = siblings.some((one) => one.method === 'GET' && isList(one));
  if (endpoint.method === 'DELETE' && listed) return 'deleteAll';
  if (endpoint.method !== 'POST' || creates(endpoint)) return itemVerb(endpoint, isList(endpoint));
  return siblings.length > 1 ? 'add' : 'post';
}

/** A group with a method `then` would be a thenable, which `await` calls. */
const NEVER = ['then'];

function groupOf(placed: readonly Placed[], above: readonly string[]): Group {
  const names = new Names();
  for (const name of NEVER) names.once(name);
  const used = new Set<string>();
  const methods = placed
    .filter((one) => one.groups.length === above.length)
    .map(({ endpoint, wanted: [first, second] }) => {
      const name = names.once(used.has(first) ? second : first);
      used.add(first);
      return { name, endpoint, chain: [...above, name] };
    });
  const deeper = placed.filter((one) => one.groups.length > above.length);
  const below = [...new Set(deeper.map((one) => one.groups[above.length] ?? ''))];
  return {
    methods,
    groups: below.map((wanted) => {
      const own = deeper.filter((one) => one.groups[above.length] === wanted);
      const name = names.once(wanted);
      const chain = [...above, name];
      const renamed = own.map((one) => ({ ...one, groups: [...chain, ...one.groups.slice(chain.length)] }));
      return [name, groupOf(renamed, chain)] as const;
    }),
  };
}

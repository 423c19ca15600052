import type { VersionContract } from '../../contract/contract.ts';
import type { EndpointContract } from '../../contract/endpoint.ts';
import { named } from '../../plan/named.ts';
import { allNested } from '../../plan/nested-steps.ts';
import { effectOf, resourceOf, valuesOf } from '../../plan/slots.ts';
import type { EndpointPlan, InsideStep, Plan } from '../../plan/step.ts';
import { requestsAtConstants, requestsByChance } from '../requests/by-chance.ts';
import type { Candidate } from '../requests/candidate.ts';
import { candidatesFor } from '../requests/candidates.ts';
import { elsewhere } from '../requests/elsewhere.ts';
import type { Known } from '../requests/known.ts';
import type { Random } from '../requests/random.ts';
import type { Session } from '../session/session.ts';
import type { Request } from '../target/exchange.ts';
import type { Exploration } from './exploration.ts';

/**
 * Yields random valid requests to some endpoints of the current version: up to `most` for each, with the endpoints in
 * random order. `echoed`: some requests repeat values of these rows.
 */
export function* rightRequests(
  run: Exploration,
  known: Known,
  { most, echoed = null }: { readonly most: number; readonly echoed?: Known | null },
  fits: (endpoint: string) => boolean,
): Generator<Candidate> {
  for (const given of situationsOf(run, known, fits)) yield* requestsByChance(given, most, echoed);
}

/** Yields valid requests to some endpoints of the current version, each with a value at a constant or beside it. */
export function* requestsAt(run: Exploration, known: Known, fits: (endpoint: string) => boolean): Generator<Candidate> {
  for (const given of situationsOf(run, known, fits)) yield* requestsAtConstants(given, BASES_AT_CONSTANTS);
}

/** The number of requests to an endpoint in which values are replaced by constants. */
const BASES_AT_CONSTANTS = 3;

/** Some endpoints of the current version in random order, each with what requests to it are made from. */
function situationsOf(
  { subject: { contract, plan }, random }: Exploration,
  known: Known,
  fits: (endpoint: string) => boolean,
): Array<Parameters<typeof requestsByChance>[0]> {
  const [version] = contract.versions;
  if (!version) return [];
  const endpoints = random.shuffled(version.endpoints.filter(({ name }) => fits(name)));
  return endpoints.map((endpoint) => ({ contract, version, endpoint, known, random, plan }));
}

/** The lowest status of a request that is not accepted. */
const REFUSED = 300;

/**
 * The candidates for an endpoint of a version, or for no endpoint, from the present knowledge of a session. `name`: the
 * name of the next request.
 */
export async function candidatesAt(
  session: Session,
  version: VersionContract,
  endpoint: EndpointContract | null,
  random: Random,
  name: () => string,
): Promise<Iterable<Candidate>> {
  const { contract, plan } = session.subject;
  const now = await session.now();
  const known = session.known(now);
  if (!endpoint) return elsewhere(contract, version, known, random);
  const isTaken = (request: Request): boolean =>
    (session.predict(request, now, name())?.expected.status ?? REFUSED) < REFUSED;
  return candidatesFor(contract, version, endpoint, known, random, plan, isTaken);
}

/**
 * Sorts endpoints that remove rows behind others, and those that remove rows of most resources last: removed rows
 * cannot be tested any more.
 */
export function byRemoval(plan: Plan): (one: EndpointContract | null, other: EndpointContract | null) => number {
  const removed = new Map(plan.endpoints.map((one) => [one.name, removedBy(plan, one)]));
  const countOf = (endpoint: EndpointContract | null): number => (endpoint && removed.get(endpoint.name)) ?? 0;
  return (one, other) => countOf(one) - countOf(other);
}

/**
 * The number of resources of which an endpoint removes rows, also indirectly; one more where it may remove many rows.
 */
function removedBy({ resources }: Plan, { inside }: EndpointPlan): number {
  const steps = removing(inside);
  const all = new Set(steps.flatMap((step) => resourceOf(step) ?? []));
  for (const name of all) for (const one of named(resources, name).takes) all.add(one.resource);
  return all.size + (steps.some((step) => valuesOf(step, 'row').length === 0) ? 1 : 0);
}

/** Whether an endpoint removes rows by a step of its own. */
export const removesRows = ({ inside }: Pick<EndpointPlan, 'inside'>): boolean => removing(inside).length > 0;

const removing = (inside: readonly InsideStep[]): InsideStep[] =>
  [...allNested(inside)].filter((step) => effectOf(step) === 'removes');

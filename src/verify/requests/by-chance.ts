import type { Contract } from '../../contract/contract.ts';
import type { EndpointContract } from '../../contract/endpoint.ts';
import { effectOfKind } from '../../plan/slots.ts';
import type { Plan } from '../../plan/step.ts';
import type { Request } from '../target/exchange.ts';
import { anyBase, bases, callersOf } from './bases.ts';
import type { Base, Candidate, Mutation, Situation } from './candidate.ts';
import { candidate, changed, MUTATING, situationOf } from './candidates.ts';
import { requestOf } from './draft.ts';
import { echo } from './echoes.ts';
import { anyQuantity, contentOf, isQuantity, quantityOf, unitOf } from './kinds.ts';
import type { Known } from './known.ts';
import { isAtConstant, nearMutations, slotsOf } from './near-mutations.ts';
import { pageMutations } from './page-mutations.ts';
import { combinations } from './parameter-mutations.ts';
import type { Random } from './random.ts';
import { relatedMutations } from './related-mutations.ts';
import { written } from './samples.ts';

/** The shares of optional members in requests that imitate another one. */
const FILLS_OF_LIKE = ['all', 'some'] as const;

/** The weight of an endpoint in the random choice: endpoints that create and change rows are chosen more often. */
function weightOf({ writes, steps }: EndpointContract): number {
  if (steps.some((step) => effectOfKind(step.do) === 'creates')) return 4;
  if (steps.some((step) => step.do === 'remove')) return 1;
  return writes ? 4 : 2;
}

/**
 * Random valid requests to one endpoint, about random rows and with random values. `echoed`: half of the requests
 * repeat values of these rows.
 */
export function* requestsByChance(
  given: Parameters<typeof situationOf>[0],
  most: number,
  echoed: Known | null = null,
): Generator<Candidate> {
  const situation = situationOf(given);
  const others = echoed && situationOf({ ...given, known: echoed });
  const { random } = given;
  const callers = callersOf(situation);
  for (let i = 0; i < most && callers.length > 0; i++) {
    const base = anyBase(situation, random.among(callers) ?? null, random.pick(['all', 'none', 'some']));
    const like = others && random.chance(ECHOED) ? likeRows(others, base) : null;
    yield like ? changed(situation, base, [like]) : candidate(situation, base.draft, base.what, true);
  }
}

/** Valid requests to one endpoint about random rows, each with one value at a constant of the document, or beside it. */
export function* requestsAtConstants(given: Parameters<typeof situationOf>[0], most: number): Generator<Candidate> {
  const situation = situationOf(given);
  const { random } = given;
  const callers = callersOf(situation);
  for (let i = 0; i < most && callers.length > 0; i++) {
    const base = anyBase(situation, random.among(callers) ?? null, random.pick(['all', 'some']));
    for (const one of nearMutations(situation, base)) if (isAtConstant(one.what)) yield changed(situation, base, [one]);
  }
}

/** Whether two requests have the same credentials. */
export function isBySame({ schemes }: Pick<Contract, 'schemes'>, one: Request, other: Request): boolean {
  const names = new Set(schemes.map(({ header }) => header.toLowerCase()));
  const credentialsOf = ({ headers }: Request): string =>
    JSON.stringify(headers.filter(([name]) => names.has(name.toLowerCase())));
  return credentialsOf(one) === credentialsOf(other);
}

/** Valid requests that imitate one: with its target and credentials, and other values each time. */
export function* requestsLike(
  given: Parameters<typeof situationOf>[0],
  one: Request,
  most: number,
): Generator<Candidate> {
  const situation = situationOf(given);
  for (const fill of FILLS_OF_LIKE)
    for (const base of bases(situation, fill)) {
      const made = requestOf(base.draft);
      if (made.target !== one.target || !isBySame(given.contract, made, one)) continue;
      for (let i = 0; i < most / FILLS_OF_LIKE.length; i++) yield candidate(situation, base.make(), base.what, true);
      break;
    }
}

/** A valid request, and its quantities, each of which may be replaced. */
interface QuantityRequest {
  readonly one: Candidate;
  readonly quantities: readonly Quantity[];
}

/** A quantity of a request. */
export interface Quantity {
  /** The place of the quantity, and its value. */
  readonly slot: string;
  readonly quantity: number;
  /** The smallest step from one quantity to the next. */
  readonly unit: number;
  /** Returns the request with another quantity; null if the type does not allow that quantity. */
  readonly withQuantity: (quantity: number) => Candidate | null;
}

/** Up to `most` random valid requests, with their quantities. */
export function* quantityRequests(given: Parameters<typeof situationOf>[0], most: number): Generator<QuantityRequest> {
  const situation = situationOf(given);
  const callers = callersOf(situation);
  for (let i = 0; i < most && callers.length > 0; i++) {
    const base = anyBase(situation, given.random.among(callers) ?? null, given.random.pick(['all', 'some']));
    const one = candidate(situation, base.draft, base.what, true);
    const quantities = slotsOf(situation, base.draft).flatMap((slot): Quantity[] => {
      const { type, name } = slot;
      if (!isQuantity(type)) return [];
      const held = slot.read(base.draft);
      // A read without this parameter can be sent with a value for it.
      const isAbsent = held === undefined && !situation.endpoint.writes;
      const quantity = isAbsent ? anyQuantity(type, given.known.now) : quantityOf(type, held);
      if (quantity === null) return [];
      const withQuantity = (other: number): Candidate | null => {
        const value = contentOf(type, other);
        if (value === null) return null;
        const what = `${name} is “${written(value)}”, at the edge of what is refused; ${base.what}`;
        return candidate(situation, slot.write(base.draft, value), what, true);
      };
      return [{ slot: name, quantity, unit: unitOf(type), withQuantity }];
    });
    yield { one, quantities };
  }
}

/** The probability that a valid request repeats values of rows, if `echoed` is set. */
const ECHOED = 0.5;

/** Replaces values of a request by values of rows: of any rows, or of one row. */
function likeRows(situation: Situation, base: Base): Mutation | null {
  const { random } = situation;
  return random.chance(0.5) ? echo(situation, base) : (random.among(relatedMutations(situation, base)) ?? null);
}

/** Valid mutations that repeat values of rows; for reads otherwise random filters and pages. */
function byRows(situation: Situation, base: Base): Mutation[] {
  const { endpoint, random } = situation;
  const told = echo(situation, base);
  if (endpoint.writes) return told ? [told] : [];
  const chosen = told ?? (random.chance(CHOSEN) ? random.among(combinations(situation)) : null);
  const pages =
    endpoint.page && random.chance(PAGED) ? pageMutations(situation, base).filter(({ valid }) => valid) : [];
  return [chosen, random.among(pages)].filter((one) => one !== null && one !== undefined);
}

/** The probability that a random request is invalid. */
const WRONG = 0.3;
/** The probability that a request for a list has filters and page parameters. */
const CHOSEN = 0.6;
const PAGED = 0.3;

/**
 * A random request to any endpoint: mostly valid, and sometimes with one or two faults. Null where there are no
 * endpoints. `share`: the probability of faults.
 */
export function randomCandidate(
  contract: Contract,
  known: Known,
  random: Random,
  plan: Plan | null = null,
  share = WRONG,
): Candidate | null {
  const speaking = contract.versions.filter((one) => one.endpoints.length > 0);
  const version = random.chance(0.8) ? speaking[0] : random.among(speaking);
  const endpoint =
    version && random.among(version.endpoints.flatMap((one) => Array<EndpointContract>(weightOf(one)).fill(one)));
  if (!version || !endpoint) return null;
  const situation = situationOf({ contract, version, endpoint, known, random, plan });
  const caller = random.among(callersOf(situation)) ?? null;
  const base = anyBase(situation, caller, random.pick(['all', 'none', 'some']));
  const wrong = random.chance(1 - share) ? 0 : random.chance(0.8) ? 1 : 2;
  const chosen: Mutation[] = [];
  for (let i = 0; i < wrong; i++) {
    const one = random.among(random.pick(MUTATING)(situation, base));
    if (one && one.aspect !== chosen[0]?.aspect) chosen.push(one);
  }
  if (wrong === 0) chosen.push(...byRows(situation, base));
  return chosen.length ? changed(situation, base, chosen) : candidate(situation, base.draft, base.what, true);
}

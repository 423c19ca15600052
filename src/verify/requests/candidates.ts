import type { Contract, VersionContract } from '../../contract/contract.ts';
import type { EndpointContract } from '../../contract/endpoint.ts';
import type { Plan } from '../../plan/step.ts';
import { anyBase, bases, callersOf } from './bases.ts';
import { bodyMutations } from './body-mutations.ts';
import { callerMutations } from './caller-mutations.ts';
import type { Base, Candidate, Mutation, Situation } from './candidate.ts';
import { type Draft, requestOf } from './draft.ts';
import { formMutations } from './form-mutations.ts';
import { headerMutations } from './header-mutations.ts';
import type { Known } from './known.ts';
import { pageMutations } from './page-mutations.ts';
import { parameterMutations } from './parameter-mutations.ts';
import type { Random } from './random.ts';

/** A change that is meant to be accepted is tried about so many kinds of rows. */
const BASES_OF_VALID = 6;
/** How many pairs of changes are tried. */
const PAIRS = 60;

/**
 * Requests to one endpoint in one version, the most telling first: those that are right, by each caller about each kind
 * of rows; those that differ in one thing; and those that differ in two. `plan` tells which rows the steps find.
 */
export function* candidatesFor(
  contract: Contract,
  version: VersionContract,
  endpoint: EndpointContract,
  known: Known,
  random: Random,
  plan: Plan | null = null,
): Generator<Candidate> {
  const situation: Situation = { contract, version, endpoint, known, random, plan };
  const good = [...bases(situation, 'all')];
  if (good.length === 0) good.push(anyBase(situation, callersOf(situation)[0] ?? null, 'all'));
  for (const base of good) yield* plain(situation, base);
  for (const fill of ['least', 'some'] as const)
    for (const base of bases(situation, fill)) yield candidate(situation, base.draft, base.what, true);
  for (const base of good) yield headOf(situation, base);
  const mutations = mutationsOf(situation, first(good));
  yield* single(situation, good, mutations);
  yield* pairs(situation, good, mutations);
}

/** A request that is right, the same again, and again with the same key by what stands first among its variants. */
function* plain(situation: Situation, base: Base): Generator<Candidate> {
  yield candidate(situation, base.draft, base.what, true);
  if (situation.endpoint.idempotency) yield candidate(situation, base.draft, `${base.what}, sent again`, true);
}

function headOf(situation: Situation, base: Base): Candidate {
  const draft = { ...base.draft, method: situation.endpoint.method === 'GET' ? 'HEAD' : base.draft.method };
  return candidate(situation, draft, `${base.what}, by ${draft.method}`, true);
}

const first = (good: readonly Base[]): Base => {
  const [one] = good;
  if (!one) throw new Error('No request to begin with');
  return one;
};

/** Everything that can be changed about a request, each thing by itself. */
function mutationsOf(situation: Situation, base: Base): Mutation[] {
  return [
    ...callerMutations(situation, base),
    ...parameterMutations(situation, base),
    ...bodyMutations(situation, base),
    ...pageMutations(situation, base),
    ...headerMutations(situation, base),
    ...formMutations(situation, base),
  ];
}

function* single(situation: Situation, good: readonly Base[], mutations: readonly Mutation[]): Generator<Candidate> {
  const { random } = situation;
  for (const one of mutations) {
    const about = one.valid ? random.shuffled(good).slice(0, BASES_OF_VALID) : [random.among(good) ?? first(good)];
    for (const base of about) yield changed(situation, base, [one]);
  }
}

/** Which of two refusals comes first, the document says. */
function* pairs(situation: Situation, good: readonly Base[], mutations: readonly Mutation[]): Generator<Candidate> {
  const { random } = situation;
  for (let i = 0; i < PAIRS; i++) {
    const [one, other] = [random.among(mutations), random.among(mutations)];
    if (!one || !other || one.aspect === other.aspect) continue;
    yield changed(situation, random.among(good) ?? first(good), [one, other]);
  }
}

function changed(situation: Situation, base: Base, mutations: readonly Mutation[]): Candidate {
  const draft = mutations.reduce((made, { change }) => change(made), base.draft);
  const what = mutations.map((one) => one.what).join(', and ');
  return candidate(
    situation,
    draft,
    `${what}; ${base.what}`,
    mutations.every((one) => one.valid),
  );
}

function candidate({ endpoint, version }: Situation, draft: Draft, what: string, valid: boolean): Candidate {
  return { endpoint: endpoint.name, version: version.name, request: requestOf(draft), what, valid };
}

/** One request to any endpoint: mostly right, and sometimes wrong in one or two things. Null where there are no endpoints. */
export function randomCandidate(
  contract: Contract,
  known: Known,
  random: Random,
  plan: Plan | null = null,
): Candidate | null {
  const speaking = contract.versions.filter((one) => one.endpoints.length > 0);
  const version = random.chance(0.8) ? speaking[0] : random.among(speaking);
  const endpoint = version && random.among(version.endpoints);
  if (!version || !endpoint) return null;
  const situation: Situation = { contract, version, endpoint, known, random, plan };
  const caller = random.among(callersOf(situation)) ?? null;
  const base = anyBase(situation, caller, random.among(['all', 'least', 'some'] as const) ?? 'all');
  const wrong = random.chance(0.75) ? 0 : random.chance(0.8) ? 1 : 2;
  if (wrong === 0) return candidate(situation, base.draft, base.what, true);
  const mutations = mutationsOf(situation, base);
  const [one, other] = [random.among(mutations), random.among(mutations)];
  const chosen = [one, wrong === 2 && other?.aspect !== one?.aspect ? other : undefined].filter(
    (each) => each !== undefined,
  );
  return changed(situation, base, chosen);
}

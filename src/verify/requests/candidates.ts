import type { Contract, VersionContract } from '../../contract/contract.ts';
import type { EndpointContract } from '../../contract/endpoint.ts';
import type { Plan } from '../../plan/step.ts';
import { anyBase, bases, callersOf, withCredentials } from './bases.ts';
import { bodyMutations } from './body-mutations.ts';
import { callerMutations } from './caller-mutations.ts';
import type { Base, Candidate, Mutation, Situation } from './candidate.ts';
import { type Draft, requestOf, withHeader } from './draft.ts';
import { Features } from './features.ts';
import { formMutations } from './form-mutations.ts';
import { headerMutations } from './header-mutations.ts';
import type { Known } from './known.ts';
import { nearMutations } from './near-mutations.ts';
import { pageMutations } from './page-mutations.ts';
import { parameterMutations } from './parameter-mutations.ts';
import type { Random } from './random.ts';
import { relatedMutations } from './related-mutations.ts';
import { Rows } from './rows.ts';

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
  const situation = situationOf({ contract, version, endpoint, known, random, plan });
  const good = [...bases(situation, 'all')];
  if (good.length === 0) good.push(anyBase(situation, callersOf(situation)[0] ?? null, 'all'));
  for (const base of good) yield* plain(situation, base);
  for (const fill of ['least', 'some'] as const)
    for (const base of bases(situation, fill)) yield candidate(situation, base.draft, base.what, true);
  if (endpoint.method === 'GET') for (const base of good) yield headOf(situation, base);
  const some = random.shuffled(good);
  yield* single(situation, some);
  yield* pairs(situation, some);
}

function situationOf(given: Omit<Situation, 'rows' | 'features'>): Situation {
  const rows = new Rows(given.contract, given.known);
  return { ...given, rows, features: new Features(given.contract, given.known, rows) };
}

/** A request that is right; where it has a key, the same again, another with that key, and the same by others. */
function* plain(situation: Situation, base: Base): Generator<Candidate> {
  yield candidate(situation, base.draft, base.what, true);
  const { idempotency } = situation.endpoint;
  if (!idempotency) return;
  yield candidate(situation, base.draft, `${base.what}, sent again with its key`, true);
  const key = base.draft.headers.find(([name]) => name === idempotency.header)?.[1] ?? null;
  const other = withHeader(base.make(), idempotency.header, key);
  yield candidate(situation, other, `${base.what}, with other values and the same key`, false);
  for (const caller of callersOf(situation)
    .filter((one) => one !== base.caller)
    .slice(0, 2)) {
    const as = withCredentials(base.draft, situation.contract.schemes, caller);
    yield candidate(situation, as, `${base.what}, now with the credentials of another and the same key`, true);
  }
}

function headOf(situation: Situation, base: Base): Candidate {
  return candidate(situation, { ...base.draft, method: 'HEAD' }, `${base.what}, by HEAD`, situation.endpoint.head);
}

type Mutating = (situation: Situation, base: Base) => Mutation[];

/** What can be changed about a request, by what is changed. */
const MUTATING: readonly [Mutating, ...Mutating[]] = [
  bodyMutations,
  parameterMutations,
  callerMutations,
  relatedMutations,
  nearMutations,
  pageMutations,
  headerMutations,
  formMutations,
];

/** Everything that can be changed about a request, each thing by itself: of each aspect the first, then the second. */
function mutationsOf(situation: Situation, base: Base): Mutation[] {
  const byAspect = new Map<string, Mutation[]>();
  for (const one of MUTATING.flatMap((mutating) => mutating(situation, base))) {
    const same = byAspect.get(one.aspect);
    if (same) same.push(one);
    else byAspect.set(one.aspect, [one]);
  }
  const lists = [...byAspect.values()];
  const longest = Math.max(0, ...lists.map((one) => one.length));
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list[i] ?? [])).flat();
}

/** Each change once; what is meant to be accepted is tried about several kinds of rows. */
function* single(situation: Situation, good: readonly Base[]): Generator<Candidate> {
  for (const [i, base] of good.slice(0, BASES_OF_VALID).entries())
    for (const one of mutationsOf(situation, base)) if (i === 0 || one.valid) yield changed(situation, base, [one]);
}

/** Which of two refusals comes first, the document says. */
function* pairs(situation: Situation, good: readonly Base[]): Generator<Candidate> {
  const { random } = situation;
  const base = random.among(good);
  if (!base) return;
  const mutations = mutationsOf(situation, base);
  const wrong = mutations.filter((one) => !one.valid);
  for (let i = 0; i < PAIRS; i++) {
    const [one, other] = [random.among(wrong), random.among(i % 3 ? wrong : mutations)];
    if (one && other && one.aspect !== other.aspect) yield changed(situation, base, [one, other]);
  }
}

function changed(situation: Situation, base: Base, mutations: readonly Mutation[]): Candidate {
  const draft = mutations.reduce((made, { change }) => change(made), base.make());
  const what = mutations.map((one) => one.what).join(', and ');
  const valid = mutations.every((one) => one.valid);
  return candidate(situation, draft, `${what}; ${base.what}`, valid);
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
  const situation = situationOf({ contract, version, endpoint, known, random, plan });
  const caller = random.among(callersOf(situation)) ?? null;
  const base = anyBase(situation, caller, random.pick(['all', 'least', 'some']));
  const wrong = random.chance(0.7) ? 0 : random.chance(0.8) ? 1 : 2;
  const chosen: Mutation[] = [];
  for (let i = 0; i < wrong; i++) {
    const one = random.among(random.pick(MUTATING)(situation, base));
    if (one && one.aspect !== chosen[0]?.aspect) chosen.push(one);
  }
  return chosen.length ? changed(situation, base, chosen) : candidate(situation, base.draft, base.what, true);
}

import type { Contract, VersionContract } from '../../contract/contract.ts';
import type { EndpointContract } from '../../contract/endpoint.ts';
import type { Plan } from '../../plan/step.ts';
import { anyBase, bases, callersOf, withCredentials } from './bases.ts';
import { bodyMutations } from './body-mutations.ts';
import { callerMutations } from './caller-mutations.ts';
import { type Base, type Candidate, kindOf, type Mutation, type Situation } from './candidate.ts';
import { constantsOf } from './constants.ts';
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
/** So many right requests come before anything that is wrong. */
const AT_FIRST = 24;
/** How many pairs of changes are tried. */
const PAIRS = 60;
/** How many requests of before are sent again. */
const REPLAYS = 4;

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
  // What a caller does to its own rows is refused least, so that the one thing that is wrong is what is answered.
  const own = ({ rows, caller }: Base): number =>
    [...rows.values()].filter((row) => situation.rows.belongsTo(row, caller) === 'own').length;
  const some = random.shuffled(good).sort((a, b) => own(b) - own(a));
  const [best, ...others] = some;
  const ordered = best ? [best, ...random.shuffled(others)] : [];
  for (const base of ordered.slice(0, AT_FIRST)) yield* plain(situation, base);
  yield* replays(situation);
  yield* sparse(situation);
  yield* single(situation, ordered.slice(0, 1), false);
  for (const base of ordered.slice(AT_FIRST)) yield* plain(situation, base);
  for (const fill of ['none', 'some'] as const)
    for (const base of bases(situation, fill))
      yield candidate(situation, base.draft, `${base.what}, with ${fill} of what may be left out`, true);
  if (endpoint.method === 'GET') for (const base of ordered) yield headOf(situation, base);
  yield* single(situation, ordered.slice(1, BASES_OF_VALID), true);
  yield* pairs(situation, ordered);
}

function situationOf(given: Omit<Situation, 'rows' | 'features' | 'constants'>): Situation {
  const rows = new Rows(given.contract, given.known);
  const constants = constantsOf(given.contract, given.endpoint, given.plan);
  return { ...given, rows, constants, features: new Features(given.contract, given.known, rows, constants) };
}

/** Values near what the document names, in bodies that hold little else: guards look at what is missing, too. */
function* sparse(situation: Situation): Generator<Candidate> {
  if (!situation.endpoint.body) return;
  for (const base of bases(situation, 'none')) {
    for (const one of nearMutations(situation, base)) yield changed(situation, base, [one]);
    return;
  }
}

/** A request that is right; where it has a key, the same again, another with that key, and the same by others. */
function* plain(situation: Situation, base: Base): Generator<Candidate> {
  const whole = base.feature ? `${base.what} (${base.feature})` : base.what;
  yield candidate(situation, base.draft, whole, true);
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

/** Requests of before with their keys, now that their rows may have changed: as they were, and with another key. */
function* replays({ contract, endpoint, known, version }: Situation): Generator<Candidate> {
  const header = endpoint.idempotency?.header.toLowerCase();
  if (header === undefined) return;
  const used = known.keys.filter((one) => one.endpoint === endpoint.name).slice(-REPLAYS);
  for (const { key, request } of used) {
    if (!request) continue;
    const of = (what: string, headers: Candidate['request']['headers']): Candidate => ({
      endpoint: endpoint.name,
      version: version.name,
      request: { ...request, headers },
      what,
      kind: kindOf(what),
      valid: true,
    });
    yield of(`the request of the key “${key}”, sent again`, request.headers);
    const others = request.headers.map(
      ([name, value]) => [name, name.toLowerCase() === header ? `${key}-2` : value] as const,
    );
    yield of(`the request of the key “${key}”, sent again with another key`, others);
    const schemes = new Set(contract.schemes.map((one) => one.header.toLowerCase()));
    const bare = request.headers.filter(([name]) => !schemes.has(name.toLowerCase()));
    if (bare.length < request.headers.length)
      yield of(`the request of the key “${key}”, sent again without credentials`, bare);
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

/** Each change of each of some requests; only those that are meant to be accepted, where that is asked for. */
function* single(situation: Situation, some: readonly Base[], validOnly: boolean): Generator<Candidate> {
  for (const base of some)
    for (const one of mutationsOf(situation, base)) if (one.valid || !validOnly) yield changed(situation, base, [one]);
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
  // What is refused for its form is refused whoever asks, about whatever row.
  return candidate(situation, draft, `${what}; ${base.what}`, valid, valid ? undefined : what);
}

function candidate(
  { endpoint, version }: Situation,
  draft: Draft,
  what: string,
  valid: boolean,
  tried = what,
): Candidate {
  return {
    endpoint: endpoint.name,
    version: version.name,
    request: requestOf(draft),
    what,
    kind: kindOf(tried),
    valid,
  };
}

/** How much more often than others an endpoint is asked: conversations are about rows that are made and change. */
function weightOf({ writes, steps }: EndpointContract): number {
  if (steps.some((step) => step.do === 'create' || step.do === 'ensure')) return 4;
  if (steps.some((step) => step.do === 'remove')) return 1;
  return writes ? 4 : 2;
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
  const endpoint =
    version && random.among(version.endpoints.flatMap((one) => Array<EndpointContract>(weightOf(one)).fill(one)));
  if (!version || !endpoint) return null;
  const situation = situationOf({ contract, version, endpoint, known, random, plan });
  const caller = random.among(callersOf(situation)) ?? null;
  const base = anyBase(situation, caller, random.pick(['all', 'none', 'some']));
  const wrong = random.chance(0.7) ? 0 : random.chance(0.8) ? 1 : 2;
  const chosen: Mutation[] = [];
  for (let i = 0; i < wrong; i++) {
    const one = random.among(random.pick(MUTATING)(situation, base));
    if (one && one.aspect !== chosen[0]?.aspect) chosen.push(one);
  }
  return chosen.length ? changed(situation, base, chosen) : candidate(situation, base.draft, base.what, true);
}

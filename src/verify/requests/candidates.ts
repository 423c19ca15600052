import type { Contract, VersionContract } from '../../contract/contract.ts';
import type { EndpointContract } from '../../contract/endpoint.ts';
import { effectOfKind } from '../../plan/slots.ts';
import type { Plan } from '../../plan/step.ts';
import type { Request } from '../target/exchange.ts';
import { anyBase, bases, callersOf, withCredentials } from './bases.ts';
import { bodyMutations } from './body-mutations.ts';
import { callerMutations, expired } from './caller-mutations.ts';
import { type Base, type Candidate, kindOf, type Mutation, type Situation } from './candidate.ts';
import { type Constant, constantsOf } from './constants.ts';
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
import { replays } from './replays.ts';
import { Rows } from './rows.ts';

/** The number of kinds of rows with which a valid mutation is tried. */
const BASES_OF_VALID = 6;
/** The number of valid requests before the first invalid one. */
const AT_FIRST = 24;
/** The number of pairs of mutations that are tried. */
const PAIRS = 160;
/** Among how many requests the first accepted one is sought. */
const MOST_LOOKED_AT = 24;
/** After how many single changes a pair of them is tried. */
const SINGLES_OF_PAIR = 3;
/** About how many requests pairs of changes are made. */
const BASES_OF_PAIRS = 6;

/**
 * Requests to one endpoint in one version, those that are likely to try most first: valid requests by each caller about
 * each kind of rows; requests with one mutation; requests with two. `plan` says which rows the steps find, and
 * `isTaken` which requests are accepted: a mutation of an accepted request is the only cause of its refusal.
 */
export function* candidatesFor(
  contract: Contract,
  version: VersionContract,
  endpoint: EndpointContract,
  known: Known,
  random: Random,
  plan: Plan | null = null,
  isTaken: ((request: Request) => boolean) | null = null,
): Generator<Candidate> {
  const situation = situationOf({ contract, version, endpoint, known, random, plan });
  const good = [...bases(situation, 'all')];
  if (good.length === 0) good.push(anyBase(situation, callersOf(situation)[0] ?? null, 'all'));
  // A caller's requests about its own rows are refused least often, so that the answer is about the one mutation.
  const own = ({ rows, caller }: Base): number =>
    [...rows.values()].filter((row) => situation.rows.belongsTo(row, caller) === 'own').length;
  const some = random.shuffled(good).sort((a, b) => own(b) - own(a));
  const taken = isTaken && some.slice(0, MOST_LOOKED_AT).find(({ draft }) => isTaken(requestOf(draft)));
  const best = taken ?? some[0];
  const others = some.filter((one) => one !== best);
  const ordered = best ? [best, ...random.shuffled(others)] : [];
  if (best) yield* plain(situation, best);
  if (best && endpoint.method === 'GET') yield headOf(situation, best);
  yield* ignored(situation, others);
  if (best) yield* single(situation, [best], false, expired);
  for (const base of ordered.slice(1, AT_FIRST)) yield* plain(situation, base);
  yield* replays(situation, best?.draft ?? null);
  yield* sparse(situation);
  yield* among(single(situation, ordered.slice(0, 1), false), pairs(situation, ordered));
  for (const base of ordered.slice(AT_FIRST)) yield* plain(situation, base);
  for (const fill of ['none', 'some'] as const)
    for (const base of bases(situation, fill))
      yield candidate(situation, base.draft, `${base.what}, with ${fill} of what may be left out`, true);
  if (endpoint.method === 'GET') for (const base of ordered.slice(1)) yield headOf(situation, base);
  yield* single(situation, ordered.slice(1, BASES_OF_VALID), true);
}

/** Yields some candidates and inserts one of the others after every few; the remaining others come at the end. */
function* among(some: Generator<Candidate>, others: Generator<Candidate>): Generator<Candidate> {
  let count = 0;
  for (const one of some) {
    yield one;
    if (++count % SINGLES_OF_PAIR > 0) continue;
    const other = others.next();
    if (!other.done) yield other.value;
  }
  yield* others;
}

export function situationOf(given: Omit<Situation, 'rows' | 'features' | 'constants'>): Situation {
  const rows = new Rows(given.contract, given.known);
  let constants: readonly Constant[] | null = null;
  const situation: Situation = {
    ...given,
    rows,
    // Most requests by chance ask for none.
    get constants() {
      constants ??= constantsOf(given.contract, given.endpoint, given.plan);
      return constants;
    },
    features: new Features(given.contract, given.known, rows, () => situation.constants),
  };
  return situation;
}

/**
 * Mutations that an endpoint ignores, for endpoints that remove rows: each row can be removed only once, and rows are
 * few.
 */
function* ignored(situation: Situation, some: readonly Base[]): Generator<Candidate> {
  const { endpoint } = situation;
  if (endpoint.body || !endpoint.steps.some((step) => effectOfKind(step.do) === 'removes')) return;
  for (const [i, mutating] of [parameterMutations, bodyMutations].entries()) {
    const base = some[i];
    const one = base && mutating(situation, base).find(({ aspect, valid }) => valid && /^(?:query|body)$/.test(aspect));
    if (one) yield changed(situation, base, [one]);
  }
}

/**
 * Values near the constants of the document, in bodies with few other members: guards also depend on missing members.
 */
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
  const key = base.draft.headers.find(([name]) => name === idempotency.header)?.[1] ?? null;
  const again = key === null ? 'without a key' : 'with its key';
  yield candidate(situation, base.draft, `${base.what}, sent again ${again}`, true);
  if (key === null) return;
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

/** The mutations of a request, by the part of the request that they change. */
export const MUTATING: readonly [Mutating, ...Mutating[]] = [
  bodyMutations,
  parameterMutations,
  callerMutations,
  relatedMutations,
  nearMutations,
  pageMutations,
  headerMutations,
  formMutations,
];

/** All single mutations of a request: first one for each aspect, then the next one for each. */
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

/** Each mutation of each of some requests. `validOnly`: only valid mutations. */
function* single(
  situation: Situation,
  some: readonly Base[],
  validOnly: boolean,
  changes: Mutating = mutationsOf,
): Generator<Candidate> {
  for (const base of some)
    for (const one of changes(situation, base)) if (one.valid || !validOnly) yield changed(situation, base, [one]);
}

/**
 * Requests with two reasons for a refusal, since the document states which refusal comes first: each pair of mutations,
 * and a mutation for rows that are refused anyway.
 */
function* pairs(situation: Situation, good: readonly Base[]): Generator<Candidate> {
  const { random } = situation;
  const some = random.some(good, BASES_OF_PAIRS).map((base) => ({ base, wrong: wrongOf(situation, base) }));
  const aspects = [...new Set(some.flatMap(({ wrong }) => [...wrong.keys()]))];
  const both = aspects.flatMap((one, i) => [null, ...aspects.slice(i + 1)].map((other) => [one, other] as const));
  for (const [first, second] of random.shuffled(both).slice(0, PAIRS)) {
    const found = random.among(some);
    const one = random.among(found?.wrong.get(first) ?? []);
    const other = second === null ? null : random.among(found?.wrong.get(second) ?? []);
    if (found && one && (other || second === null))
      yield changed(
        situation,
        found.base,
        other ? [one, other] : [one],
        `${one.aspect}, ${second}; ${found.base.what}`,
      );
  }
}

/** The mutations that make a request invalid, by their aspect. */
function wrongOf(situation: Situation, base: Base): Map<string, Mutation[]> {
  const wrong = mutationsOf(situation, base).filter((one) => !one.valid);
  return Map.groupBy(wrong, ({ aspect }) => aspect);
}

/** `tried`: the key of the test among others, where the mutations alone are not enough. */
export function changed(situation: Situation, base: Base, mutations: readonly Mutation[], tried?: string): Candidate {
  const draft = mutations.reduce((made, { change }) => change(made), base.make());
  const what = mutations.map((one) => one.what).join(', and ');
  const valid = mutations.every((one) => one.valid);
  // A request with an invalid form is refused for every caller and every row.
  return candidate(situation, draft, `${what}; ${base.what}`, valid, valid ? undefined : (tried ?? what));
}

export function candidate(
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

/** A request in a version that changes nothing; null where it has none. */
export function anyReading(
  contract: Contract,
  version: string,
  known: Known,
  random: Random,
  plan: Plan,
): Candidate | null {
  const spoken = contract.versions.find(({ name }) => name === version);
  const endpoint = spoken?.endpoints.find(({ writes }) => !writes);
  if (!spoken || !endpoint) return null;
  for (const one of candidatesFor(contract, spoken, endpoint, known, random, plan)) return one;
  return null;
}

/** The first candidates of each endpoint in the current version, or of some of them. */
export function* firstOfEach(
  contract: Contract,
  known: Known,
  random: Random,
  plan: Plan,
  most: number,
  fits: (endpoint: EndpointContract) => boolean = () => true,
): Generator<Candidate> {
  const [version] = contract.versions;
  for (const endpoint of version?.endpoints.filter(fits) ?? []) {
    let count = 0;
    if (version)
      for (const one of candidatesFor(contract, version, endpoint, known, random, plan)) {
        if (++count > most) break;
        yield one;
      }
  }
}

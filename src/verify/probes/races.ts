import { some } from '../../expression/tree/expression.ts';
import { keyHeaderOf } from '../../plan/idempotency-key.ts';
import { type StatementId, statementId } from '../../plan/lines.ts';
import { allNested } from '../../plan/nested-steps.ts';
import { effectOf, resourceOf } from '../../plan/slots.ts';
import { isSuccess } from '../../plan/status.ts';
import type { EndpointPlan, InsideStep, Plan } from '../../plan/step.ts';
import { candidatesFor } from '../requests/candidates.ts';
import type { Random } from '../requests/random.ts';
import { withOtherKey } from '../requests/renewed.ts';
import type { Session } from '../session/session.ts';
import { type Exchange, headerOf, type Request } from '../target/exchange.ts';
import { Drive, type Option } from './drive.ts';
import { explain, isOrderTold, mayHaveOtherOrder, type Raced } from './explain.ts';
import { Findings, together } from './findings.ts';
import type { Probe, ProbeResult, Race } from './probe.ts';

/** The number of simultaneous requests. */
const AT_ONCE = 8;
/** The number of runs of each race: which requests overlap is a matter of chance. */
const ROUNDS = 2;
/** The number of pairs of endpoints in one round, and of candidates to each that are considered. */
const MOST_PAIRS = 12;
const MOST_TAKEN = 10;
/** The largest number of endpoints at which races are run. */
const MOST_ENDPOINTS = 16;
/** The number of reads after a race, and of candidates for reads at each endpoint. */
const MOST_READS = 8;
const LOOKED_AT = 12;

type Pair = readonly [EndpointPlan, EndpointPlan];

/** The kinds of statements that requests at the same time may break. */
const RACED: ReadonlyArray<StatementId['kind']> = ['transition', 'unique', 'overlap', 'holds', 'step'];

/**
 * Sends the same request several times at once to each endpoint that changes rows: some order must explain the answers.
 */
export const races: Probe = {
  name: 'races',
  needs: () => [],
  applies: (plan: Plan): boolean => plan.endpoints.some(({ writes }) => writes),
  tries: (id) => (id.kind === 'endpoint' ? id.fact === 'idempotency' : RACED.includes(id.kind)),
  run: async (session: Session, random: Random, isLate?: () => boolean): Promise<ProbeResult> => {
    const { subject } = session;
    const findings = new Findings(subject.plan);
    let drive = new Drive(session, findings, random, isLate);
    const run = async (race: (drive: Drive) => Promise<Known>): Promise<void> => {
      if (findings.isBroken || drive.isLate) return;
      if ((await race(drive)) === 'not known' && subject.setup.reset && !findings.isBroken)
        drive = new Drive(await drive.session.anew(), findings, random, isLate);
    };
    const { plan } = subject;
    const writing = random.shuffled(plan.endpoints.filter((one) => one.writes && !changesItsRate(plan, one)));
    const pairs = random.shuffled(writing.flatMap((one, i) => writing.slice(i + 1).map((other): Pair => [one, other])));
    for (let round = 0; round < ROUNDS; round++) {
      drive.renew();
      for (const endpoint of writing.slice(0, MOST_ENDPOINTS)) {
        const header = keyHeaderOf(endpoint);
        await run((on) => raceAt(on, endpoint, random, (request) => request));
        if (header !== null) await run((on) => raceAt(on, endpoint, random, withKeys(header)));
      }
      for (const pair of pairs.slice(round * MOST_PAIRS, (round + 1) * MOST_PAIRS))
        await run((on) => raceOfPair(on, pair, random));
    }
    return findings.result();
  },
};

/**
 * Whether an endpoint changes rows that decide by which rate, or by which number, its requests are counted. A request is
 * counted before its transaction, so requests at the same time may have been counted by the rows before any of them.
 */
function changesItsRate({ rates }: Plan, { before, inside }: EndpointPlan): boolean {
  const read = new Set<string>();
  for (const step of before) {
    const rate = step.do === 'limit' ? rates[step.rate] : undefined;
    for (const expr of [rate?.row, rate?.count])
      if (typeof expr === 'object') some(expr, ({ type }) => type.kind === 'row' && !read.add(type.resource));
  }
  return [...allNested(inside)].some((step) => effectOf(step) !== 'none' && read.has(resourceOf(step) ?? ''));
}

/**
 * Whether the rows of the service are known after a race. They are unknown after a lost request, and if no order
 * explains the answers.
 */
type Known = 'known' | 'not known';

/** Gives each copy of a request an idempotency key of its own. */
const withKeys =
  (header: string) =>
  (request: Request, i: number): Request =>
    withOtherKey(request, header, (key) => key.replace(/"?$/, (end) => `-${i}${end}`));

/** Sends requests to some endpoints at the same time: some order must explain the answers and the rows after them. */
export async function race(
  drive: Drive,
  requests: readonly Request[],
  endpoints: readonly EndpointPlan[],
  random: Random,
): Promise<Known> {
  const { session, findings } = drive;
  const again: Race = { requests, endpoints, before: session.exchanges.length, at: await session.elapsed() };
  const { exchanges, when } = await session.race(requests);
  const [first] = endpoints;
  if (!first || exchanges.some(({ outcome }) => 'failed' in outcome)) {
    if (first && endpoints.length === 1)
      findings.notTried(statementId.endpoint(first.name, 'access'), 'Requests at the same time were not all answered.');
    return 'not known';
  }
  const { plan } = session.subject;
  const effective = exchanges.filter((each) => !endpoints.some((endpoint) => isInFlight(plan, endpoint, each)));
  const raced = { before: session.oracle, exchanges: effective, when };
  if (explain(drive, effective, when, again) !== 'whole') return 'not known';
  findings.acts.push(...exchanges);
  const isSure = isOrderTold(raced);
  await drive.endWindows();
  const known = await readBack(drive, first, raced, { exchanges, race: again }, random);
  return isSure ? known : 'not known';
}

/**
 * Sends requests to two endpoints at the same time, where a request to one endpoint changes the answer to a request to
 * the other.
 */
async function raceOfPair(drive: Drive, [one, other]: Pair, random: Random): Promise<Known> {
  const both = await meeting(drive, one, other);
  if (!both) return 'known';
  const requests = both.flatMap(({ request }) => Array.from({ length: AT_ONCE / 2 }, () => request));
  return race(drive, requests, [one, other], random);
}

/**
 * Finds two requests that concern the same row and would both be accepted now, where one changes the answer to the
 * other; null if there are none.
 */
async function meeting(drive: Drive, one: EndpointPlan, other: EndpointPlan): Promise<[Option, Option] | null> {
  const { session } = drive;
  const now = await session.now();
  const statusAfter = (first: Option, then: Option): number | undefined =>
    session.foreseeBy(first.foreseen.oracle, then.request, now, 'then')?.prediction.expected.status;
  const meets = (a: Option, b: Option): boolean =>
    statusAfter(a, b) !== b.foreseen.prediction.expected.status ||
    statusAfter(b, a) !== a.foreseen.prediction.expected.status;
  for (const { name } of [one, other]) {
    // Earlier races may have left no row for which a request is accepted.
    const isTaken = ({ endpoint, foreseen }: Option): boolean =>
      endpoint === name && isSuccess(foreseen.prediction.expected.status);
    if (!(await drive.atOnce(isTaken, { at: name })) && !(await drive.find(isTaken, name))) return null;
    const [firsts, seconds] = [await takenAt(drive, one), await takenAt(drive, other)];
    for (const a of firsts) for (const b of seconds) if (isAboutSame(a, b) && meets(a, b)) return [a, b];
  }
  return null;
}

/** Requests to an endpoint that would be accepted now. */
async function takenAt(drive: Drive, { name }: EndpointPlan): Promise<Option[]> {
  const out: Option[] = [];
  const take = (option: Option): boolean => {
    if (isSuccess(option.foreseen.prediction.expected.status)) out.push(option);
    return out.length >= MOST_TAKEN;
  };
  await drive.atOnce(take, { at: name });
  return out;
}

/**
 * Whether two requests concern the same row: their paths are equal up to the end of the shorter one, or up to the last
 * segment if both are equally long (`/orders/1/pay` and `/orders/1/cancel`).
 */
function isAboutSame({ request: a }: Option, { request: b }: Option): boolean {
  const [ours = [], theirs = []] = [a, b].map(({ target }) => (target.split('?')[0] ?? '').split('/'));
  const common = Math.min(ours.length, theirs.length) - (ours.length === theirs.length ? 1 : 0);
  return ours.slice(0, common).every((part, i) => part === theirs[i]);
}

async function raceAt(
  drive: Drive,
  endpoint: EndpointPlan,
  random: Random,
  nth: (request: Request, i: number) => Request,
): Promise<Known> {
  const option = await contended(drive, endpoint);
  if (!option) return 'known';
  const requests = Array.from({ length: AT_ONCE }, (_, i) => nth(option.request, i));
  return race(drive, requests, [endpoint], random);
}

/** A request that would be accepted, preferably one whose repetition gets a different answer. */
async function contended(drive: Drive, { name }: EndpointPlan): Promise<Option | null> {
  const now = await drive.session.now();
  const isTaken = ({ endpoint, foreseen }: Option): boolean =>
    endpoint === name && isSuccess(foreseen.prediction.expected.status);
  const isOnce = (option: Option): boolean => {
    const { oracle, prediction } = option.foreseen;
    const again = isTaken(option) ? drive.session.foreseeBy(oracle, option.request, now, 'again') : null;
    return again !== null && again.prediction.expected.status !== prediction.expected.status;
  };
  return (await drive.atOnce(isOnce, { at: name })) ?? (await drive.find(isTaken, name));
}

/**
 * Whether a request was refused because another request with its idempotency key was in progress; such a refusal has no
 * effect.
 */
function isInFlight({ errors }: Plan, endpoint: EndpointPlan, { outcome }: Exchange): boolean {
  const refusal = errors.conditions['idempotency key in flight'];
  if ('failed' in outcome || keyHeaderOf(endpoint) === null || outcome.status !== (refusal?.status ?? 409))
    return false;
  return refusal === undefined || outcome.body.length === 0 || outcome.body.includes(refusal.code);
}

/** Reads rows after a race at an endpoint: each change must have happened once. */
async function readBack(
  drive: Drive,
  endpoint: EndpointPlan,
  raced: Raced,
  { exchanges, race }: { readonly exchanges: readonly Exchange[]; readonly race: Race },
  random: Random,
): Promise<Known> {
  const { session, findings } = drive;
  const { contract, plan } = session.subject;
  const [version] = contract.versions;
  let reads = 0;
  for (const read of random.shuffled(version?.endpoints ?? [])) {
    const isRead = plan.endpoints.some((one) => one.name === read.name && !one.writes);
    if (!version || !isRead || reads >= MOST_READS) continue;
    const now = await session.now();
    let looked = 0;
    for (const { request } of candidatesFor(contract, version, read, session.known(now), random, plan)) {
      if (++looked > LOOKED_AT) break;
      const foreseen = session.predict(request, now, 'foreseen');
      if (foreseen?.expected.status !== 200 || headerOf(request.headers, 'If-None-Match') !== null) continue;
      reads += 1;
      const { verdict, exchange } = await session.send(request, drive.name());
      if (verdict.kind === 'broken') {
        const readAt = { earliest: now, latest: await session.now() };
        if (mayHaveOtherOrder(raced, exchange, readAt)) return 'not known';
        const effect = verdict.differences.find(({ at }) => at.startsWith('body'));
        // A difference in the headers alone says nothing about the rows.
        if (!effect) {
          findings.wrongAnswer(verdict, exchange);
          return 'known';
        }
        findings.break({
          statement: statementOf(endpoint),
          endpoint: endpoint.name,
          why: `The effect of ${exchanges.length} requests at the same time matches no order of them: ${request.method} ${request.target} shows it.`,
          expected: effect.expected ?? 'nothing',
          actual: effect.actual ?? 'nothing',
          sequence: [...together(exchanges), exchange],
          race,
        });
        return 'known';
      }
      break;
    }
  }
  return 'known';
}

/** Steps that neither change anything nor refuse. */
const QUIET: ReadonlySet<InsideStep['do']> = new Set(['find references', 'find', 'list', 'if', 'for each']);

/** The statement that a race at an endpoint tests. */
function statementOf(endpoint: EndpointPlan): StatementId {
  if (keyHeaderOf(endpoint) !== null) return statementId.endpoint(endpoint.name, 'idempotency');
  const first = [...allNested(endpoint.inside)].find((step) => !QUIET.has(step.do) && step.line !== null);
  return first ? statementId.step(first) : statementId.heading(endpoint.name);
}

import { statementId } from '../../plan/lines.ts';
import { allNested } from '../../plan/nested-steps.ts';
import { effectOf, resourceOf } from '../../plan/slots.ts';
import type { EndpointPlan, Plan, RatePlan } from '../../plan/step.ts';
import { rateOf } from '../oracle/rate-windows.ts';
import type { State } from '../oracle/state.ts';
import type { ReportedStep } from '../report/report.ts';
import { candidatesFor } from '../requests/candidates.ts';
import type { Credentials } from '../requests/known.ts';
import type { Random } from '../requests/random.ts';
import type { Session } from '../session/session.ts';
import type { Exchange, Request } from '../target/exchange.ts';
import { Drive } from './drive.ts';
import { Findings } from './findings.ts';
import type { Probe, ProbeResult } from './probe.ts';
import { addOtherNumbers, addSharer } from './rate-callers.ts';

/** A rate of more requests than these is not used up. */
const MOST_REQUESTS = 2000;
/** The number of simultaneous requests. */
const AT_ONCE = 50;
/**
 * The number of simultaneous requests that hash a password: a service queues only few of these, and may refuse others.
 */
const AT_ONCE_HASHING = 4;
/** The number of candidates to each endpoint that are considered. */
const LOOKED_AT = 24;
/** The distance of requests from the end of a window for a running clock, in milliseconds. */
const SLACK_MS = 1500;

/** Uses each rate up to the exact request, and asks again at the last instant of its window and after it. */
export const rates: Probe = {
  name: 'rates',
  needs: () => [],
  applies: (plan: Plan): boolean => plan.rates.length > 0,
  tries: ({ kind }) => kind === 'rate',
  run: async (session: Session, random: Random, isLate?: () => boolean): Promise<ProbeResult> => {
    const findings = new Findings(session.subject.plan);
    const drive = new Drive(session, findings, random, isLate);
    for (const [i, rate] of session.subject.plan.rates.entries()) {
      const because = await tryRate(drive, i, rate, random);
      if (because !== null) findings.notTried(statementId.rate(i), because);
    }
    return findings.result();
  },
};

/**
 * Tests one rate; where its number depends on the caller, by callers with two numbers. Returns the reason if the rate
 * was not tested; otherwise null.
 */
async function tryRate(drive: Drive, i: number, rate: RatePlan, random: Random): Promise<string | null> {
  if (typeof rate.count === 'number' && rate.count > MOST_REQUESTS)
    return `It takes ${rate.count} requests to use it up, which is more than are sent (${MOST_REQUESTS}).`;
  await drive.endWindows();
  const found = await findRequest(drive, i, random);
  if (found) await addCallers(drive, i, rate, found);
  if (!found) return 'No request was found that it counts and that changes nothing, before another rate is used up.';
  const because = await tryNumber(drive, i, rate, found);
  if (because !== null || typeof rate.count === 'number' || drive.findings.isBroken) return because;
  await drive.endWindows();
  const isOther = otherThan(found);
  const other =
    (await withOtherNumber(drive.session, i, found, isOther)) ?? (await findRequest(drive, i, random, isOther));
  return other && tryNumber(drive, i, rate, other);
}

/** Adds callers for what the test needs and the setup does not have. */
async function addCallers({ session }: Drive, i: number, rate: RatePlan, found: Found): Promise<void> {
  const { schemes } = session.subject.plan;
  const { own } = await withOthers(session, found.request);
  const scheme = schemes.find(({ name }) => name === own?.scheme);
  if (!own || !scheme) return;
  const isShared = rate.per !== 'row' || (await withOtherKey(session, i, found.request, [found.key]));
  if (!isShared) await addSharer(session, rate, scheme, own.identity);
  const isVaried = typeof rate.count === 'number' || (await withOtherNumber(session, i, found, otherThan(found)));
  if (!isVaried) await addOtherNumbers(session, rate, scheme);
}

const otherThan =
  ({ most }: Found): Fits =>
  (other) =>
    other !== most;

/** Tests the number of requests that a rate allows the caller of a request. */
async function tryNumber(drive: Drive, i: number, rate: RatePlan, found: Found): Promise<string | null> {
  const { session, findings } = drive;
  const { request, most } = found;
  const open = countsOf(session.oracle.state, await session.now());
  const first = await drive.send(request);
  if (!first || 'failed' in first.outcome) return 'The request that was to use it up was answered in another way.';
  const counted = [...countsOf(session.oracle.state, await session.now())].filter(
    ([key, count]) => count > (open.get(key) ?? 0),
  );
  const own = counted.find(([key]) => rateOf(session.subject.plan.rates, key) === rate);
  if (!own) return 'The request that was to use it up was not counted.';
  const left = most - own[1];
  if (!(await useUp(drive, i, found, first.outcome.status, Math.max(0, left - 1)))) return null;
  for (const [key] of counted) {
    const window = session.oracle.state.windows.get(key);
    if (window) window.count += Math.max(0, left - 1);
  }
  const before = times(first, most - left + Math.max(0, left - 1));
  const keys = left > 0 ? (rate.per === 'row' ? [own[0]] : counted.map(([key]) => key)) : [];
  const next = await passBound(drive, i, { request, most, keys, before, isFull: left <= 0 });
  const end = session.oracle.state.windows.get(own[0])?.end;
  if (!findings.isBroken && end !== undefined) await tryEnd(drive, i, request, end, next);
  return null;
}

const times = (exchange: Exchange, count: number): ReportedStep[] => (count > 0 ? [{ ...exchange, times: count }] : []);

/** The position in a rate's window: whether the window accepts one further request, or none, and the requests in it. */
interface Filled {
  readonly request: Request;
  /** The number of requests that the rate allows its caller. */
  readonly most: number;
  /** The windows that it counts in. */
  readonly keys: readonly string[];
  readonly before: readonly ReportedStep[];
  readonly isFull: boolean;
}

/**
 * Sends the last request that the rate accepts, and the first that it refuses; returns all steps up to the last
 * accepted one. One request carries other credentials that count in the same windows, if there are any: a service that
 * counts by credentials, or by caller where the document counts by row, accepts one more.
 */
async function passBound(drive: Drive, i: number, filled: Filled): Promise<ReportedStep[]> {
  const { session, findings } = drive;
  const { request, most: count, keys, before, isFull } = filled;
  const other = await withOtherKey(session, i, request, keys);
  const whose = session.subject.plan.rates[i]?.per === 'row' ? 'a caller with the same row' : 'the same caller';
  const by = `, with other credentials of ${whose}`;
  const past = `request ${count + 1} in a window`;
  if (isFull) {
    await sendCounted(drive, i, other ?? request, `${past}${other ? by : ''}`, before);
    return [...before];
  }
  const last = await sendCounted(drive, i, other ?? request, `request ${count} in a window${other ? by : ''}`, before);
  // Requests with the same credentials are reported as one step.
  const all = [...before, last];
  const sent = other ? all : times(last, count);
  const after = `, and the one before it carries other credentials of ${whose}`;
  if (!findings.isBroken) await sendCounted(drive, i, request, other ? `${past}${after}` : past, sent);
  return sent;
}

/** The credentials of a request, and the request with each of the other good credentials of their scheme. */
interface Others {
  readonly own: Credentials | null;
  /** `isSame`: whether the other credentials are of the same caller. */
  readonly others: ReadonlyArray<{ readonly request: Request; readonly isSame: boolean }>;
}

async function withOthers(session: Session, request: Request): Promise<Others> {
  const { credentials } = session.known(await session.now());
  const holds = (value: string, text: string): boolean => value === text || value.endsWith(` ${text}`);
  const own = credentials.find(({ text }) => request.headers.some(([, value]) => holds(value, text)));
  if (!own) return { own: null, others: [] };
  const all = credentials.filter(
    ({ text, standing, scheme }) => text !== own.text && standing === 'good' && scheme === own.scheme,
  );
  const others = all.map((one) => ({
    request: {
      ...request,
      headers: request.headers.map(([name, value]): readonly [string, string] => [
        name,
        holds(value, own.text) ? value.slice(0, -own.text.length) + one.text : value,
      ]),
    },
    isSame: one.resource === own.resource && one.identity === own.identity,
  }));
  return { own, others };
}

/** The request with the credentials of a caller whom the rate allows another number of requests; null if none has one. */
async function withOtherNumber(session: Session, i: number, found: Found, fits: Fits): Promise<Found | null> {
  const { plan } = session.subject;
  const now = await session.now();
  for (const { request } of (await withOthers(session, found.request)).others) {
    const foreseen = session.foresee(request, now, 'foreseen');
    const own = foreseen && usedUpFirst(plan, session.oracle.state, foreseen.oracle.state, i);
    if (own && own.most <= MOST_REQUESTS && fits(own.most)) return { ...found, request, ...own };
  }
  return null;
}

/**
 * The request with other credentials that the same windows count: of the same caller, or, where a rate counts for each
 * row, of another caller with the row, if there is one. Null where there are none.
 */
async function withOtherKey(
  session: Session,
  i: number,
  request: Request,
  keys: readonly string[],
): Promise<Request | null> {
  const now = await session.now();
  const counts = session.oracle.state.windows;
  const status = session.predict(request, now, 'foreseen')?.expected.status;
  const isOfRow = session.subject.plan.rates[i]?.per === 'row';
  for (const { request: other, isSame } of (await withOthers(session, request)).others) {
    if (isSame === isOfRow) continue;
    const foreseen = session.foresee(other, now, 'foreseen');
    const after = foreseen?.oracle.state.windows;
    const isCounted = keys.every((key) => (after?.get(key)?.count ?? 0) > (counts.get(key)?.count ?? 0));
    if (isCounted && foreseen?.prediction.expected.status === status) return other;
  }
  return null;
}

/** Asks at the last instant of the window, and at its end. */
async function tryEnd(
  drive: Drive,
  i: number,
  request: Request,
  end: number,
  before: readonly ReportedStep[],
): Promise<void> {
  const { session } = drive;
  if (!session.subject.setup.clock) return;
  const slack = (await session.hasStandingClock()) ? 1 : SLACK_MS;
  const left = end - (await session.now());
  if (left > slack) {
    await drive.pass(left - slack);
    const since = [...before, passing('to just before the end of the window')];
    await sendCounted(drive, i, request, `a request ${slack} ms before the end of the window`, since);
  }
  if (drive.findings.isBroken) return;
  await drive.pass(slack === 1 ? 1 : 2 * slack);
  const since = [...before, passing('to the end of the window')];
  await sendCounted(drive, i, request, 'a request at the end of the window', since);
}

const passing = (words: string): ReportedStep => ({
  operator: `the service’s clock is moved on ${words}`,
  gives: null,
});

/** Sends requests that the rate must allow; returns whether all of them were allowed. */
async function useUp(
  drive: Drive,
  i: number,
  { request, most, isHashing }: Found,
  status: number,
  count: number,
): Promise<boolean> {
  const { session, findings } = drive;
  const atOnce = isHashing ? AT_ONCE_HASHING : AT_ONCE;
  for (let sent = 0; sent < count; sent += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, count - sent) }, () => session.subject.target.send(request));
    for (const [at, exchange] of (await Promise.all(some)).entries()) {
      const actual = statusOf(exchange);
      if (actual === String(status)) continue;
      findings.break({
        statement: statementId.rate(i),
        why: `The rate takes ${most} requests in a window.`,
        expected: `${status} for about request ${sent + at + 2} in a window`,
        actual,
        sequence: [{ ...exchange, times: sent + at + 2 }],
      });
      return false;
    }
  }
  return true;
}

/** Sends a request, and blames the rate where the request is wrongly accepted or refused. */
async function sendCounted(
  drive: Drive,
  i: number,
  request: Request,
  words: string,
  before: readonly ReportedStep[],
): Promise<Exchange> {
  const { session, findings } = drive;
  const { exchange, verdict } = await session.send(request, drive.name());
  findings.acts.push(exchange);
  if (verdict.kind === 'kept') findings.kept(request, verdict.prediction);
  if (verdict.kind !== 'broken') return exchange;
  const { expected } = verdict.prediction;
  const refusal = session.subject.plan.errors.conditions['rate exceeded']?.status ?? 429;
  const actual = statusOf(exchange);
  const isOfRate = [String(expected.status), actual].includes(String(refusal)) && actual !== String(expected.status);
  if (!isOfRate) {
    findings.wrongAnswer(verdict, exchange, before);
    return exchange;
  }
  findings.break({
    statement: statementId.rate(i),
    why: `It is ${words}.`,
    expected: String(expected.status),
    actual,
    sequence: [...before, exchange],
  });
  return exchange;
}

const statusOf = ({ outcome }: Exchange): string => ('failed' in outcome ? outcome.detail : String(outcome.status));

/** The counts of the windows that are open. */
const countsOf = ({ windows }: State, now: number): Map<string, number> =>
  new Map([...windows].flatMap(([key, { count, end }]) => (end > now ? [[key, count] as const] : [])));

/** A request that a rate counts, and whether its endpoint hashes passwords. */
interface Found {
  readonly request: Request;
  /** The key of the window in which it counts. */
  readonly key: string;
  /** The number of requests that the rate allows its caller. */
  readonly most: number;
  readonly isHashing: boolean;
}

/** Whether a request will do whose caller the rate allows so many requests. */
type Fits = (most: number) => boolean;

/**
 * Finds a request to an endpoint that hashes no password, if need be from a caller with credentials that the service
 * has issued; otherwise a request to any endpoint.
 */
async function findRequest(drive: Drive, i: number, random: Random, fits: Fits = () => true): Promise<Found | null> {
  const { session } = drive;
  for (const isHashing of [false, true]) {
    const found = await requestFor(session, i, random, isHashing, fits);
    if (found) return found;
    const again = isHashing ? null : await withCaller(drive, i, random, fits);
    if (again) return again;
  }
  return null;
}

/** Finds a request after the service has issued credentials, where only its own endpoints issue them. */
async function withCaller(drive: Drive, i: number, random: Random, fits: Fits): Promise<Found | null> {
  const { session } = drive;
  if (!(await drive.issueCredentials())) return null;
  await drive.endWindows();
  return requestFor(session, i, random, false, fits);
}

/** Whether a request to an endpoint may have a password hashed, which takes long on purpose. */
function hashes({ resources }: Plan, { inside }: EndpointPlan): boolean {
  const keepsPassword = new Set(
    resources.filter(({ columns }) => columns.some(({ password }) => password)).map(({ name }) => name),
  );
  return [...allNested(inside)].some(
    (step) =>
      step.do === 'verify' ||
      (['creates', 'changes'].includes(effectOf(step)) && keepsPassword.has(resourceOf(step) ?? '')),
  );
}

/** A request that a rate counts, that changes nothing, and that uses no other rate up sooner. */
async function requestFor(
  session: Session,
  i: number,
  random: Random,
  isHashing: boolean,
  fits: Fits,
): Promise<Found | null> {
  const { plan, contract } = session.subject;
  const now = await session.now();
  const known = session.known(now);
  const [version] = contract.versions;
  const counting = (one: EndpointPlan): boolean =>
    one.before.some((step) => step.do === 'limit' && step.rate === i) && hashes(plan, one) === isHashing;
  let first: Found | null = null;
  const endpoints = plan.endpoints.filter(counting).sort((a, b) => Number(a.writes) - Number(b.writes));
  for (const endpoint of endpoints) {
    const stated = version?.endpoints.find(({ name }) => name === endpoint.name);
    if (!version || !stated || endpoint.after?.body?.kind === 'stream') continue;
    let looked = 0;
    for (const { request } of candidatesFor(contract, version, stated, known, random, plan)) {
      if (++looked > LOOKED_AT * (endpoint.writes ? 4 : 1)) break;
      const foreseen = session.foresee(request, now, 'foreseen');
      const status = foreseen?.prediction.expected.status ?? 500;
      if (!foreseen || (endpoint.writes && status < 400)) continue;
      const own = usedUpFirst(plan, session.oracle.state, foreseen.oracle.state, i);
      if (!own || own.most > MOST_REQUESTS || !fits(own.most)) continue;
      const found = { request, key: own.key, most: own.most, isHashing };
      // A caller with several credentials, or a row with several callers, is the best choice.
      if (await withOtherKey(session, i, request, plan.rates[i]?.per === 'row' ? [own.key] : [])) return found;
      first ??= found;
    }
  }
  return first;
}

/** The window of a rate, if of all the rates that a request is counted by, that one is used up first. */
function usedUpFirst({ rates: all }: Plan, before: State, after: State, i: number): Pick<Found, 'key' | 'most'> | null {
  const lefts = [...after.windows].flatMap(([key, { count, most, end }]) => {
    const known = before.windows.get(key);
    const isCounted = !known || known.count < count || known.end !== end;
    return isCounted ? [{ key, most, isOwn: rateOf(all, key) === all[i], left: most - count }] : [];
  });
  const own = lefts.find(({ isOwn }) => isOwn);
  const isFirst = own && lefts.every(({ isOwn, left }) => isOwn || left > own.left);
  return isFirst ? { key: own.key, most: own.most } : null;
}

import { statementId } from '../../plan/lines.ts';
import { allNested } from '../../plan/nested-steps.ts';
import { effectOf, resourceOf } from '../../plan/slots.ts';
import type { EndpointPlan, Plan, RatePlan } from '../../plan/step.ts';
import type { State } from '../oracle/state.ts';
import type { ReportedStep } from '../report/report.ts';
import { candidatesFor } from '../requests/candidates.ts';
import type { Random } from '../requests/random.ts';
import type { Session } from '../session/session.ts';
import { rateOf } from '../session/windows.ts';
import type { Exchange, Request } from '../target/exchange.ts';
import { Drive } from './drive.ts';
import { Findings } from './findings.ts';
import type { Probe, ProbeResult } from './probe.ts';

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

/** Tests one rate. Returns the reason if the rate was not tested; otherwise null. */
async function tryRate(drive: Drive, i: number, rate: RatePlan, random: Random): Promise<string | null> {
  const { session, findings } = drive;
  if (rate.count > MOST_REQUESTS)
    return `It takes ${rate.count} requests to use it up, which is more than are sent (${MOST_REQUESTS}).`;
  await drive.endWindows();
  const found = await findRequest(drive, i, random);
  if (!found) return 'No request was found that it counts and that changes nothing, before another rate is used up.';
  const { request } = found;
  const open = countsOf(session.oracle.state, await session.now());
  const first = await drive.send(request);
  if (!first || 'failed' in first.outcome) return 'The request that was to use it up was answered in another way.';
  const counted = [...countsOf(session.oracle.state, await session.now())].filter(
    ([key, count]) => count > (open.get(key) ?? 0),
  );
  const own = counted.find(([key]) => rateOf(session.subject.plan.rates, key) === rate);
  if (!own) return 'The request that was to use it up was not counted.';
  const left = rate.count - own[1];
  if (!(await useUp(drive, i, found, first.outcome.status, Math.max(0, left - 1)))) return null;
  for (const [key] of counted) {
    const window = session.oracle.state.windows.get(key);
    if (window) window.count += Math.max(0, left - 1);
  }
  const before = times(first, rate.count - left + Math.max(0, left - 1));
  const next = await passBound(drive, i, {
    request,
    keys: left > 0 ? counted.map(([key]) => key) : [],
    before,
    isFull: left <= 0,
  });
  const end = session.oracle.state.windows.get(own[0])?.end;
  if (!findings.isBroken && end !== undefined) await tryEnd(drive, i, request, end, next);
  return null;
}

const times = (exchange: Exchange, count: number): ReportedStep[] => (count > 0 ? [{ ...exchange, times: count }] : []);

/** The position in a rate's window: whether the window accepts one further request, or none, and the requests in it. */
interface Filled {
  readonly request: Request;
  /** The windows that it counts in. */
  readonly keys: readonly string[];
  readonly before: readonly ReportedStep[];
  readonly isFull: boolean;
}

/**
 * Sends the last request that the rate accepts, and the first that it refuses; returns all steps up to the last
 * accepted one. One request carries other credentials of the same caller, if there are any: a service that counts by
 * credentials accepts one more.
 */
async function passBound(drive: Drive, i: number, { request, keys, before, isFull }: Filled): Promise<ReportedStep[]> {
  const { session, findings } = drive;
  const count = session.subject.plan.rates[i]?.count ?? 0;
  const other = await withOtherKey(session, request, keys);
  const by = ', with other credentials of the same caller';
  const past = `request ${count + 1} in a window`;
  if (isFull) {
    await sendCounted(drive, i, other ?? request, `${past}${other ? by : ''}`, before);
    return [...before];
  }
  const last = await sendCounted(drive, i, other ?? request, `request ${count} in a window${other ? by : ''}`, before);
  // Requests with the same credentials are reported as one step.
  const all = [...before, last];
  const sent = other ? all : times(last, count);
  if (!findings.isBroken) await sendCounted(drive, i, request, other ? `${past}${AFTER_OTHER}` : past, sent);
  return sent;
}

const AFTER_OTHER = ', and the one before it carries other credentials of the same caller';

/** The request with other credentials of the same caller, which the same windows count; null where there are none. */
async function withOtherKey(session: Session, request: Request, keys: readonly string[]): Promise<Request | null> {
  const now = await session.now();
  const { credentials } = session.known(now);
  const holds = (value: string, text: string): boolean => value === text || value.endsWith(` ${text}`);
  const own = credentials.find(({ text }) => request.headers.some(([, value]) => holds(value, text)));
  if (!own) return null;
  const counts = session.oracle.state.windows;
  const status = session.predict(request, now, 'foreseen')?.expected.status;
  for (const one of credentials) {
    const isSame = one.scheme === own.scheme && one.resource === own.resource && one.identity === own.identity;
    if (!isSame || one.text === own.text || one.standing !== 'good') continue;
    const headers = request.headers.map(([name, value]): readonly [string, string] => [
      name,
      holds(value, own.text) ? value.slice(0, -own.text.length) + one.text : value,
    ]);
    const foreseen = session.foresee({ ...request, headers }, now, 'foreseen');
    const after = foreseen?.oracle.state.windows;
    const isCounted = keys.every((key) => (after?.get(key)?.count ?? 0) > (counts.get(key)?.count ?? 0));
    if (isCounted && foreseen?.prediction.expected.status === status) return { ...request, headers };
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
  { request, isHashing }: Found,
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
        why: `The rate takes ${session.subject.plan.rates[i]?.count} requests in a window.`,
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
  readonly isHashing: boolean;
}

/**
 * Finds a request to an endpoint that hashes no password, if need be from a caller with credentials that the service
 * has issued; otherwise a request to any endpoint.
 */
async function findRequest(drive: Drive, i: number, random: Random): Promise<Found | null> {
  const { session } = drive;
  for (const isHashing of [false, true]) {
    const request = await requestFor(session, i, random, isHashing);
    if (request) return { request, isHashing };
    const again = isHashing ? null : await withCaller(drive, i, random);
    if (again) return { request: again, isHashing };
  }
  return null;
}

/** Finds a request after the service has issued credentials, where only its own endpoints issue them. */
async function withCaller(drive: Drive, i: number, random: Random): Promise<Request | null> {
  const { session } = drive;
  if (!(await drive.issueCredentials())) return null;
  await drive.endWindows();
  return requestFor(session, i, random, false);
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
async function requestFor(session: Session, i: number, random: Random, isHashing: boolean): Promise<Request | null> {
  const { plan, contract } = session.subject;
  const now = await session.now();
  const known = session.known(now);
  const [version] = contract.versions;
  const counting = (one: EndpointPlan): boolean =>
    one.before.some((step) => step.do === 'limit' && step.rate === i) && hashes(plan, one) === isHashing;
  let first: Request | null = null;
  const endpoints = plan.endpoints.filter(counting).sort((a, b) => Number(a.writes) - Number(b.writes));
  for (const endpoint of endpoints) {
    const stated = version?.endpoints.find(({ name }) => name === endpoint.name);
    if (!version || !stated || endpoint.after.body?.kind === 'stream') continue;
    let looked = 0;
    for (const { request } of candidatesFor(contract, version, stated, known, random, plan)) {
      if (++looked > LOOKED_AT * (endpoint.writes ? 4 : 1)) break;
      const foreseen = session.foresee(request, now, 'foreseen');
      const status = foreseen?.prediction.expected.status ?? 500;
      if (!foreseen || (endpoint.writes && status < 400)) continue;
      if (!isUsedUpFirst(plan, session.oracle.state, foreseen.oracle.state, i)) continue;
      // A caller with several credentials is the best choice.
      if (await withOtherKey(session, request, [])) return request;
      first ??= request;
    }
  }
  return first;
}

/** Whether of all the rates that a request is counted by, one is used up first. */
function isUsedUpFirst({ rates: all }: Plan, before: State, after: State, i: number): boolean {
  const lefts = [...after.windows].flatMap(([key, { count }]) => {
    const known = before.windows.get(key);
    const rate = rateOf(all, key);
    const at = rate ? all.indexOf(rate) : -1;
    const isCounted = !known || known.count < count || known.end !== after.windows.get(key)?.end;
    return isCounted ? [{ at, left: (all[at]?.count ?? 0) - count }] : [];
  });
  const own = lefts.find(({ at }) => at === i);
  return own !== undefined && lefts.every(({ at, left }) => at === i || left > own.left);
}

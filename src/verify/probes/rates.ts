import { lineKey } from '../../plan/lines.ts';
import type { EndpointPlan, Plan, RatePlan } from '../../plan/step.ts';
import type { State } from '../oracle/state.ts';
import type { ReportedStep } from '../report/report.ts';
import { candidatesFor } from '../requests/candidates.ts';
import type { Random } from '../requests/random.ts';
import type { Session } from '../session/session.ts';
import type { Exchange, Request } from '../target/exchange.ts';
import { Drive } from './drive.ts';
import { Findings } from './findings.ts';
import type { Probe, ProbeResult } from './probe.ts';

/** A rate of more requests than these is not used up. */
const MOST_REQUESTS = 2000;
/** How many requests are under way at once. */
const AT_ONCE = 50;
/** How many requests to each endpoint are looked at. */
const LOOKED_AT = 24;
/** How far from the end of a window is asked where the service’s clock runs, in milliseconds. */
const SLACK_MS = 1500;

/** Uses each rate up to the exact request, and asks again at the last instant of its window and after it. */
export const rates: Probe = {
  name: 'rates',
  needs: () => [],
  applies: (plan: Plan): boolean => plan.rates.length > 0,
  tries: (key) => key.startsWith('rate '),
  run: async (session: Session, random: Random, isLate?: () => boolean): Promise<ProbeResult> => {
    const findings = new Findings(session.subject.plan);
    const drive = new Drive(session, findings, random, isLate);
    for (const [i, rate] of session.subject.plan.rates.entries()) {
      const because = await tryRate(drive, i, rate, random);
      if (because !== null) findings.notTried(lineKey.rate(i), because);
    }
    return findings.result();
  },
};

/** Tries one rate; gives why it was not tried, or null. */
async function tryRate(drive: Drive, i: number, rate: RatePlan, random: Random): Promise<string | null> {
  const { session, findings } = drive;
  if (rate.count > MOST_REQUESTS)
    return `It takes ${rate.count} requests to use it up, which is more than are sent (${MOST_REQUESTS}).`;
  await drive.endWindows();
  const request = (await requestFor(session, i, random)) ?? (await withCaller(drive, i, random));
  if (!request) return 'No request was found that it counts and that changes nothing, before another rate is used up.';
  const open = countsOf(session.oracle.state, await session.now());
  const first = await drive.send(request);
  if (!first || 'failed' in first.outcome) return 'The request that was to use it up was answered in another way.';
  const counted = [...countsOf(session.oracle.state, await session.now())].filter(
    ([key, count]) => count > (open.get(key) ?? 0),
  );
  const own = counted.find(([key]) => key.startsWith(`${rate.name} `));
  if (!own) return 'The request that was to use it up was not counted.';
  const left = rate.count - own[1];
  if (!(await useUp(drive, i, request, first.outcome.status, Math.max(0, left - 1)))) return null;
  for (const [key] of counted) {
    const window = session.oracle.state.windows.get(key);
    if (window) window.count += Math.max(0, left - 1);
  }
  const before = (times: number): ReportedStep[] => (times > 0 ? [{ ...first, times }] : []);
  const [most, next] = [before(rate.count - 1), before(rate.count)];
  if (left > 0) await sendCounted(drive, i, request, `request ${rate.count} in a window`, most);
  if (!findings.isBroken) await sendCounted(drive, i, request, `request ${rate.count + 1} in a window`, next);
  const end = session.oracle.state.windows.get(own[0])?.end;
  if (!findings.isBroken && end !== undefined) await tryEnd(drive, i, request, end, next);
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

/** Sends requests of which none is to be refused; gives whether none was. */
async function useUp(drive: Drive, i: number, request: Request, status: number, count: number): Promise<boolean> {
  const { session, findings } = drive;
  for (let sent = 0; sent < count; sent += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - sent) }, () => session.subject.target.send(request));
    for (const [at, exchange] of (await Promise.all(some)).entries()) {
      const actual = statusOf(exchange);
      if (actual === String(status)) continue;
      findings.break({
        statement: lineKey.rate(i),
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

/** Sends a request, and blames the rate where it should have been refused and was not, or the other way round. */
async function sendCounted(
  drive: Drive,
  i: number,
  request: Request,
  words: string,
  before: readonly ReportedStep[],
): Promise<void> {
  const { session, findings } = drive;
  const { exchange, verdict } = await session.send(request, drive.name());
  findings.acts.push(exchange);
  if (verdict.kind === 'kept') findings.kept(request, verdict.prediction);
  if (verdict.kind !== 'broken') return;
  const { expected } = verdict.prediction;
  const refusal = session.subject.plan.errors.conditions['rate exceeded']?.status ?? 429;
  const actual = statusOf(exchange);
  const isOfRate = [String(expected.status), actual].includes(String(refusal)) && actual !== String(expected.status);
  if (!isOfRate) {
    findings.wrongAnswer(verdict, exchange);
    return;
  }
  findings.break({
    statement: lineKey.rate(i),
    why: `It is ${words}.`,
    expected: String(expected.status),
    actual,
    sequence: [...before, exchange],
  });
}

const statusOf = ({ outcome }: Exchange): string => ('failed' in outcome ? outcome.detail : String(outcome.status));

/** The counts of the windows that are open. */
const countsOf = ({ windows }: State, now: number): Map<string, number> =>
  new Map([...windows].flatMap(([key, { count, end }]) => (end > now ? [[key, count] as const] : [])));

/** The same once the service has issued credentials, where only its own endpoints do. */
async function withCaller(drive: Drive, i: number, random: Random): Promise<Request | null> {
  const { session } = drive;
  const known = session.oracle.state.credentials.size;
  const option = await drive.find(({ foreseen }) => foreseen.oracle.state.credentials.size > known);
  if (!option || (await drive.send(option.request)) === null) return null;
  await drive.endWindows();
  return requestFor(session, i, random);
}

/** A request that a rate counts, that changes nothing, and that uses no other rate up sooner. */
async function requestFor(session: Session, i: number, random: Random): Promise<Request | null> {
  const { plan, contract } = session.subject;
  const now = await session.now();
  const known = session.known(now);
  const [version] = contract.versions;
  const counting = (one: EndpointPlan): boolean => one.before.some((step) => step.do === 'limit' && step.rate === i);
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
      if (isUsedUpFirst(plan, session.oracle.state, foreseen.oracle.state, i)) return request;
    }
  }
  return null;
}

/** Whether of all the rates that a request is counted by, one is used up first. */
function isUsedUpFirst({ rates: all }: Plan, before: State, after: State, i: number): boolean {
  const lefts = [...after.windows].flatMap(([key, { count }]) => {
    const known = before.windows.get(key);
    const at = all.findIndex(({ name }) => key.startsWith(`${name} `));
    const isCounted = !known || known.count < count || known.end !== after.windows.get(key)?.end;
    return isCounted ? [{ at, left: (all[at]?.count ?? 0) - count }] : [];
  });
  const own = lefts.find(({ at }) => at === i);
  return own !== undefined && lefts.every(({ at, left }) => at === i || left > own.left);
}

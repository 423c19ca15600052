import { lineKey } from '../../plan/lines.ts';
import type { EndpointPlan, Plan } from '../../plan/step.ts';
import type { When } from '../judge/judge.ts';
import { candidatesFor } from '../requests/candidates.ts';
import type { Random } from '../requests/random.ts';
import type { Session } from '../session/session.ts';
import { type Exchange, headerOf, type Request } from '../target/exchange.ts';
import { Drive, type Option } from './drive.ts';
import { Findings } from './findings.ts';
import type { Probe, ProbeResult } from './probe.ts';

/** How many requests are sent at the same time. */
const AT_ONCE = 8;
/** At how many endpoints requests race. */
const MOST_ENDPOINTS = 16;
/** How many reads follow a race, and how many are looked at for each endpoint. */
const MOST_READS = 8;
const LOOKED_AT = 12;

/** Sends the same request several times at once to each endpoint that changes rows: some order has to explain the answers. */
export const races: Probe = {
  name: 'races',
  needs: [],
  applies: (plan: Plan): boolean => plan.endpoints.some(({ writes }) => writes),
  run: async (session: Session, random: Random): Promise<ProbeResult> => {
    const findings = new Findings(session.subject.plan);
    const drive = new Drive(session, findings, random);
    const writing = random.shuffled(session.subject.plan.endpoints.filter(({ writes }) => writes));
    for (const endpoint of writing.slice(0, MOST_ENDPOINTS)) {
      const header = keyHeader(endpoint);
      await raceAt(drive, endpoint, random, (request) => request);
      if (header !== null && !findings.isBroken) await raceAt(drive, endpoint, random, withKeys(header));
      if (findings.isBroken) break;
    }
    return findings.result();
  },
};

/** The header with the idempotency key; null where the endpoint takes none. */
function keyHeader({ before }: EndpointPlan): string | null {
  const claim = before.find((step) => step.do === 'claim key');
  return claim?.do === 'claim key' ? claim.header : null;
}

/** The same request with a key of its own each time. */
const withKeys =
  (header: string) =>
  (request: Request, i: number): Request => ({
    ...request,
    headers: request.headers.map(([name, value]) =>
      name.toLowerCase() === header.toLowerCase()
        ? [name, value.replace(/"?$/, (end) => `-${i}${end}`)]
        : [name, value],
    ),
  });

async function raceAt(
  drive: Drive,
  endpoint: EndpointPlan,
  random: Random,
  nth: (request: Request, i: number) => Request,
): Promise<void> {
  const { session, findings } = drive;
  const option = await contended(drive, endpoint);
  if (!option) return;
  const requests = Array.from({ length: AT_ONCE }, (_, i) => nth(option.request, i));
  const { exchanges, when } = await session.race(requests);
  if (exchanges.some(({ outcome }) => 'failed' in outcome)) {
    findings.notTried(lineKey.endpoint(endpoint.name, 'access'), 'Requests at the same time were not all answered.');
    return;
  }
  if (!explain(drive, endpoint, exchanges, when)) return;
  findings.acts.push(...exchanges);
  await drive.endWindows();
  await readBack(drive, endpoint, exchanges, random);
}

/** A request that is taken; rather one that is answered in another way when it comes again. */
async function contended(drive: Drive, { name }: EndpointPlan): Promise<Option | null> {
  const now = await drive.session.now();
  const isTaken = ({ endpoint, foreseen }: Option): boolean =>
    endpoint === name && foreseen.prediction.expected.status < 300;
  const isOnce = (option: Option): boolean => {
    const { oracle, prediction } = option.foreseen;
    const again = isTaken(option) ? drive.session.foreseeBy(oracle, option.request, now, 'again') : null;
    return again !== null && again.prediction.expected.status !== prediction.expected.status;
  };
  return (await drive.atOnce(isOnce, { at: name })) ?? (await drive.find(isTaken, name));
}

/** Takes the answers in, in an order that follows from the document; false, and a break, where there is none. */
function explain(drive: Drive, endpoint: EndpointPlan, exchanges: readonly Exchange[], when: When): boolean {
  const { session, findings } = drive;
  let left = exchanges.filter((one) => !isInFlight(session.subject.plan, endpoint, one));
  while (left.length > 0) {
    const name = drive.name();
    let taken: Exchange | null = null;
    let why = null;
    for (const exchange of left) {
      const verdict = session.take(exchange, when, name, 'unknown');
      if (verdict.kind === 'not judged') return false;
      if (verdict.kind === 'broken') why ??= { verdict, exchange };
      else {
        findings.meetAll(verdict.prediction.trace);
        taken = exchange;
        break;
      }
    }
    if (!taken && why) {
      findings.raced(why.verdict, why.exchange, exchanges);
      return false;
    }
    left = left.filter((one) => one !== taken);
  }
  return true;
}

/** Whether a request was refused since another with its idempotency key was under way: that has no effect. */
function isInFlight({ errors }: Plan, endpoint: EndpointPlan, { outcome }: Exchange): boolean {
  const refusal = errors.conditions['idempotency key in flight'];
  if ('failed' in outcome || keyHeader(endpoint) === null || outcome.status !== (refusal?.status ?? 409)) return false;
  return refusal === undefined || outcome.body.length === 0 || outcome.body.includes(refusal.code);
}

/** Reads what there is after a race: each effect was to be had once. */
async function readBack(
  drive: Drive,
  raced: EndpointPlan,
  exchanges: readonly Exchange[],
  random: Random,
): Promise<void> {
  const { session, findings } = drive;
  const { contract, plan } = session.subject;
  const [version] = contract.versions;
  let reads = 0;
  for (const endpoint of random.shuffled(version?.endpoints ?? [])) {
    const isRead = plan.endpoints.some((one) => one.name === endpoint.name && !one.writes);
    if (!version || !isRead || reads >= MOST_READS) continue;
    const now = await session.now();
    let looked = 0;
    for (const { request } of candidatesFor(contract, version, endpoint, session.known(now), random, plan)) {
      if (++looked > LOOKED_AT) break;
      const foreseen = session.predict(request, now, 'foreseen');
      if (foreseen?.expected.status !== 200 || headerOf(request.headers, 'If-None-Match') !== null) continue;
      reads += 1;
      const { verdict, exchange } = await session.send(request, drive.name());
      if (verdict.kind === 'broken') {
        findings.break({
          statement: statementOf(raced),
          endpoint: raced.name,
          why: `${AT_ONCE} requests at the same time had another effect than in any order: ${request.method} ${request.target} shows it.`,
          expected: verdict.differences[0]?.expected ?? 'nothing',
          actual: verdict.differences[0]?.actual ?? 'nothing',
          sequence: [...exchanges, exchange],
        });
        return;
      }
      break;
    }
  }
}

/** What a race at an endpoint is about. */
function statementOf(endpoint: EndpointPlan): string {
  if (keyHeader(endpoint) !== null) return lineKey.endpoint(endpoint.name, 'idempotency');
  const write = endpoint.inside.find(({ do: what }) => what !== 'find references' && what !== 'find');
  return `step ${write?.line ?? endpoint.line ?? 0}`;
}

import { statementId } from '../../plan/lines.ts';
import { isSuccess } from '../../plan/status.ts';
import type { EndpointPlan, Plan } from '../../plan/step.ts';
import { showDuration } from '../../text/units.ts';
import type { Random } from '../requests/random.ts';
import type { Request } from '../target/exchange.ts';
import type { Drive, Option } from './drive.ts';

/** Longer time-outs are not waited for. */
const LONGEST_MS = 10_000;
/** The largest number of endpoints that are tested, all at the same time. */
const MOST_ENDPOINTS = 24;
/**
 * The time after the time-out at which the rest of a body is sent, and the time before the time-out from which an
 * answer is accepted, in milliseconds.
 */
const AFTER_MS = 700;
const EARLY_MS = 500;

/** A request that is right but for the time that its body takes. */
interface Slow {
  readonly endpoint: EndpointPlan;
  readonly timeout: number;
  readonly request: Request;
}

/** The longest delay of a body in milliseconds; null if no time-out of a body is tested. */
export function longestBody(plan: Plan): number | null {
  const all = slowEndpoints(plan);
  return all.length > 0 ? AFTER_MS + Math.max(...all.map(({ timeout }) => timeout)) : null;
}

/** Finds an accepted request to each endpoint whose time-out is tested; returns none after a break. */
export async function bodiesToHoldBack(drive: Drive, random: Random): Promise<Slow[]> {
  const { findings } = drive;
  const all: Slow[] = [];
  for (const { endpoint, timeout } of random
    .shuffled(slowEndpoints(drive.session.subject.plan))
    .slice(0, MOST_ENDPOINTS)) {
    drive.renew();
    const option = await drive.find((one) => one.endpoint === endpoint.name && isTaken(one), endpoint.name);
    if (findings.isBroken) return [];
    if (option) all.push({ endpoint, timeout, request: { ...option.request, late: timeout + AFTER_MS } });
  }
  return all;
}

/** The endpoints that read a body, and have a time-out that is waited for. */
function slowEndpoints({ endpoints }: Plan): Array<Pick<Slow, 'endpoint' | 'timeout'>> {
  return endpoints.flatMap((endpoint) => {
    const { before, timeout } = endpoint;
    const reads = before.some((step) => step.do === 'read body');
    return reads && timeout !== null && timeout <= LONGEST_MS ? [{ endpoint, timeout }] : [];
  });
}

/** Whether a request would be accepted and has a body long enough to delay its end. */
const isTaken = ({ request, foreseen }: Option): boolean =>
  isSuccess(foreseen.prediction.expected.status) && request.body !== null && request.body.length > 1;

/**
 * Holds back the last byte of bodies, all at the same time, until their time-out has passed: they must be refused then,
 * and not before.
 */
export async function holdBodiesBack(drive: Drive, found: readonly Slow[]): Promise<void> {
  const { session, findings } = drive;
  const now = await session.now();
  // The search for later requests may have used the row or the caller of an earlier one, so that the earlier one is
  // predicted again.
  const all = found.filter(({ request: { late: _, ...request } }) => {
    const foreseen = session.foreseeBy(session.oracle, request, now, drive.name());
    return foreseen !== null && isSuccess(foreseen.prediction.expected.status);
  });
  if (all.length === 0) return;
  const before = [...findings.acts];
  const { exchanges, when } = await session.race(all.map(({ request }) => request));
  const verdicts = session.takeInOrder(exchanges, when, () => drive.name());
  for (const [i, { endpoint, timeout }] of all.entries()) {
    const [exchange, verdict] = [exchanges[i], verdicts[i]];
    if (!exchange || !verdict || verdict.kind === 'not judged') continue;
    const statement = statementId.endpoint(endpoint.name, 'Time-out');
    const about = { statement, endpoint: endpoint.name, sequence: [...before, exchange] };
    const first = verdict.kind === 'broken' ? verdict.differences[0] : undefined;
    const took = exchange.endedAt - exchange.sentAt;
    const said = `The last byte of the body comes ${(timeout + AFTER_MS) / 1000} seconds after the others. The time-out is ${showDuration(timeout)}.`;
    const { outcome } = exchange;
    // The late body may be refused with another code or status.
    const isRefused = 'status' in outcome && outcome.status >= 400;
    if (verdict.kind === 'broken' && first)
      findings.break({
        ...about,
        ...(isRefused && { statement: findings.blame(verdict, exchange).statement, others: [statement] }),
        why: said,
        expected: `${first.at}: ${first.expected}`,
        actual: `${first.at}: ${first.actual}`,
      });
    else if (took < timeout - EARLY_MS)
      findings.break({
        ...about,
        why: said,
        expected: `an answer after ${timeout} ms`,
        actual: `one after ${took} ms`,
      });
    else if (verdict.kind === 'kept') findings.kept(exchange.request, verdict.prediction);
  }
}

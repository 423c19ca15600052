import { isSameId } from '../../plan/lines.ts';
import { Drive } from '../probes/drive.ts';
import { Findings } from '../probes/findings.ts';
import type { ProbeBreak } from '../probes/probe.ts';
import { race } from '../probes/races.ts';
import { isExchange, type ReportedStep } from '../report/report.ts';
import { Random } from '../requests/random.ts';
import { type ReplayableRequest, replayableOf, replayableRequests } from '../session/replayable.ts';
import type { Session } from '../session/session.ts';
import type { Request } from '../target/exchange.ts';
import type { VerifyOptions } from './options.ts';
import { needed, sequenceOf, withOperator } from './sequence.ts';
import type { Ending } from './shrink.ts';
import { type Broken, brokenOf, Trial } from './trial.ts';

/** The number of repetitions of each race: which requests overlap is a matter of chance. */
const TRIES = 6;
/** The largest number of acts before a race for which the test tries to leave out single acts. */
const MOST_LEFT_OUT = 30;
/** The numbers of simultaneous requests that are tried once the race was reproduced. */
const FEWER: readonly number[] = [2, 3, 4, 6];
/** The generators of the races that are run again. */
const RACED = 200;

/** A race that has shown a break once more. */
interface RacedAgain {
  readonly found: ProbeBreak;
  readonly sequence: readonly ReportedStep[];
}

/**
 * Repeats a race that has shown a break, with fewer requests before it and in it; null where the break is not
 * reproduced.
 */
export async function racedAgain(
  { subject, seed }: VerifyOptions,
  found: ProbeBreak,
  session: Session,
  ending: Ending,
): Promise<RacedAgain | null> {
  if (!found.race || !subject.setup.reset) return null;
  const { requests, endpoints, before, at } = found.race;
  const acts = replayableRequests(session).slice(0, before);
  const group = requests.map((request, i) => replayableOf(session, request, `raced${i}`, at));
  const attempt = async (
    first: readonly ReplayableRequest[],
    raced: readonly ReplayableRequest[],
  ): Promise<RacedAgain | null> => {
    for (let i = 0; i < TRIES && !ending.isCut(); i++) {
      const trial = await Trial.begin(subject, Random.of(seed, 0));
      const again = await prepared(trial, first, raced);
      if (!again) return null;
      const earlier = [...trial.session.exchanges];
      const findings = new Findings(subject.plan);
      const drive = new Drive(trial.session, findings, Random.of(seed, RACED + i), ending.isCut, 'again');
      await race(drive, again, endpoints, Random.of(seed, RACED + i));
      const [one] = findings.result().breaks;
      if (!one || !isSameId(one.statement, found.statement)) continue;
      const sequence = [...sequenceOf(trial.session, earlier), ...one.sequence];
      return { found: one, sequence: withOperator(trial.session, sequence) };
    }
    return null;
  };
  for (const first of [needed(acts, group, false), needed(acts, group, true), acts]) {
    let whole = await attempt(first, group);
    if (!whole) continue;
    let least = first;
    for (const act of first.length > MOST_LEFT_OUT ? [] : first.toReversed()) {
      const less = least.filter((one) => one !== act);
      const again = await attempt(less, group);
      if (again) [least, whole] = [less, again];
    }
    for (const count of FEWER.filter((one) => one < group.length)) {
      const fewer = await attempt(least, spread(group, count));
      if (fewer) return fewer;
    }
    return whole;
  }
  return null;
}

/** Repeats acts, and returns the requests that race after them; null where the acts have another effect. */
async function prepared(
  trial: Trial,
  first: readonly ReplayableRequest[],
  raced: readonly ReplayableRequest[],
): Promise<Request[] | null> {
  for (const act of first) if ((await trial.again(act))?.verdict.kind === 'broken') return null;
  const requests: Request[] = [];
  for (const act of raced) {
    const request = await trial.requestOf(act);
    if (!request) return null;
    requests.push(request);
  }
  return requests;
}

/** So many of a list, from its beginning to its end. */
const spread = <T>(list: readonly T[], count: number): T[] =>
  list.filter((_, i) =>
    Array.from({ length: count }, (_, n) => Math.round((n * (list.length - 1)) / (count - 1))).includes(i),
  );

/** A break that single requests show, and the session in which the latest of them has shown it. */
export interface Shown {
  readonly trial: Trial;
  readonly broken: Broken;
}

/**
 * Looks for a wrong answer without the race that has shown a break: a new session repeats the requests before the race
 * and the read after it, then sends the requests of the race one after the other, and reads again. Returns null where
 * all of these answers are right, so that only the race shows the break.
 */
export async function brokenWithoutRace(
  { subject, seed }: VerifyOptions,
  { race, sequence }: ProbeBreak,
  session: Session,
  ending: Ending,
): Promise<Shown | null> {
  if (!race || !subject.setup.reset) return null;
  const trial = await Trial.begin(subject, Random.of(seed, 0));
  const last = sequence.findLast(isExchange)?.request;
  const isRead = last && !race.requests.some((one) => isSame(one, last));
  const read = (name: string): ReplayableRequest[] => (isRead ? [replayableOf(session, last, name, race.at)] : []);
  const acts = replayableRequests(session);
  const [before, recorded] = [acts.slice(0, race.before), acts.slice(race.before)];
  // Requests of a race whose answers no order explains are not recorded in the session.
  const unrecorded = race.requests.map((request, i) => replayableOf(session, request, `raced${i}`, race.at));
  const raced = recorded.length > 0 ? recorded : unrecorded;
  for (const act of [...before, ...read('before'), ...raced, ...read('after')]) {
    if (ending.isCut()) return null;
    const sent = await trial.again(act);
    if (sent?.verdict.kind === 'broken') return { trial, broken: brokenOf(sent.exchange, sent.verdict) };
  }
  return null;
}

const isSame = (one: Request, other: Request): boolean => one.method === other.method && one.target === other.target;

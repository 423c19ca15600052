import type { ProbeBreak } from '../probes/probe.ts';
import { isExchange } from '../report/report.ts';
import { Random } from '../requests/random.ts';
import { type ReplayableRequest, replayableOf, replayableRequests } from '../session/replayable.ts';
import type { Session } from '../session/session.ts';
import type { Request } from '../target/exchange.ts';
import type { VerifyOptions } from './options.ts';
import type { Ending } from './shrink.ts';
import { type Broken, brokenOf, Trial } from './trial.ts';

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

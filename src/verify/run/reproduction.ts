import { counted } from '../../text/units.ts';
import type { ProbeBreak } from '../probes/probe.ts';
import { type Break, isExchange, type ReportedStep } from '../report/report.ts';
import type { Candidate } from '../requests/candidate.ts';
import {
  type RecordedExchange,
  type ReplayableRequest,
  replayableOf,
  replayableRequests,
} from '../session/replayable.ts';
import type { Session } from '../session/session.ts';
import { breakOf, probeBreak, signatureOf } from './breaks.ts';
import type { VerifyOptions } from './options.ts';
import { brokenWithoutRace, racedAgain, type Shown } from './raced-again.ts';
import { needed, sequenceOf, withOperator } from './sequence.ts';
import { type Ending, type NotReproduced, type Reproduced, shrunk } from './shrink.ts';
import { type Broken, brokenOf, type Trial } from './trial.ts';
import { versionAlone } from './version-alone.ts';

/**
 * The largest number of requests that a break lists because they changed the rows that it names. If there are more,
 * only the requests that created the rows and values are listed.
 */
const MOST_LISTED = 20;
/** The number of latest exchanges that are listed, if the necessary ones are unknown. */
const LATEST = 8;
/** The longest reported sequence: a longer one helps no reader, even if it reproduces the break. */
const MOST_SHOWN = 60;

const WHY: Readonly<Record<NotReproduced, string>> = {
  'not again': 'The break did not occur again when its requests were repeated: it may be intermittent.',
  'no time': 'The run ended before the test could shorten this sequence.',
  'no reset': 'The setup has no `reset`, so the test did not shorten this sequence.',
};

/** Reproduces breaks with the fewest requests, and adds a remark if that was impossible. */
export class Reproduction {
  private readonly options: VerifyOptions;
  private readonly ending: Ending;
  private readonly failed: (error: unknown) => Promise<void>;

  /** `failed` receives the errors of the setup. */
  constructor(options: VerifyOptions, ending: Ending, failed: (error: unknown) => Promise<void>) {
    this.options = options;
    this.ending = ending;
    this.failed = failed;
  }

  /** A break that the latest request of a trial has shown. */
  async ofTrial(
    trial: Trial,
    { endpoint, what }: Pick<Candidate, 'endpoint' | 'what'>,
    broken: Broken,
  ): Promise<Break> {
    const { session, whole } = trial;
    const acts = trial.acts;
    const least = await this.least(acts, endpoint, broken);
    if (typeof least !== 'string')
      return breakOf(this.options, endpoint, what, { ...least, course: { ...least.course, whole } });
    const { chosen, note } = listed(session, acts, least);
    const sequence = sequenceOf(session, chosen);
    const told = breakOf(this.options, endpoint, what, { sequence, broken, course: { ...trial.course, whole } });
    return { ...told, why: joined(told.why, note) };
  }

  /**
   * The wrong answer that the requests of a race show one after the other, too; null where only the race shows the
   * break, or where no race was run.
   */
  async withoutRace(found: ProbeBreak, own: Session): Promise<Shown | null> {
    return this.safely(brokenWithoutRace(this.options, found, found.session ?? own, this.ending));
  }

  /** A break that a probe has found, in its own session or in another. */
  async ofProbe(found: ProbeBreak, own: Session): Promise<Break> {
    const session = found.session ?? own;
    // Requests that were sent many times at once are in no session, so that none repeats them.
    if (isLooped(found)) return probeBreak(this.options, found, withMakers(found, session));
    if (found.wrong) return this.ofWrongAnswer(found, found.wrong, session);
    if (!found.race) return probeBreak(this.options, found, sequenceAbout(found, session));
    const again = await this.safely(racedAgain(this.options, found, session, this.ending));
    if (again) return probeBreak(this.options, again.found, again.sequence);
    const acts = replayableRequests(session).slice(0, found.race.before);
    const group = found.race.requests.map((request) => replayableOf(session, request));
    const before = recordedOf(session, acts, needed(acts, group, false));
    const sequence = withOperator(session, [...sequenceOf(session, before), ...found.sequence]);
    const note = this.ending.isCut() ? WHY['no time'] : WHY['not again'];
    return probeBreak(this.options, { ...found, why: joined(found.why, note) }, sequence);
  }

  private async ofWrongAnswer(
    found: ProbeBreak,
    { exchange, verdict }: NonNullable<ProbeBreak['wrong']>,
    session: Session,
  ): Promise<Break> {
    const acts = replayableRequests(session).slice(
      0,
      1 + session.exchanges.findIndex((one) => one.exchange === exchange),
    );
    const least = await this.least(acts, found.endpoint, brokenOf(exchange, verdict));
    if (typeof least !== 'string') return { ...breakOf(this.options, found.endpoint, '', least), why: found.why };
    const { chosen, note } = listed(session, acts, least);
    return probeBreak(this.options, { ...found, why: joined(found.why, note) }, sequenceOf(session, chosen));
  }

  private async least(
    acts: readonly ReplayableRequest[],
    endpoint: string | null,
    broken: Broken,
  ): Promise<Reproduced | NotReproduced> {
    const { subject, seed } = this.options;
    const signature = signatureOf(subject.plan, endpoint, broken);
    const isSame = (other: Broken): boolean => signatureOf(subject.plan, endpoint, other) === signature;
    const least = (await this.safely(shrunk(subject, seed, acts, isSame, this.ending))) ?? 'no time';
    if (typeof least === 'string') return least;
    if (least.sequence.filter(isExchange).length > MOST_SHOWN) return 'no time';
    const version = await this.safely(versionAlone(this.options, least.acts ?? [], least.broken, this.ending));
    return { ...least, version };
  }

  /** Reports an error of the setup, and keeps the breaks that were found before. */
  private async safely<T>(work: Promise<T>): Promise<T | null> {
    try {
      return await work;
    } catch (error) {
      await this.failed(error);
      return null;
    }
  }
}

const joined = (...sentences: readonly string[]): string => sentences.filter((one) => one !== '').join(' ');

/** The recorded exchanges of some acts. */
function recordedOf(
  { exchanges }: Session,
  acts: readonly ReplayableRequest[],
  some: readonly ReplayableRequest[],
): RecordedExchange[] {
  const chosen = new Set(some);
  return exchanges.filter((_, i) => acts[i] !== undefined && chosen.has(acts[i]));
}

/** The exchanges to list for a break that was not reproduced, and a sentence with the reason. */
function listed(
  session: Session,
  acts: readonly ReplayableRequest[],
  why: NotReproduced,
): { chosen: RecordedExchange[]; note: string } {
  const last = acts.slice(-1);
  const wide = needed(acts, last, true);
  const some = wide.length > MOST_LISTED ? needed(acts, last, false) : wide;
  const before = acts.length - 1;
  const isAll = some.length === acts.length;
  const which = isAll
    ? 'The list contains all earlier requests.'
    : `Of ${counted(before, 'earlier request')}, the list contains those that created or changed rows which the break names.`;
  const isTold = why === 'not again' || !isAll;
  return { chosen: recordedOf(session, acts, some), note: isTold ? joined(WHY[why], before > 0 ? which : '') : '' };
}

/** The acts of a probe that concern a break: those about its rows, and those that created the rows that these name. */
function sequenceAbout(found: ProbeBreak, session: Session): ReportedStep[] {
  const { sequence, about } = found;
  const acts = replayableRequests(session);
  const identities = about === undefined ? [] : madeIn(session).filter((one) => about.includes(one));
  const telling = acts.filter((_, i) => {
    const { request, outcome } = session.exchanges[i]?.exchange ?? {};
    const text = `${request?.target} ${request?.body} ${outcome && 'body' in outcome ? outcome.body : ''}`;
    return acts[i]?.writes && identities.some((one) => text.includes(one));
  });
  const last = sequence.findLast(isExchange);
  const isOfCourse = session.exchanges.some(({ exchange }) => exchange === last);
  const operator = sequence.filter((act) => !isExchange(act));
  if (telling.length > 0)
    return withOperator(session, [
      ...operator,
      ...sequenceOf(session, recordedOf(session, acts, needed(acts, telling, false)), true),
    ]);
  if (isOfCourse || !last || sequence.length <= LATEST) return withOperator(session, sequence.slice(-LATEST));
  const makers = needed(acts, [replayableOf(session, last.request)], false);
  return withOperator(session, [...operator, ...sequenceOf(session, recordedOf(session, acts, makers)), last]);
}

const isLooped = ({ sequence }: ProbeBreak): boolean =>
  sequence.some((act) => isExchange(act) && act.times !== undefined);

/** The sequence of a break, preceded by the requests that created the rows and values in it. */
function withMakers({ sequence }: ProbeBreak, session: Session): ReportedStep[] {
  const acts = replayableRequests(session);
  const sent = sequence.filter(isExchange).map(({ request }) => replayableOf(session, request));
  const makers = recordedOf(session, acts, needed(acts, sent, false));
  return withOperator(session, [...sequenceOf(session, makers), ...sequence]);
}

/** The identities of the rows that requests have created, without those that are too short to be recognized. */
function madeIn({ subject, oracle, operatorActs }: Session): string[] {
  const { rows } = oracle.state;
  const given = new Set(operatorActs.map(({ gives }) => gives?.value));
  const all = subject.plan.resources.flatMap(({ name }) => rows.all(name).map((row) => String(rows.identity(row))));
  return all.filter((one) => one.length >= LEAST && !given.has(one));
}

/** The least length of an identity: shorter ones occur in texts by chance. */
const LEAST = 6;

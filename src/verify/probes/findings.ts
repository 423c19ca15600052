import type { Plan } from '../../plan/step.ts';
import { counted } from '../../text/counted.ts';
import { blamed } from '../blame/blame.ts';
import type { Verdict } from '../judge/judge.ts';
import type { Prediction } from '../oracle/oracle.ts';
import type { Trace } from '../oracle/trace.ts';
import type { ReportedStep, Sent } from '../report/report.ts';
import type { Session } from '../session/session.ts';
import { triedBy } from '../statements/tried.ts';
import { type Exchange, NO_ANSWER, type Request } from '../target/exchange.ts';
import type { NotTried, ProbeBreak, ProbeResult, Race, WrongAnswer } from './probe.ts';

/** How many breaks of one statement are reported: more of them would show nothing new. */
const MOST_OF_ONE = 3;
/** How many differing places of an answer are reported. */
const MOST_PLACES = 6;

/** The findings of a probe. */
export class Findings {
  private readonly met: Trace[] = [];
  private readonly broken: ProbeBreak[] = [];
  private readonly reasons: NotTried[] = [];
  /** The steps of the session, in order. */
  readonly acts: ReportedStep[] = [];
  /** The session that breaks are found in. */
  session: Session | null = null;
  private readonly plan: Plan;

  constructor(plan: Plan) {
    this.plan = plan;
  }

  /** Goes on in a session: what was done in another one is no part of what breaks there. */
  begin(session: Session): void {
    if (this.session !== session) this.acts.length = 0;
    this.session = session;
  }

  meet(statement: string, what: string): void {
    this.met.push({ statement, what });
  }

  /** Takes in a request that was answered as predicted: all that it tries. */
  kept(request: Request, prediction: Prediction): void {
    this.met.push(...triedBy(this.plan, request, prediction));
  }

  /** Takes in a break. Without a sequence, all acts are taken for one. */
  break(found: Omit<ProbeBreak, 'sequence' | 'endpoint'> & Partial<ProbeBreak>): void {
    if (this.broken.filter(({ statement }) => statement === found.statement).length >= MOST_OF_ONE) return;
    this.broken.push({ endpoint: null, session: this.session, sequence: [...this.acts], ...found });
  }

  /** Takes in a wrong answer; `before`: the steps that led to it, where these are not all steps of the session. */
  wrongAnswer(
    verdict: Extract<Verdict, { kind: 'broken' }>,
    exchange: Exchange,
    before: readonly ReportedStep[] = this.acts,
  ): void {
    const { prediction, differences } = verdict;
    const [first] = differences;
    this.break({
      ...this.blame(verdict, exchange),
      endpoint: prediction.endpoint?.name ?? null,
      why: `The answer differs at: ${placesOf(differences.map(({ at }) => at))}.`,
      expected: first?.expected ?? 'nothing',
      actual: first?.actual ?? 'nothing',
      sequence: [...before.filter((act) => act !== exchange), exchange],
      wrong: { exchange, verdict },
    });
  }

  /**
   * Takes in answers to requests at the same time that no order explains; `exchange` is one that is left over. `race`:
   * the requests, where they can be sent again.
   */
  raced({ verdict, exchange }: WrongAnswer, all: readonly Exchange[], race: Race | undefined): void {
    const { prediction, differences } = verdict;
    const [first] = differences;
    this.break({
      ...this.blame(verdict, exchange),
      endpoint: prediction.endpoint?.name ?? null,
      why: `${counted(all.length, 'request')} at the same time: in no order do their answers follow from the document. One is left that differs at ${first?.at ?? 'nothing'}.`,
      expected: first?.expected ?? 'nothing',
      actual: first?.actual ?? 'nothing',
      sequence: together([...all.filter((one) => one !== exchange), exchange]),
      race,
    });
  }

  /** Which statement an answer breaks that is another one than the document says, and which others could be meant. */
  blame(
    { prediction, differences }: Extract<Verdict, { kind: 'broken' }>,
    { request, outcome }: Exchange,
  ): Pick<ProbeBreak, 'statement' | 'others'> {
    const answer = 'failed' in outcome ? NO_ANSWER : outcome;
    const [statement, ...others] = blamed(this.plan, { prediction, differences, request, answer });
    return { statement, others };
  }

  notTried(statement: string, because: string): void {
    this.reasons.push({ statement, because });
  }

  get isBroken(): boolean {
    return this.broken.length > 0;
  }

  result(): ProbeResult {
    return { traces: this.met, breaks: this.broken, untested: this.reasons };
  }
}

/** Exchanges of requests that were sent at the same time, as a report lists them. */
export const together = (exchanges: readonly Exchange[]): Sent[] => exchanges.map((one) => ({ ...one, together: 1 }));

const placesOf = (all: readonly string[]): string =>
  all.length > MOST_PLACES
    ? `${all.slice(0, MOST_PLACES).join(', ')}, and ${all.length - MOST_PLACES} others`
    : all.join(', ');

import { isSameId, type StatementId } from '../../plan/lines.ts';
import type { Plan } from '../../plan/step.ts';
import { counted } from '../../text/units.ts';
import { blamed } from '../blame/blame.ts';
import type { Verdict } from '../judge/judge.ts';
import type { Prediction } from '../oracle/oracle.ts';
import type { Trace } from '../oracle/trace.ts';
import type { ReportedStep, Sent } from '../report/report.ts';
import type { Session } from '../session/session.ts';
import { triedBy } from '../statements/tried.ts';
import { type Exchange, NO_ANSWER, type Request } from '../target/exchange.ts';
import type { NotTried, ProbeBreak, ProbeResult, Race, WrongAnswer } from './probe.ts';

/** The largest number of reported breaks of one statement: further ones would show nothing new. */
const MOST_OF_ONE = 3;
/** The largest number of reported differences of one answer. */
const MOST_PLACES = 6;

/** The findings of a probe. */
export class Findings {
  private readonly met: Trace[] = [];
  private readonly broken: ProbeBreak[] = [];
  private readonly reasons: NotTried[] = [];
  /** The steps of the session, in order. */
  readonly acts: ReportedStep[] = [];
  /** The current session. */
  session: Session | null = null;
  private readonly plan: Plan;

  constructor(plan: Plan) {
    this.plan = plan;
  }

  /**
   * Continues in a session. Steps of another session are dropped, since they cannot have caused a break in this one.
   */
  begin(session: Session): void {
    if (this.session !== session) this.acts.length = 0;
    this.session = session;
  }

  meet(statement: StatementId, what: string): void {
    this.met.push({ statement, what });
  }

  /** Records a request that was answered as predicted: every trace that the request tries counts as met. */
  kept(request: Request, prediction: Prediction): void {
    this.met.push(...triedBy(this.plan, request, prediction));
  }

  /** Records a break. The default sequence is all steps of the session. */
  break(found: Omit<ProbeBreak, 'sequence' | 'endpoint'> & Partial<ProbeBreak>): void {
    if (this.broken.filter(({ statement }) => isSameId(statement, found.statement)).length >= MOST_OF_ONE) return;
    this.broken.push({ endpoint: null, session: this.session, sequence: [...this.acts], ...found });
  }

  /** Records a wrong answer. `before`: the steps that led to it, where these are not all steps of the session. */
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
   * Records answers to simultaneous requests that no order of the requests explains. `exchange`: one of the unexplained
   * answers. `race`: the requests, where they can be sent again.
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

  /** The statement that a wrong answer breaks, and the other statements that it may break instead. */
  blame(
    { prediction, differences }: Extract<Verdict, { kind: 'broken' }>,
    { request, outcome }: Exchange,
  ): Pick<ProbeBreak, 'statement' | 'others'> {
    const answer = 'failed' in outcome ? NO_ANSWER : outcome;
    const [statement = null, ...others] = blamed(this.plan, { prediction, differences, request, answer });
    return { statement, others };
  }

  notTried(statement: StatementId, because: string): void {
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

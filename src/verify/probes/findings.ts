import type { Plan } from '../../plan/step.ts';
import { blamed } from '../blame/blame.ts';
import type { Verdict } from '../judge/judge.ts';
import type { Trace } from '../oracle/trace.ts';
import type { Act } from '../report/report.ts';
import { type Exchange, NO_ANSWER } from '../target/exchange.ts';
import type { NotTried, ProbeBreak, ProbeResult } from './probe.ts';

/** How many breaks of one statement are told: those after them say nothing new. */
const MOST_OF_ONE = 3;
/** How many places are told at which an answer differs. */
const MOST_PLACES = 6;
/** How many acts stand before a break at most. */
const MOST_ACTS = 8;

/** What a probe finds on its way. */
export class Findings {
  private readonly met: Trace[] = [];
  private readonly broken: ProbeBreak[] = [];
  private readonly reasons: NotTried[] = [];
  /** What has been done in the session, in order. */
  readonly acts: Act[] = [];
  private readonly plan: Plan;

  constructor(plan: Plan) {
    this.plan = plan;
  }

  meet(statement: string, what: string): void {
    this.met.push({ statement, what });
  }

  meetAll(traces: readonly Trace[]): void {
    this.met.push(...traces);
  }

  /** Takes in a break. Without a sequence, the latest acts are taken for one. */
  break(found: Omit<ProbeBreak, 'sequence' | 'endpoint'> & Partial<ProbeBreak>): void {
    if (this.broken.filter(({ statement }) => statement === found.statement).length >= MOST_OF_ONE) return;
    const sequence = (found.sequence ?? this.acts).slice(-MOST_ACTS);
    this.broken.push({ endpoint: null, ...found, sequence });
  }

  /** Takes in an answer that is another one than the document says. */
  wrongAnswer(verdict: Extract<Verdict, { kind: 'broken' }>, exchange: Exchange): void {
    const { prediction, differences } = verdict;
    const [first] = differences;
    this.break({
      ...this.blame(verdict, exchange),
      endpoint: prediction.endpoint?.name ?? null,
      why: `The answer differs at: ${placesOf(differences.map(({ at }) => at))}.`,
      expected: first?.expected ?? 'nothing',
      actual: first?.actual ?? 'nothing',
      sequence: [...this.acts.filter((act) => act !== exchange), exchange],
    });
  }

  /** Takes in answers to requests at the same time that no order explains; `exchange` is one that is left over. */
  raced(verdict: Extract<Verdict, { kind: 'broken' }>, exchange: Exchange, all: readonly Exchange[]): void {
    const { prediction, differences } = verdict;
    const [first] = differences;
    this.break({
      ...this.blame(verdict, exchange),
      endpoint: prediction.endpoint?.name ?? null,
      why: `${all.length} requests at the same time: in no order do their answers follow from the document. One is left that differs at ${first?.at ?? 'nothing'}.`,
      expected: first?.expected ?? 'nothing',
      actual: first?.actual ?? 'nothing',
      sequence: [...all.filter((one) => one !== exchange), exchange],
    });
  }

  private blame(
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

const placesOf = (all: readonly string[]): string =>
  all.length > MOST_PLACES
    ? `${all.slice(0, MOST_PLACES).join(', ')}, and ${all.length - MOST_PLACES} others`
    : all.join(', ');

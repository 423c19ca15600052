import { isSuccess } from '../../plan/status.ts';
import type { Plan } from '../../plan/step.ts';
import type { Course, Step } from '../blame/explain.ts';
import type { Difference } from '../judge/compare.ts';
import type { Verdict } from '../judge/judge.ts';
import type { Oracle, Prediction } from '../oracle/oracle.ts';
import type { Candidate } from '../requests/candidate.ts';
import type { Random } from '../requests/random.ts';
import { type ReplayableRequest, replayableRequests } from '../session/replayable.ts';
import { Session } from '../session/session.ts';
import type { Subject } from '../session/subject.ts';
import { type Answer, type Exchange, NO_ANSWER } from '../target/exchange.ts';

/** An answer that differs from the one that the document requires. */
export interface Broken {
  readonly exchange: Exchange;
  readonly answer: Answer;
  readonly prediction: Prediction;
  readonly differences: readonly Difference[];
}

/** The break in a verdict. */
export function brokenOf(
  exchange: Exchange,
  { prediction, differences }: Extract<Verdict, { kind: 'broken' }>,
): Broken {
  const { outcome } = exchange;
  return { exchange, answer: 'failed' in outcome ? NO_ANSWER : outcome, prediction, differences };
}

/** Whether the rows of the service may differ from the predicted ones after a break. */
export const changesState = ({ answer, prediction }: Broken): boolean =>
  (prediction.endpoint?.writes ?? false) && (answer.status < 400 || prediction.expected.status < 400);

/**
 * The reason why the test no longer knows the rows after a request that was not answered, or whose answer could not be
 * judged; null where the rows are known. The sentence is for a run without a `reset`.
 */
export function lostRows(
  { endpoints }: Plan,
  { endpoint }: Pick<Candidate, 'endpoint'>,
  outcome: Exchange['outcome'],
  verdict: Verdict,
): string | null {
  if (!endpoints.some(({ name, writes }) => name === endpoint && writes)) return null;
  const sentence = (why: string): string =>
    `${why}, so the test no longer knows the stored rows, and the setup has no \`reset\`.`;
  if ('failed' in outcome) return sentence('A request was not answered');
  return verdict.kind === 'not judged' && isSuccess(outcome.status) ? sentence('An answer could not be judged') : null;
}

/** The largest number of exchanges that are judged again to explain the last answer. */
const MOST_STEPS = 24;

/** A session, and the requests that were sent in it. */
export class Trial {
  readonly session: Session;
  private readonly start: Oracle;
  private readonly steps: Step[] = [];

  private constructor(session: Session) {
    this.session = session;
    this.start = session.oracle;
  }

  static async begin(subject: Subject, random: Random): Promise<Trial> {
    return new Trial(await Session.begin(subject, random));
  }

  /** Sends a request, and returns the verdict on its answer. */
  async send(request: Exchange['request'], name: string): Promise<{ verdict: Verdict; exchange: Exchange }> {
    const { exchange, verdict, when } = await this.session.send(request, name);
    this.steps.push({ exchange, when, name });
    return { exchange, verdict };
  }

  /** The whole session: its initial state, and all requests with their answers. */
  get whole(): Course {
    return { before: this.start, steps: this.steps };
  }

  /** The steps that led to the last answer: all steps of a short session, or only the last step of a long one. */
  get course(): Course {
    if (this.steps.length <= MOST_STEPS) return { before: this.start, steps: this.steps };
    return { before: this.session.oracle, steps: this.steps.slice(-1) };
  }

  /** The requests of the session, in a form that can be sent in another session. */
  get acts(): ReplayableRequest[] {
    return replayableRequests(this.session);
  }

  /** Builds a request of another session for this one, at its time; null if a row that it names does not exist here. */
  async requestOf({ template, at }: ReplayableRequest): Promise<Exchange['request'] | null> {
    const { session } = this;
    await session.pass(at - (await session.elapsed()));
    return session.symbols().requestOf(template, (target) => session.newestTag(target));
  }

  /** Repeats a request of another session; null if a row or value that it names does not exist here. */
  async again(act: ReplayableRequest): Promise<{ verdict: Verdict; exchange: Exchange } | null> {
    const request = await this.requestOf(act);
    return request && this.send(request, act.name);
  }
}

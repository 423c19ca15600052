import type { Course, Step } from '../blame/explain.ts';
import type { Difference } from '../judge/compare.ts';
import type { Verdict } from '../judge/judge.ts';
import type { Oracle, Prediction } from '../oracle/oracle.ts';
import type { Random } from '../requests/random.ts';
import { Session, type Subject } from '../session/session.ts';
import type { Template } from '../session/symbols.ts';
import { type Answer, type Exchange, NO_ANSWER } from '../target/exchange.ts';

/** A request of a session, as it can be made again in another. */
export interface Act {
  /** What is drawn for it is known by this name. */
  readonly name: string;
  readonly template: Template;
  /** What it tries, in plain English. */
  readonly what: string;
  /** Whether it has changed something, as its answer says. */
  readonly writes: boolean;
  /** The words of its answer by which later requests may name what it has made. */
  readonly answered: string;
  /** How long after the beginning of the session it is sent, by the service’s clock, in milliseconds. */
  readonly at: number;
}

/** An answer that is another one than the document says. */
export interface Broken {
  readonly exchange: Exchange;
  readonly answer: Answer;
  readonly prediction: Prediction;
  readonly differences: readonly Difference[];
}

/** A break of a verdict. */
export function brokenOf(
  exchange: Exchange,
  { prediction, differences }: Extract<Verdict, { kind: 'broken' }>,
): Broken {
  const { outcome } = exchange;
  return { exchange, answer: 'failed' in outcome ? NO_ANSWER : outcome, prediction, differences };
}

/** Whether the service may hold something else after a break than the document says. */
export const changesState = ({ answer, prediction }: Broken): boolean =>
  (prediction.endpoint?.writes ?? false) && (answer.status < 400 || prediction.expected.status < 400);

/** A session of more exchanges than these is not gone through again to find what explains its last answer. */
const MOST_STEPS = 24;

/** A session, and all that has been sent in it. */
export class Trial {
  readonly session: Session;
  readonly exchanges: Exchange[] = [];
  private readonly sent: Array<Pick<Act, 'name' | 'what' | 'at'> & { readonly request: Exchange['request'] }> = [];
  private readonly began: number;
  private readonly start: Oracle;
  private readonly steps: Step[] = [];

  private constructor(session: Session, began: number) {
    this.session = session;
    this.began = began;
    this.start = session.oracle;
  }

  static async begin(subject: Subject, random: Random): Promise<Trial> {
    const session = await Session.begin(subject, random);
    return new Trial(session, await session.now());
  }

  /** How long the session has lasted by the service’s clock; 0 where that can’t be moved. */
  async elapsed(): Promise<number> {
    return this.session.subject.setup.clock ? (await this.session.now()) - this.began : 0;
  }

  /** Has time pass until so long after the beginning. */
  async passTo(at: number): Promise<void> {
    const by = at - (await this.elapsed());
    if (by > 0) await this.session.pass(by);
  }

  /** Sends a request; gives how it was judged. */
  async send(
    request: Exchange['request'],
    name: string,
    what: string,
  ): Promise<{ verdict: Verdict; exchange: Exchange }> {
    this.sent.push({ name, request, what, at: await this.elapsed() });
    const { exchange, verdict, when } = await this.session.send(request, name);
    this.exchanges.push(exchange);
    this.steps.push({ exchange, when, name });
    return { exchange, verdict };
  }

  /** All that has been answered. */
  get whole(): Course {
    return { before: this.start, steps: this.steps };
  }

  /** What led to the last answer: all of the session, or of a long one that answer alone. */
  get course(): Course {
    if (this.steps.length <= MOST_STEPS) return { before: this.start, steps: this.steps };
    return { before: this.session.oracle, steps: this.steps.slice(-1) };
  }

  /** All that has been sent, as it can be sent in another session. */
  get acts(): Act[] {
    const symbols = this.session.symbols();
    return this.sent.map(({ request, ...act }, i) => {
      const outcome = this.exchanges[i]?.outcome;
      const answer = outcome && !('failed' in outcome) ? outcome : NO_ANSWER;
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      return {
        ...act,
        template: symbols.templateOf(request, this.session.numbers.inPath(this.session.oracle, request)),
        writes: !isRead && answer.status < 300,
        answered: symbols.symbolic(answer.body.toString()),
      };
    });
  }

  /** Makes an act of another session again; null where what it names is not there. */
  async again({ name, template, what, at }: Act): Promise<{ verdict: Verdict; exchange: Exchange } | null> {
    await this.passTo(at);
    const request = this.session.symbols().requestOf(template, (target) => this.session.newestTag(target));
    return request && this.send(request, name, what);
  }
}

import type { Difference } from '../judge/compare.ts';
import type { Verdict } from '../judge/judge.ts';
import type { Prediction } from '../oracle/oracle.ts';
import type { Random } from '../requests/random.ts';
import { Session, type Subject } from '../session/session.ts';
import type { Template } from '../session/symbols.ts';
import type { Answer, Exchange } from '../target/exchange.ts';

/** A request of a session, as it can be made again in another. */
export interface Act {
  /** What is drawn for it is known by this name. */
  readonly name: string;
  readonly template: Template;
  /** What it tries, in plain English. */
  readonly what: string;
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

/** What stands for an answer where none came. */
const NO_ANSWER: Answer = { status: 0, headers: [], body: Buffer.alloc(0) };

/** A break of a verdict. */
export function brokenOf(
  exchange: Exchange,
  { prediction, differences }: Extract<Verdict, { kind: 'broken' }>,
): Broken {
  const { outcome } = exchange;
  return { exchange, answer: 'failed' in outcome ? NO_ANSWER : outcome, prediction, differences };
}

/** A session, and all that has been sent in it. */
export class Trial {
  readonly session: Session;
  readonly exchanges: Exchange[] = [];
  private readonly sent: Array<Omit<Act, 'template'> & { readonly request: Exchange['request'] }> = [];
  private readonly began: number;

  private constructor(session: Session, began: number) {
    this.session = session;
    this.began = began;
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
    const sent = await this.session.send(request, name);
    this.exchanges.push(sent.exchange);
    return sent;
  }

  /** All that has been sent, as it can be sent in another session. */
  get acts(): Act[] {
    const symbols = this.session.symbols();
    return this.sent.map(({ request, ...act }) => ({ ...act, template: symbols.templateOf(request) }));
  }

  /** Makes an act of another session again; null where what it names is not there. */
  async again({ name, template, what, at }: Act): Promise<{ verdict: Verdict; exchange: Exchange } | null> {
    await this.passTo(at);
    const request = this.session.symbols().requestOf(template);
    return request && this.send(request, name, what);
  }
}

import { isSuccess } from '../../plan/status.ts';
import { type Exchange, NO_ANSWER, type Request } from '../target/exchange.ts';
import type { Session } from './session.ts';
import type { Template } from './symbols.ts';

/** An exchange of a session, as the session recorded it. */
export interface RecordedExchange {
  /** The name that identifies the values drawn for the request. */
  readonly name: string;
  readonly exchange: Exchange;
  /** The time from the beginning of the session until the request, by the service’s clock, in milliseconds. */
  readonly at: number;
  /** By how much the service’s clock was moved before it, in milliseconds. */
  readonly moved: number;
}

/** A request of a session, in the form in which another session can send it again. */
export interface ReplayableRequest {
  readonly name: string;
  readonly template: Template;
  /** Whether it has changed something, as its answer says. */
  readonly writes: boolean;
  /** The words of the answer that later requests may contain, such as identities of created rows. */
  readonly answered: string;
  readonly at: number;
}

/** All requests of a session, in the form in which another session can send them again. */
export function replayableRequests(session: Session): ReplayableRequest[] {
  const symbols = session.symbols();
  return session.exchanges.map(({ name, at, exchange: { request, outcome } }) => {
    const answer = 'failed' in outcome ? NO_ANSWER : outcome;
    const isRead = ['GET', 'HEAD', 'QUERY'].includes(request.method);
    const writes = !isRead && isSuccess(answer.status);
    const answered = symbols.symbolic(answer.body.toString());
    const template = symbols.templateOf(request, session.numbers.inPath(session.oracle, request));
    return { name, at, template, writes, answered };
  });
}

/**
 * A request in the form that another session can send, with all values known by now. `at`: its time, by the service’s
 * clock.
 */
export const replayableOf = (session: Session, request: Request, name = '', at = 0): ReplayableRequest => ({
  name,
  template: session.symbols().templateOf(request, session.numbers.inPath(session.oracle, request)),
  writes: false,
  answered: '',
  at,
});

/** The total size of bodies that a session keeps whole, and the size to which later bodies are cut, in bytes. */
const MOST_BYTES = 128 << 20;
const BYTES_AFTER = 16 << 10;

/** Limits the memory for stored answers: a service may answer thousands of requests with megabytes each. */
export class Memory {
  private bytes = 0;

  /** The exchange that the session keeps, once it was judged. */
  kept(exchange: Exchange): Exchange {
    const { outcome } = exchange;
    if ('failed' in outcome) return exchange;
    this.bytes += outcome.body.length;
    if (this.bytes <= MOST_BYTES || outcome.body.length <= BYTES_AFTER) return exchange;
    // A part of a buffer would keep all of it.
    return { ...exchange, outcome: { ...outcome, body: Buffer.from(outcome.body.subarray(0, BYTES_AFTER)) } };
  }
}

import type { EventStream } from './event-stream.ts';
import type { Exchange, NoAnswer, Request } from './exchange.ts';

/** The implementation that is tested: where requests go. */
export interface Target {
  send(request: Request): Promise<Exchange>;
  /** How many requests have been sent. */
  readonly sent: number;
  /** Why the service is given up, as a sentence; null while it answers. From then on nothing is sent any more. */
  readonly gone: string | null;
  /** A sentence where the latest requests were not answered, for a run that ends with them; null where they were. */
  readonly silence: string | null;
  /** Why no connection can be made; null where one can. Nothing is sent. */
  reach(): Promise<NoAnswer | null>;
  /** Sends requests at the same time, so that they meet in the service as closely as they can. */
  race(requests: readonly Request[]): Promise<Exchange[]>;
  /** Opens a stream of events; gives the exchange where the answer is none. */
  follow(request: Request): Promise<EventStream | Exchange>;
}

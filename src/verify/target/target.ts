import type { EventStream } from './event-stream.ts';
import type { Exchange, NoAnswer, Request } from './exchange.ts';

/** The implementation that is tested: where requests go. */
export interface Target {
  send(request: Request): Promise<Exchange>;
  /** The number of requests that were sent. */
  readonly sent: number;
  /** A sentence with the reason why no further requests are sent; null while the service answers. */
  readonly gone: string | null;
  /** A sentence if the latest requests were not answered, for a run that ends with them; otherwise null. */
  readonly silence: string | null;
  /** Why no connection can be made; null where one can. Nothing is sent. */
  reach(): Promise<NoAnswer | null>;
  /** Sends requests at the same time, so that they meet in the service as closely as they can. */
  race(requests: readonly Request[]): Promise<Exchange[]>;
  /** Opens a stream of events. Returns the exchange if the answer is not a stream. */
  follow(request: Request): Promise<EventStream | Exchange>;
}

import type { Condition } from '../../plan/conditions.ts';
import type { Answer, Handled, Incoming } from './message.ts';

/** The interface by which the HTTP server gets its answers. */
export interface Answerer {
  /** The longest time-out of an endpoint, in milliseconds; null where some endpoint has none. */
  readonly timeout: number | null;
  /** How long the head of a request may be, in bytes. */
  readonly headSize: number;
  /** True once the service is stopping: requests that still come are refused. */
  draining: boolean;
  /** Answers one request. Never throws or rejects; returns a promise only where something must be waited for. */
  handle(incoming: Incoming): Handled | Promise<Handled>;
  /**
   * Returns the document's answer to input that is not a valid request, such as malformed HTTP; null where HTTP's own
   * answer applies.
   */
  wire(condition: Condition): Answer | null;
  /** Returns the time of the store's clock, in milliseconds since the epoch. */
  now(): number;
  /** Called once all requests of a turn of the event loop have begun. */
  begun(): void;
}

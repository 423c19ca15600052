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
  /** Answers one request. Never throws or rejects; gives a promise only where something has to be waited for. */
  handle(incoming: Incoming): Handled | Promise<Handled>;
  /** The answer to what is no request yet, such as malformed HTTP; null where HTTP's own is given. */
  wire(condition: Condition): Answer | null;
  /** Milliseconds since the epoch, as the store has them. */
  now(): number;
  /** Told once all requests of a turn of the event loop have been begun. */
  begun(): void;
}

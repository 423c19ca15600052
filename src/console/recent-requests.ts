import type { AnsweredRequest } from '../runtime/http/server.ts';

/** An answered request, without any value of it. */
export interface RecentRequest {
  readonly id: string;
  /** When it was answered, in milliseconds since the epoch. */
  readonly at: number;
  readonly method: string;
  /** The name of its endpoint; null where it came to none. */
  readonly endpoint: string | null;
  readonly status: number;
  readonly code: string | null;
  /** The row that called, as `Resource/identity`; null where none did. */
  readonly caller: string | null;
  readonly milliseconds: number;
  readonly bytes: number;
}

/** How many requests are kept. */
const KEPT = 1000;

/** The last answered requests, in memory. */
export class RecentRequests {
  private readonly ring: RecentRequest[] = [];
  private next = 0;

  /** Notes an answered request, in the place of the oldest one. */
  readonly note = ({ id, method, handled, seconds, bytes }: AnsweredRequest): void => {
    const { endpoint, answer, caller } = handled;
    this.ring[this.next] = {
      id,
      at: Date.now(),
      // A method of no endpoint may be any text of the client.
      method: endpoint === null ? method.slice(0, 20) : method,
      endpoint,
      status: answer.status,
      code: answer.code ?? null,
      caller: caller ?? null,
      milliseconds: seconds * 1000,
      bytes,
    };
    this.next = (this.next + 1) % KEPT;
  };

  /** The kept requests, newest first. */
  newest(): RecentRequest[] {
    const { ring, next } = this;
    return [...ring.slice(next), ...ring.slice(0, next)].reverse();
  }
}

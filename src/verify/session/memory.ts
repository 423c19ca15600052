import type { Exchange } from '../target/exchange.ts';

/** How many bytes of bodies a session keeps whole, and how many of each body after them. */
const MOST_BYTES = 128 << 20;
const BYTES_AFTER = 16 << 10;

/** Bounds what is kept of answers: a service may answer each of thousands of requests with megabytes. */
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

import type { Exchange } from '../target/exchange.ts';

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

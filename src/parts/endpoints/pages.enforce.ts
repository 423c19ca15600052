import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Value } from '../../expression/value.ts';
import type { Exchange } from '../../serve/exchange.ts';

const MAC_BYTES = 16;

/**
 * Cursors: where the page before ended, authenticated, and bound to the endpoint, caller, filters, order and version
 * that they were made for. Any other is refused.
 */
export class Cursors {
  private readonly secret: Buffer;

  constructor(secret: Buffer) {
    this.secret = secret;
  }

  seal(x: Exchange, order: string, position: readonly Value[]): string {
    const payload = Buffer.from(JSON.stringify(position));
    return Buffer.concat([this.mac(x, order, payload), payload]).toString('base64url');
  }

  /** The position that a cursor stands for; null where it isn't one of ours for this request. */
  open(x: Exchange, order: string, cursor: string): Value[] | null {
    if (!/^[A-Za-z0-9_-]{24,2000}$/.test(cursor)) return null;
    const bytes = Buffer.from(cursor, 'base64url');
    const payload = bytes.subarray(MAC_BYTES);
    if (!timingSafeEqual(bytes.subarray(0, MAC_BYTES), this.mac(x, order, payload))) return null;
    if (bytes.toString('base64url') !== cursor) return null;
    return JSON.parse(payload.toString()) as Value[];
  }

  private mac(x: Exchange, order: string, payload: Buffer): Buffer {
    const { query, header, request } = x.frame;
    const bound = JSON.stringify([
      x.endpoint,
      x.segments,
      x.callerKey,
      query,
      header,
      request,
      order,
      x.speech.version,
    ]);
    return createHmac('sha256', this.secret).update(bound).update('\0').update(payload).digest().subarray(0, MAC_BYTES);
  }
}

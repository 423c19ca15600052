import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { problem } from './problems.ts';

/** A place in a list: the values of its sort keys in the last row of a page. */
export type Place = ReadonlyArray<string | number | null>;

export interface PageOf<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

const STANDARD = 25;
const MOST = 100;
const MAC_BYTES = 16;

/** How many rows a list of all rows holds at most. */
export const WHOLE_LIST = 500;

/** Lists in pages, whose cursors belong to one caller, endpoint and filter. */
export class Pages {
  private readonly secret: Buffer;

  constructor(secret: Buffer) {
    this.secret = secret;
  }

  /** A page of the rows that `read` gives from a place on. */
  page<T>(
    request: FastifyRequest,
    read: (after: Place | null, count: number) => T[],
    placeOf: (row: T) => Place,
  ): PageOf<T> {
    const { limit = String(STANDARD), cursor, ...filters } = request.query as Record<string, unknown>;
    if (typeof limit !== 'string' || !/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > MOST)
      throw problem('page_refused');
    const bound = JSON.stringify([request.member.id, request.routeOptions.url, Object.entries(filters).sort()]);
    const after = cursor === undefined ? null : this.open(bound, cursor);
    const items = read(after, Number(limit) + 1);
    if (items.length <= Number(limit)) return { items, next: null };
    items.pop();
    return { items, next: this.seal(bound, placeOf(items.at(-1)!)) };
  }

  private seal(bound: string, place: Place): string {
    const text = JSON.stringify(place);
    return Buffer.concat([this.mac(bound, text), Buffer.from(text)]).toString('base64url');
  }

  private open(bound: string, cursor: unknown): Place {
    if (typeof cursor !== 'string') throw problem('page_refused');
    const bytes = Buffer.from(cursor, 'base64url');
    const text = bytes.subarray(MAC_BYTES).toString();
    if (bytes.length <= MAC_BYTES || !timingSafeEqual(this.mac(bound, text), bytes.subarray(0, MAC_BYTES)))
      throw problem('page_refused');
    return JSON.parse(text) as Place;
  }

  private mac(bound: string, text: string): Buffer {
    return createHmac('sha256', this.secret).update(bound).update('\0').update(text).digest().subarray(0, MAC_BYTES);
  }
}

import type { Said } from '../../source/read.ts';
import type { Span } from '../../source/span.ts';

/** What a rate counts for each of: a caller, an address, or an address for the requests that have no caller. */
export type RatePer = 'caller' | 'address' | 'nobody';

/** So many requests in a window of time, for each of something. */
export interface Rate {
  readonly count: number;
  readonly milliseconds: number;
  readonly per: RatePer;
  readonly span: Span;
}

export interface PageSize {
  readonly standard: number;
  readonly most: number;
}

/** Pages by cursor: the parameters, and the members of the payload with what each holds. */
export interface Pages {
  readonly limit: string;
  readonly cursor: string;
  readonly payload: readonly { readonly name: string; readonly value: 'items' | 'next' }[];
}

export interface Limits {
  readonly rates: readonly Rate[];
  /** Bytes of a request's body. */
  readonly requestSize: Said<number> | null;
  /** Milliseconds. */
  readonly timeout: Said<number> | null;
  readonly pageSize: Said<PageSize> | null;
  readonly rateHeaders: Said<{ readonly rateLimit: boolean; readonly retryAfter: boolean }> | null;
  readonly pages: Said<Pages> | null;
}

import type { Beyond, PageSize, Pages, RatePer } from '../../plan/limits.ts';
import type { Located, Name } from '../../syntax/names.ts';
import type { Span } from '../../syntax/span.ts';

/** An endpoint, or every endpoint at or below a path. */
export interface Target {
  readonly kind: 'endpoint' | 'below';
  readonly name: Name;
}

/** So many requests in a window of time, for each of something. */
export interface Rate {
  readonly count: number;
  readonly milliseconds: number;
  readonly per: RatePer;
  /** Where it counts; empty for every endpoint. */
  readonly at: readonly Target[];
  readonly span: Span;
}

/** How many rows a list of all has at most, and what becomes of a longer one. */
export interface WholeList {
  readonly most: number;
  readonly beyond: Beyond;
}

/** A limit of some endpoints, which stands before the one of every endpoint. */
export type OwnLimit = {
  readonly at: readonly Target[];
  readonly span: Span;
} & (
  | { readonly limit: 'Request size' | 'Time-out'; readonly value: number }
  | { readonly limit: 'Page size'; readonly value: PageSize }
  | { readonly limit: 'Whole list'; readonly value: WholeList }
);

export type LimitName = OwnLimit['limit'];

/** Where it is stated that requests without a caller are not counted; no targets for every endpoint. */
export interface Uncounted {
  readonly at: readonly Target[];
  readonly span: Span;
}

export interface Limits {
  readonly rates: readonly Rate[];
  readonly uncounted: readonly Uncounted[];
  /** Bytes of a request's body. */
  readonly requestSize: Located<number> | null;
  /** Milliseconds. */
  readonly timeout: Located<number> | null;
  readonly pageSize: Located<PageSize> | null;
  readonly wholeList: Located<WholeList> | null;
  readonly own: readonly OwnLimit[];
  readonly rateHeaders: Located<{ readonly rateLimit: boolean; readonly retryAfter: boolean }> | null;
  readonly pages: Located<Pages> | null;
}

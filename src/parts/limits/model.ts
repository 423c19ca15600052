import type { Name, Said } from '../../source/read.ts';
import type { Span } from '../../source/span.ts';

/** An endpoint, or every endpoint at or below a path. */
export interface Target {
  readonly kind: 'endpoint' | 'below';
  readonly name: Name;
}

/** What a rate counts for each of: a caller, an address, or an address for the requests that have no caller. */
export type RatePer = 'caller' | 'address' | 'nobody';

/** So many requests in a window of time, for each of something. */
export interface Rate {
  readonly count: number;
  readonly milliseconds: number;
  readonly per: RatePer;
  /** Where it counts; empty for every endpoint. */
  readonly at: readonly Target[];
  readonly span: Span;
}

/** How many items a page has unless asked otherwise, how many it has at most, and what becomes of a wish for more. */
export interface PageSize {
  readonly standard: number;
  readonly most: number;
  readonly beyond: Beyond;
}

/** How many rows a list of all has at most, and what becomes of a longer one. */
export interface WholeList {
  readonly most: number;
  readonly beyond: Beyond;
}

export type Beyond = 'refused' | 'left out';

/** What a page begins with: what stands after a cursor, so many rows on, the page of that number, or after a row. */
export type PageKind = 'cursor' | 'offset' | 'number' | 'identity';

/** What a page tells of itself. */
export type PageValue = 'items' | 'next' | 'previous' | 'more' | 'total' | 'size' | 'offset' | 'number' | 'pages';

/** The relations of a Link to other pages of the list (RFC 8288; RFC 5005). */
export type Relation = 'first' | 'prev' | 'next' | 'last';

/** The form of pages: two parameters, what the payload tells, and the relations that the header Link has. */
export interface Pages {
  readonly by: PageKind;
  /** The parameter with the size of a page. */
  readonly limit: string;
  /** The parameter with its place. */
  readonly place: string;
  readonly link: readonly Relation[];
  /** Null where the payload is the items alone. */
  readonly payload: readonly { readonly name: string; readonly value: PageValue }[] | null;
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
  readonly requestSize: Said<number> | null;
  /** Milliseconds. */
  readonly timeout: Said<number> | null;
  readonly pageSize: Said<PageSize> | null;
  readonly wholeList: Said<WholeList> | null;
  readonly own: readonly OwnLimit[];
  readonly rateHeaders: Said<{ readonly rateLimit: boolean; readonly retryAfter: boolean }> | null;
  readonly pages: Said<Pages> | null;
}

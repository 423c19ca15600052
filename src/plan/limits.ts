/** What a rate counts for each of: a caller, an address, or an address for the requests that have no caller. */
export type RatePer = 'caller' | 'address' | 'nobody';

/** How many items a page has unless asked otherwise, how many it has at most, and what becomes of a wish for more. */
export interface PageSize {
  readonly standard: number;
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

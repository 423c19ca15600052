/**
 * The unit of a rate’s counts: a caller, an address, an address for requests without a caller, a row that callers refer
 * to, or a caller that refers to no such row.
 */
export type RatePer = 'caller' | 'address' | 'nobody' | 'row' | 'rowless';

/** Whether a rate counts requests because of their callers. */
export const isOfCallers = (per: RatePer): boolean => per !== 'address' && per !== 'nobody';

/** The unit of a rate’s counts in words, after “each”. `row`: the path of the row. */
export function unitText(per: RatePer, row: string, everyone = false): string {
  if (per === 'row') return row;
  if (per === 'rowless') return `caller without ${row}`;
  return per === 'nobody' && !everyone ? 'address without a caller' : per === 'caller' ? per : 'address';
}

/** The default and the largest number of items on a page, and the treatment of requests for more. */
export interface PageSize {
  readonly standard: number;
  readonly most: number;
  readonly beyond: Beyond;
}

export type Beyond = 'refused' | 'left out';

/** The start of a page: a cursor, an offset, a page number, or the identity of the row before it. */
export type PageKind = 'cursor' | 'offset' | 'number' | 'identity';

/** The relations of a Link to other pages of the list (RFC 8288; RFC 5005). */
export type Relation = 'first' | 'prev' | 'next' | 'last';

/** The facts about a page that its payload can state. */
export type PageValue =
  | 'items'
  | 'next'
  | 'previous'
  | 'more'
  | 'total'
  | 'size'
  | 'offset'
  | 'number'
  | 'pages'
  | `links.${Relation}`;

/** The relation of a link in a payload; null for any other fact about a page. */
export const relationOf = (value: PageValue): Relation | null =>
  value.startsWith('links.') ? (value.slice('links.'.length) as Relation) : null;

/** Whether a page can lack a fact: there may be no page before it or after it. */
export const canBeMissing = (value: PageValue): boolean =>
  value === 'next' || value === 'previous' || relationOf(value) !== null;

/** Whether pages have a link to the next page, in the header Link or in the payload. */
export const linksNext = ({ link, payload }: Pages): boolean =>
  link.includes('next') || (payload?.some(({ value }) => value === 'links.next') ?? false);

/** The form of pages: two parameters, the members of the payload, and the relations in the header Link. */
export interface Pages {
  readonly by: PageKind;
  /** The parameter with the size of a page. */
  readonly limit: string;
  /** The parameter with the place of a page. */
  readonly place: string;
  readonly link: readonly Relation[];
  /** Null where the payload is only the array of items. */
  readonly payload: readonly { readonly name: string; readonly value: PageValue }[] | null;
}

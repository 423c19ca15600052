import type { Value } from '../../expression/values/value.ts';
import { objectWriter } from '../../http/nested-json.ts';
import type { PagePlan } from '../../plan/step.ts';
import type { Program } from '../../store/store.ts';
import type { RequestContext, RequestedPage } from '../context/request-context.ts';
import type { View } from '../resources/shown.ts';
import type { ListPage, StepRun } from './steps/context.ts';

type PageValue = NonNullable<PagePlan['payload']>[number]['value'];

/** Compiles the writer of a page as JSON: its items alone, or an envelope with the members that the document names. */
export function compilePage(
  slot: number,
  view: View,
  page: PagePlan,
  missing: 'null' | null,
): (run: StepRun) => Program<string> {
  const { payload } = page;
  const write = objectWriter(
    (payload ?? []).map(({ name }, i) => ({ name, write: (texts: readonly (string | null)[]) => texts[i]! })),
  );
  return function* answer({ x, work: { frame }, extras, page: taken }) {
    let items = '';
    for (const [i, row] of taken!.rows.entries())
      items += (items && ',') + view.written(row, extras[slot]?.[i] ?? [], frame, x.apiVersion);
    if (!payload) return `[${items}]`;
    return write(
      payload.map(({ value }) => (value === 'items' ? `[${items}]` : told(value, x.page!, page, taken!)) ?? missing),
    );
  };
}

/** Returns a member of a page's envelope, as JSON; null where it has no value. */
function told(
  value: Exclude<PageValue, 'items'>,
  asked: RequestedPage,
  page: PagePlan,
  { next, total }: ListPage,
): string | null {
  const json = (one: Value): string | null => (one === null ? null : JSON.stringify(one));
  switch (value) {
    case 'next':
      return json(next);
    case 'previous':
      return json(before(asked, page, total!));
    case 'more':
      return json(next !== null);
    case 'total':
      return json(total);
    case 'size':
      return json(asked.limit);
    case 'offset':
      return json(asked.offset);
    case 'number':
      return json(asked.number);
    case 'pages':
      return json(Math.ceil(total! / asked.limit));
  }
}

/**
 * Returns the page parameter of the previous page: its number or its offset. The page before one past the end is the
 * last page.
 */
export function before({ limit, offset, number }: RequestedPage, { by }: PagePlan, total: number): number | null {
  if (offset === 0) return null;
  const pages = Math.max(1, Math.ceil(total / limit));
  if (by === 'number') return Math.min(number - 1, pages);
  return offset >= total ? (pages - 1) * limit : Math.max(0, offset - limit);
}

/**
 * Returns the value of the header Link (RFC 8288): the other pages by their relations, each with the other parameters
 * of the query. A target is absolute where the service's URL is known; otherwise it is a relative reference with a
 * query alone. Null where there is no other page.
 */
export function linkTo(x: RequestContext, page: PagePlan, taken: ListPage, url: string | null): string | null {
  const places = placesOf(x, page, taken);
  const base = url === null ? '' : url + escaped(x.incoming.path);
  const links = page.link.flatMap((relation) => {
    const place = places[relation];
    return place === undefined ? [] : [`<${base}${queryWith(x, page, place)}>; rel="${relation}"`];
  });
  return links.length ? links.join(', ') : null;
}

/** Returns the page parameter for each link relation; null means no page parameter, undefined no link. */
function placesOf(x: RequestContext, page: PagePlan, taken: ListPage): Record<string, string | null | undefined> {
  const { limit, place, offset, number } = x.page!;
  const next = taken.next === null ? undefined : String(taken.next);
  if (page.by === 'cursor' || page.by === 'identity') return { first: place === null ? undefined : null, next };
  const pages = Math.max(1, Math.ceil((taken.total ?? 0) / limit));
  const [here, start, end] = page.by === 'number' ? [number, 1, pages] : [offset, 0, (pages - 1) * limit];
  const isPast = here > start && offset >= (taken.total ?? 0);
  const prev = here > start && taken.total !== null ? before(x.page!, page, taken.total) : null;
  return {
    first: here > start ? String(start) : undefined,
    prev: prev === null ? undefined : String(prev),
    next,
    last: end > here || isPast ? String(end) : undefined,
  };
}

/** Returns the query as sent, with another page parameter. */
function queryWith(x: RequestContext, page: PagePlan, place: string | null): string {
  const pairs = x.parameters.filter(([name]) => name !== page.place);
  if (place !== null) {
    const at = x.parameters.findIndex(([name]) => name === page.place);
    pairs.splice(at < 0 ? pairs.length : at, 0, [page.place, place]);
  }
  if (pairs.length === 0) return x.incoming.query === null ? '' : '?';
  return `?${pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')}`;
}

/** Returns a path as sent, with characters percent-encoded that a URI in a header can't hold. */
function escaped(path: string): string {
  const hex = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  return path.replace(/[^\x21-\x7e]|["<>\\^`{|}]/g, hex);
}

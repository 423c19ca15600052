import type { PagePlan } from '../../plan/step.ts';
import type { RequestContext } from '../context/request-context.ts';
import { before } from './page.ts';
import type { ListPage } from './steps/context.ts';

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

import { type Result, unwrap } from './result.ts';

/** Iterates over pages: `next` returns the changed parameters of the query for the next page. */
export async function* eachPage<Page, Query extends object>(
  first: Query,
  list: (query: Query) => Promise<Result<Page>>,
  next: (page: Page, query: Query, headers: Headers) => Partial<Query> | undefined,
): AsyncGenerator<Page, void, undefined> {
  for (let query = first; ; ) {
    const result = await list(query);
    const page = unwrap(result);
    yield page;
    const place = next(page, query, result.headers);
    if (place === undefined) return;
    query = { ...query, ...place };
  }
}

// #if links
/** The place of the next page in the header Link (RFC 8288), by the name of its parameter. */
export function nextLink(headers: Headers, parameter: string): string | undefined {
  for (const [, target = '', rest = ''] of (headers.get('Link') ?? '').matchAll(/<([^>]*)>([^<]*)/g))
    if (/;\s*rel="?next"?\s*(?:[;,]|$)/i.test(rest))
      return new URLSearchParams(target.replace(/^[^?]*/, '')).get(parameter) ?? undefined;
  return undefined;
}
// #end

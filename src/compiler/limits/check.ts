import { isOfCallers, linksNext, type PageKind, type Pages, relationOf } from '../../plan/limits.ts';
import type { Located } from '../../syntax/names.ts';
import { hasNoCallers } from '../document/access.ts';
import type { Effective } from '../document/effective.ts';
import { isPaged, pagesOf } from '../document/pages.ts';
import { identityOf, type Resolved } from '../document/resolve.ts';
import { checkInForce } from './check-effective-limits.ts';
import { limitsDiagnostics as d } from './messages.ts';

/** Checks limits against what they limit: pages against lists, rates against callers. */
export function checkLimits(r: Resolved): void {
  const { limits } = r.model;
  const { findings } = r.notes;
  checkPages(r);
  checkInForce(r);
  if (limits.rates.length && !limits.rateHeaders) findings.push(d.report.rateHeaders(null));
  const headers = limits.rateHeaders;
  if (!limits.rates.length && headers && (headers.value.rateLimit || headers.value.retryAfter))
    findings.push(d.report.rateHeadersUnused(headers));
  const callers = limits.rates.find((rate) => isOfCallers(rate.per));
  if (callers && hasNoCallers(r)) findings.push(d.report.callerRate(callers.span));
}

/** Checks the form of pages: stated once for every list in pages, and such that a client can reach every page. */
function checkPages(r: Resolved): void {
  const { limits } = r.model;
  const { findings } = r.notes;
  const paged = r.effective.filter(isPaged);
  if (paged.length && !limits.pages && paged.some((one) => !one.settings.pages)) {
    const open = paged.filter((one) => !one.settings.pages).map((one) => one.endpoint.name);
    findings.push(d.report.pages(null, {}, open));
  }
  if (limits.pages && !paged.some((one) => !one.settings.pages)) findings.push(d.report.pagesUnused(limits.pages));
  if (limits.pages) checkForm(r, limits.pages);
  for (const one of r.effective) {
    const own = one.settings.pages;
    if (!own) continue;
    if (!isPaged(one)) findings.push(d.report.pagesUnused(own));
    else if (limits.pages && plain(own.value) === plain(limits.pages.value)) findings.push(d.report.pagesRepeated(own));
    checkForm(r, own);
  }
  for (const one of paged) checkIdentity(r, one);
  for (const one of paged) {
    const { endpoint } = one;
    const params = { endpoint: endpoint.name };
    const pages = pagesOf(r, one)?.value;
    if (endpoint.method === 'QUERY' && (pages?.link.length || pages?.payload?.some(({ value }) => relationOf(value))))
      findings.push(d.report.linksOfQuery(endpoint.span, params, [endpoint.name]));
  }
}

const plain = (value: Pages): string => JSON.stringify(value);

function checkForm(r: Resolved, pages: Located<Pages>): void {
  const { findings } = r.notes;
  const { by, limit, place, link, payload } = pages.value;
  if (limit === place) findings.push(d.report.pageNames(pages, { name: limit }));
  else if (saysPlace(limit) || saysSize(place))
    findings.push(d.report.pageNamesSwapped(pages, { by, limit, place, what: PLACE_WORDS[by] }));
  const values = payload?.map((member) => member.value) ?? ['items'];
  const names = payload?.map((member) => member.name) ?? [];
  const repeated = [values, names, link].some((all: readonly string[]) => new Set(all).size < all.length);
  if (repeated || !values.includes('items')) findings.push(d.report.pagePayload(pages));
  if (by === 'cursor' && !values.includes('next') && !linksNext(pages.value)) findings.push(d.report.noWayOn(pages));
}

/** The content of the second parameter of each kind of pages. */
const PLACE_WORDS: Readonly<Record<PageKind, string>> = {
  cursor: 'the cursor',
  offset: 'the number of rows before the page',
  number: 'the number of the page',
  identity: 'the identity of the last row of the page before',
};

/** Names that parameters for the size of a page usually have, in lower case without marks between words. */
const SIZES: ReadonlySet<string> = new Set([
  ...['limit', 'size', 'pagesize', 'pagelimit', 'perpage', 'maxresults', 'maxitems', 'maxpagesize', 'top', 'take'],
  ...['count', 'pagecount', 'itemsperpage', 'max', 'batchsize'],
]);
/** Names that parameters for the place of a page usually have. */
const PLACES: ReadonlySet<string> = new Set([
  ...[
    'cursor',
    'pagecursor',
    'nextcursor',
    'offset',
    'pageoffset',
    'skip',
    'page',
    'pagenumber',
    'pageno',
    'pagetoken',
  ],
  ...['nextpagetoken', 'nexttoken', 'continuationtoken', 'token', 'after', 'startingafter', 'startafter', 'startindex'],
  ...['start', 'marker', 'bookmark', 'pageindex', 'from'],
]);

const saysSize = (name: string): boolean => SIZES.has(plainName(name));
const saysPlace = (name: string): boolean => PLACES.has(plainName(name));
const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Pages that begin after a row need a resource whose rows one field identifies. */
function checkIdentity(r: Resolved, one: Effective): void {
  const pages = pagesOf(r, one);
  if (pages?.value.by !== 'identity') return;
  for (const step of one.every) {
    const resource = step.verb === 'List' && step.bound === 'pages' ? r.resourceNamed(step.resource.text) : undefined;
    if (resource && !identityOf(resource))
      r.notes.findings.push(d.report.pageIdentity(step.span, { resource: resource.name.text }));
  }
}

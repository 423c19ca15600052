import type { Resolved } from '../../model/resolve.ts';
import { everyStep } from '../endpoints/model.ts';
import { limitsDiagnostics as d } from './diagnostics.ts';

/** Checks limits against what they limit: pages against lists, rates against callers. */
export function checkLimits(r: Resolved): void {
  const { limits, endpoints, authentication } = r.model;
  const { findings } = r.notes;
  const paged = endpoints.list
    .flatMap((endpoint) => [...everyStep(endpoint.steps)])
    .some((step) => step.verb === 'List');
  if (paged && !limits.pages) findings.push(d.report.pages(null));
  if (!paged && limits.pages) findings.push(d.report.pagesUnused(limits.pages));
  if (!paged && limits.pageSize) findings.push(d.report.pageSizeUnused(limits.pageSize));
  if (limits.rates.length && !limits.rateHeaders) findings.push(d.report.rateHeaders(null));
  const headers = limits.rateHeaders;
  if (!limits.rates.length && headers && (headers.value.rateLimit || headers.value.retryAfter))
    findings.push(d.report.rateHeadersUnused(headers));
  const pages = limits.pages?.value;
  if (limits.pages && pages && pages.limit === pages.cursor)
    findings.push(d.report.pageNames(limits.pages, { name: pages.limit }));
  const callers = limits.rates.find((rate) => rate.per === 'caller');
  if (callers && (authentication.none || authentication.schemes.length === 0))
    findings.push(d.report.callerRate(callers.span));
}

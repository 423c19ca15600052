import { hasNoCallers } from '../document/access.ts';
import type { Resolved } from '../document/resolve.ts';
import { checkInForce } from './check-effective-limits.ts';
import { checkPages } from './check-pages.ts';
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
  const callers = limits.rates.find((rate) => rate.per === 'caller');
  if (callers && hasNoCallers(r)) findings.push(d.report.callerRate(callers.span));
}

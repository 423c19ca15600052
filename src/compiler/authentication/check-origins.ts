import { BROWSER_ORIGINS, type Origins } from '../../language/authentication.ts';
import { isSame } from '../../language/statement.ts';
import { language } from '../../syntax/messages.ts';
import type { Located } from '../../syntax/names.ts';
import { isPaged, pagesOf } from '../document/pages.ts';
import type { Resolved } from '../document/resolve.ts';
import { statesNoCallers } from '../endpoints/check/settings.ts';
import type { Authentication } from '../statements/authentication.ts';
import { authenticationDiagnostics as d } from './messages.ts';

/** The `Browser origins` statement: the one above the schemes, or else the first in a scheme. */
export function originsOf({ origins, schemes }: Authentication): Located<Origins | 'none'> | null {
  return origins ?? schemes.find((scheme) => scheme.origins)?.origins ?? null;
}

/**
 * Checks that the document states `Browser origins` once for all schemes: a preflight request does not say which
 * credentials the browser will send.
 */
export function checkOrigins(r: Resolved): void {
  const { findings } = r.notes;
  const { origins, schemes } = r.model.authentication;
  const stated = [origins, ...schemes.map((scheme) => scheme.origins)].filter((one) => one !== null);
  for (const again of origins ? stated.slice(1) : [])
    findings.push(language.report.twice(again, { what: '“Browser origins”' }));
  for (const scheme of schemes)
    if (!origins && !scheme.origins) findings.push(d.report.origins(scheme.span, { scheme: scheme.name }));
  // A service without callers needs the statement too. If the schemes are left open, they are the first question.
  if (statesNoCallers(r) && !origins && r.effective.length) findings.push(d.report.origins(null));
  const [first, ...others] = origins ? [] : stated;
  for (const other of others)
    if (first && !isSame(BROWSER_ORIGINS, other.value, first.value)) findings.push(d.report.originsDiffer(other));
  const value = originsOf(r.model.authentication)?.value;
  if (!value || value === 'none' || r.effective.length === 0) return;
  const sent = r.once(headersOfAnswers);
  for (const name of value.shown)
    if (!sent.has(name.text)) findings.push(d.report.originsShown(name, { name: name.text }));
}

/** The headers that answers may carry, without those that every script may read (CORS-safelisted headers). */
function headersOfAnswers(r: Resolved): ReadonlySet<string> {
  const { authentication, limits, versioning } = r.model;
  const out = new Set<string>(['Allow']);
  if (authentication.schemes.length) out.add('WWW-Authenticate');
  const rates = limits.rateHeaders?.value;
  if (rates?.rateLimit) out.add('RateLimit').add('RateLimit-Policy');
  if (rates?.retryAfter) out.add('Retry-After');
  const versions = versioning.policy?.value;
  if (versions?.deprecation) out.add('Deprecation');
  if (versions?.sunset) out.add('Sunset');
  if (r.effective.some((one) => isPaged(one) && pagesOf(r, one)?.value.link.length)) out.add('Link');
  for (const { steps, settings } of r.effective) {
    const { idempotency } = settings;
    if (idempotency && idempotency.value !== 'none' && idempotency.value.replayed)
      out.add(idempotency.value.replayed.name);
    if (settings.deprecated?.value.deprecation) out.add('Deprecation');
    if (settings.deprecated?.value.sunset) out.add('Sunset');
    if (settings.conditional && settings.conditional.value !== 'none') out.add('ETag');
    for (const step of steps) {
      if (step.verb !== 'Answer') continue;
      for (const one of step.headers) out.add(one.field.text);
      if (step.form?.kind !== 'file') continue;
      out.add('Content-Disposition');
      if (step.form.ranges === 'served') out.add('Accept-Ranges').add('Content-Range');
    }
  }
  return out;
}

import type { Resolved } from '../../model/resolve.ts';
import type { PagePlan, RatePlan } from '../../plan/step.ts';

/** The rates, each with the headers that tell of it. */
export function planRates(r: Resolved): RatePlan[] {
  const headers = r.model.limits.rateHeaders?.value ?? { rateLimit: false, retryAfter: false };
  return r.model.limits.rates.map(({ per, count, milliseconds }) => ({ per, count, milliseconds, headers }));
}

/** The form and size of pages. */
export function planPage(r: Resolved): PagePlan {
  return { ...r.model.limits.pages!.value, ...r.model.limits.pageSize!.value };
}

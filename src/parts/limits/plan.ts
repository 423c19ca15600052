import type { Resolved } from '../../model/resolve.ts';
import type { PagePlan, RatePlan, WholeListPlan } from '../../plan/step.ts';
import type { Effective } from '../endpoints/effective.ts';
import { planAddress } from '../purpose/plan.ts';
import { nameOf } from './checkinforce.ts';
import { pagesOf } from './checkpages.ts';
import { limitAt } from './inforce.ts';

/** The rates, each with the headers that tell of it. */
export function planRates(r: Resolved): RatePlan[] {
  const headers = r.model.limits.rateHeaders?.value ?? { rateLimit: false, retryAfter: false };
  return r.model.limits.rates.map((rate) => {
    const { per, count, milliseconds, at } = rate;
    return { name: at.length ? `${per} ${nameOf(rate)}` : per, per, count, milliseconds, headers };
  });
}

/** The bound of lists of all. */
export function planWholeList(r: Resolved, one: Effective): WholeListPlan {
  const { most, beyond } = limitAt(r.model, one, 'Whole list')!.value;
  return { most, refused: beyond === 'refused' };
}

/** What can be told only where all rows are counted: before a page past the end stands the last one. */
const COUNTED: readonly string[] = ['total', 'pages', 'last', 'prev', 'previous'];

/** The form and size of an endpoint's pages. */
export function planPage(r: Resolved, one: Effective): PagePlan {
  const pages = pagesOf(r, one)!.value;
  const told = [...pages.link, ...(pages.payload ?? []).map((member) => member.value)];
  const counted = told.some((what) => COUNTED.includes(what));
  const { url, used } = planAddress(r);
  return { ...pages, ...limitAt(r.model, one, 'Page size')!.value, counted, absolute: url !== null || used };
}

/** The longest time-out of an endpoint; null where one has none. */
export function planTimeout(r: Resolved): number | null {
  const all = r.effective.map((one) => limitAt(r.model, one, 'Time-out')?.value ?? null);
  return (
    all.reduce<number | null>((most, one) => (most === null || one === null ? null : Math.max(most, one)), 0) || null
  );
}

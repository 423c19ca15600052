import { show } from '../../expression/tree/expression.ts';
import { type Pages, relationOf } from '../../plan/limits.ts';
import type { PagePlan, RatePlan } from '../../plan/step.ts';
import { showDuration } from '../../text/units.ts';
import type { Effective } from '../document/effective.ts';
import { limitAt, rowOf, settledRates } from '../document/effective-limits.ts';
import type { Resolved } from '../document/resolve.ts';
import { planAddress } from '../purpose/plan.ts';
import { nameOf } from './check-effective-limits.ts';

/** The rates, each with the headers that announce it. */
export function planRates(r: Resolved): RatePlan[] {
  const headers = r.model.limits.rateHeaders?.value ?? { rateLimit: false, retryAfter: false };
  const taken = new Set<string>();
  return settledRates(r).map((rate) => {
    const { per, milliseconds, at } = rate;
    const row = rate.row && rowOf(r, rate.row);
    const count = typeof rate.count === 'number' ? rate.count : r.expr(rate.count)!;
    const unit = row ? `${per === 'rowless' ? 'caller without ' : ''}${show(row)}` : per;
    const own = at.length ? `${unit} ${nameOf(rate)}` : unit;
    // Of several rates for the same requests, all but the first have the name of their window.
    const name = taken.has(own) ? `${own} per ${showDuration(milliseconds).replace(/^1 /, '')}` : own;
    taken.add(name);
    return { name, per, ...(row && { row }), count, milliseconds, headers };
  });
}

/** Values and links of a page that need a count of all rows: `prev` of a page past the end leads to the last page. */
const COUNTED: readonly string[] = ['total', 'pages', 'last', 'prev', 'previous'];

/** The form and size of an endpoint's pages; undefined while no size is stated. */
export function planPage(r: Resolved, one: Effective, pages: Pages): PagePlan | undefined {
  const size = limitAt(r, one, 'Page size')?.value;
  const values = [...pages.link, ...(pages.payload ?? []).map(({ value }) => relationOf(value) ?? value)];
  const counted = values.some((what) => COUNTED.includes(what));
  const { url, used } = planAddress(r);
  return size && { ...pages, ...size, counted, absolute: url !== null || used };
}

/** The longest time-out of an endpoint; null where one has none. */
export function planTimeout(r: Resolved): number | null {
  const all = r.effective.map((one) => limitAt(r, one, 'Time-out')?.value ?? null);
  return (
    all.reduce<number | null>((most, one) => (most === null || one === null ? null : Math.max(most, one)), 0) || null
  );
}

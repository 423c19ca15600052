import type { RatePlan } from '../../plan/step.ts';
import type { Exchange } from '../../serve/exchange.ts';
import type { Store } from '../../store/store.ts';
import type { Errors, Refusal } from '../errors/enforce.ts';

/** Counts requests against the rates, and tells of them in headers. */
export class Rates {
  private readonly plans: readonly RatePlan[];
  private readonly store: Store;
  private readonly errors: Errors;

  constructor(plans: readonly RatePlan[], store: Store, errors: Errors) {
    this.plans = plans;
    this.store = store;
    this.errors = errors;
  }

  /** Counts a request; a refused one doesn't count. */
  take(x: Exchange, rate: number): Refusal | null {
    const plan = this.plans[rate]!;
    if (plan.per === 'caller' && x.holder === null) return null;
    const key = plan.per === 'address' ? x.incoming.address : String(x.holder);
    // Counts are known by what they are of, so that a document that lists its rates otherwise goes on with them.
    const taken = this.store.take(plan.per === 'address' ? 0 : 1, key, plan, x.frame.now);
    x.rates.push({ rate, taken });
    if (taken.allowed) return null;
    const retry = plan.headers.retryAfter ? ['Retry-After', String(taken.resetSeconds)] : [];
    return this.errors.condition('rate exceeded', [], retry);
  }

  /** Adds `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers, section 3) for the rates counted. */
  addHeaders(x: Exchange, headers: string[]): void {
    let policies = '';
    let limits = '';
    for (const { rate, taken } of x.rates) {
      const plan = this.plans[rate]!;
      if (!plan.headers.rateLimit) continue;
      const comma = policies && ', ';
      policies += `${comma}"${plan.per}";q=${plan.count};w=${plan.milliseconds / 1000}`;
      limits += `${comma}"${plan.per}";r=${taken.remaining};t=${taken.resetSeconds}`;
    }
    if (policies) headers.push('RateLimit-Policy', policies, 'RateLimit', limits);
  }
}

import { hash } from 'node:crypto';
import type { RatePer } from '../../plan/limits.ts';
import type { RatePlan } from '../../plan/step.ts';
import type { Store } from '../../store/store.ts';
import type { Refusal } from '../context/refusal.ts';
import type { RateTaken, RequestContext } from '../context/request-context.ts';
import type { Errors } from '../errors/refusal.ts';
import type { Expressions } from '../expressions/layout.ts';
import { networkOf } from '../http/address.ts';
import { Measure, type Measured } from './measure.ts';

/** The kinds of rates, in an order that must never change: stored counts refer to their indexes. */
const COUNTED: readonly RatePer[] = ['address', 'caller', 'nobody'];

/** Returns the number under which a rate's counts are stored; for a rate with another name, a hash of the name. */
function lineOf({ name, per }: RatePlan): number {
  if (name === per) return COUNTED.indexOf(per);
  return COUNTED.length + Number.parseInt(hash('sha256', name).slice(0, 12), 16);
}

interface Window {
  readonly count: number;
  readonly milliseconds: number;
}

/** A quota policy (draft-ietf-httpapi-ratelimit-headers, section 3). */
const policyOf = (name: string, count: number, milliseconds: number): string =>
  `"${name}";q=${count};w=${milliseconds / 1000}`;

/** Counts requests against the rates, and adds the headers that report them. */
export class Rates {
  private readonly plans: readonly RatePlan[];
  private readonly lines: readonly number[];
  /** The constant parts of each rate's headers; null where the rate is not reported. */
  private readonly headers: ReadonlyArray<{ readonly name: string; readonly policy: string | null } | null>;
  /** The windows of rates with a constant number. */
  private readonly fixed: ReadonlyArray<Window | null>;
  /** Compute what depends on the caller; null for a rate without expressions. */
  private readonly measures: ReadonlyArray<Measure | null>;
  private readonly store: Store;
  private readonly errors: Errors;

  /** `expressions`: a compiler whose queries see every row. */
  constructor(plans: readonly RatePlan[], store: Store, errors: Errors, expressions: Expressions) {
    this.plans = plans;
    this.lines = plans.map(lineOf);
    this.headers = plans.map(({ name, count, milliseconds, headers }) => {
      const policy = typeof count === 'number' ? policyOf(name, count, milliseconds) : null;
      return headers.rateLimit ? { name: `"${name}"`, policy } : null;
    });
    this.fixed = plans.map(({ count, milliseconds }) => (typeof count === 'number' ? { count, milliseconds } : null));
    this.measures = plans.map((plan) => Measure.of(plan, expressions));
    this.store = store;
    this.errors = errors;
  }

  /**
   * Wraps authentication: a request with refused credentials counts against the rates for requests without a caller,
   * and a used-up rate comes before the refusal. Guessing credentials is limited like any other request.
   */
  guard(authenticate: (x: RequestContext) => Promise<Refusal | null> | Refusal | null, rates: readonly number[]) {
    const counted = (
      x: RequestContext,
      refusal: Refusal | null,
      from = 0,
    ): Refusal | null | Promise<Refusal | null> => {
      if (!refusal) return null;
      for (let i = from; i < rates.length; i++) {
        const exceeded = this.take(x, rates[i]!);
        if (exceeded instanceof Promise) return exceeded.then((late) => late ?? counted(x, refusal, i + 1));
        if (exceeded) return exceeded;
      }
      return refusal;
    };
    return (x: RequestContext): Refusal | null | Promise<Refusal | null> => {
      const refusal = authenticate(x);
      return refusal instanceof Promise ? refusal.then((late) => counted(x, late)) : counted(x, refusal);
    };
  }

  /**
   * Counts a request; a refused request doesn't count. With `callers`, a rate for requests without a caller counts all.
   */
  take(x: RequestContext, rate: number, callers = false): Refusal | null | Promise<Refusal | null> {
    const plan = this.plans[rate]!;
    if (plan.per !== 'address' && !callers && (x.holder === null) === (plan.per !== 'nobody')) return null;
    const measure = this.measures[rate];
    if (measure) return this.measured(x, rate, measure);
    const key = plan.per === 'caller' ? x.callerKey : networkOf(x.incoming.address);
    return this.count(x, rate, key, this.fixed[rate]!);
  }

  /** Counts a request against a rate whose number or key depends on the caller. */
  private measured(x: RequestContext, rate: number, measure: Measure): Refusal | null | Promise<Refusal | null> {
    const { milliseconds } = this.plans[rate]!;
    const counted = (one: Measured | null): Refusal | null | Promise<Refusal | null> =>
      one && this.count(x, rate, one.key, this.fixed[rate] ?? { count: one.most, milliseconds });
    const found = measure.of(x, (program) => this.store.read(program));
    return found instanceof Promise ? found.then(counted) : counted(found);
  }

  private count(x: RequestContext, rate: number, key: string, of: Window): Refusal | null | Promise<Refusal | null> {
    const before = x.counted.find((one) => one.rate === rate && one.key === key && one.most === of.count);
    if (before?.taken.allowed) return this.told(x, before);
    // Each rate has its own number, so that a document with its rates in another order continues their counts.
    const taken = this.store.take(this.lines[rate]!, key, of, x.frame.now);
    if (taken instanceof Promise) return taken.then((late) => this.told(x, { rate, key, most: of.count, taken: late }));
    return this.told(x, { rate, key, most: of.count, taken });
  }

  private told(x: RequestContext, one: RateTaken): Refusal | null {
    x.rates.push(one);
    const { rate, taken } = one;
    if (taken.allowed) return null;
    const plan = this.plans[rate]!;
    const retry = plan.headers.retryAfter ? ['Retry-After', String(taken.resetSeconds)] : [];
    return this.errors.condition('rate exceeded', [], retry);
  }

  private policyWith(rate: number, most: number): string {
    const { name, milliseconds } = this.plans[rate]!;
    return policyOf(name, most, milliseconds);
  }

  /**
   * Adds `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers, section 3) for the counted rates.
   */
  addHeaders(x: RequestContext, headers: string[]): void {
    let policies = '';
    let limits = '';
    for (const { rate, most, taken } of x.rates) {
      const told = this.headers[rate];
      if (!told) continue;
      const comma = policies && ', ';
      policies += comma + (told.policy ?? this.policyWith(rate, most));
      limits += `${comma + told.name};r=${taken.remaining};t=${taken.resetSeconds}`;
    }
    if (policies) headers.push('RateLimit-Policy', policies, 'RateLimit', limits);
  }
}

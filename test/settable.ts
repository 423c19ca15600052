import { Counters } from '../src/store/counters.ts';
import type { Store } from '../src/store/store.ts';

/**
 * A store that goes by this process's clock, which a test sets: the database's can't be. Rates are then counted as one
 * process counts them; what the database counts is looked at by what runs in real time.
 */
export function settable(store: Store): Store {
  const counters = new Counters();
  const take: Store['take'] = (policy, key, rate, now) =>
    counters.take(policy, key, rate.count, rate.milliseconds, now);
  return Object.assign(store, { now: () => Date.now(), take });
}

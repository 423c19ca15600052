import type { Contract } from '../contract/contract.ts';
import { contractOf } from '../contract/contract-of.ts';
import type { Plan } from '../plan/step.ts';

/** Caches the contracts of plans. */
export class Contracts {
  private readonly made = new WeakMap<Plan, Contract>();

  of(plan: Plan): Contract {
    const known = this.made.get(plan);
    if (known) return known;
    const contract = contractOf(plan);
    this.made.set(plan, contract);
    return contract;
  }
}

/** Removes the trees of expressions, which the page does not read; their text stays. */
export function withoutTrees<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (key, part: unknown) => (key === 'tree' ? undefined : part))) as T;
}

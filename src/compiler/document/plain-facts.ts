import { type ByHand, eachFact, type Facts, type Joined, type PlanFacts } from '../../plan/plain-fact.ts';
import type { Name } from '../../syntax/names.ts';
import { ownMember } from '../../text/own-members.ts';

/** The value of a statement that gives the value `T` of a plan: a name gives its text, and a word for absence null. */
type StatementOf<T> = T extends null ? 'none' | 'forever' : T extends string ? T | Name : T;

type StatedFacts<F extends Facts> = {
  readonly [K in keyof PlanFacts<F>]: { readonly value: StatementOf<PlanFacts<F>[K]> } | null;
};

/**
 * The members of the plan for the facts of a part; undefined while one is not settled. `byHand`: the members for each
 * irregular fact.
 */
export function planFacts<F extends Facts, const H extends ByHand<F, object | undefined>>(
  facts: F,
  said: StatedFacts<F>,
  byHand: H & ByHand<F, object | undefined>,
): (PlanFacts<F> & Joined<NonNullable<H[keyof H]>>) | undefined {
  const members = eachFact<F, object | undefined>(
    facts,
    ({ member }) => {
      const stated = ownMember<{ readonly value: unknown } | null>(said, member);
      return stated ? { [member]: planned(stated.value) } : undefined;
    },
    byHand,
  );
  if (members.includes(undefined)) return undefined;
  return Object.assign({}, ...members) as PlanFacts<F> & Joined<NonNullable<H[keyof H]>>;
}

function planned(value: unknown): unknown {
  if (value === 'none' || value === 'forever') return null;
  return typeof value === 'object' && value !== null && 'text' in value ? value.text : value;
}

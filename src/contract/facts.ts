import {
  type ByHand,
  type ContractFacts,
  eachFact,
  type Facts,
  type Joined,
  type PlanFacts,
} from '../plan/plain-fact.ts';
import { ownMember } from '../text/own-members.ts';

/** The members of the contract for the facts of a part; `byHand`: those of the irregular facts. */
export const contractMembers = <F extends Facts, const H extends ByHand<F, object>>(
  facts: F,
  plan: PlanFacts<F>,
  byHand: H & ByHand<F, object>,
): ContractFacts<F> & Joined<H[keyof H]> =>
  Object.assign(
    {},
    ...eachFact<F, object>(facts, ({ member, contract }) => ({ [contract]: ownMember(plan, member) }), byHand),
  ) as ContractFacts<F> & Joined<H[keyof H]>;

/** The rows in which `contract` prints the facts of a part; `byHand`: those of the irregular facts. */
export const factRows = <F extends Facts>(
  facts: F,
  of: ContractFacts<F>,
  byHand: ByHand<F, readonly string[] | null>,
): string[][] =>
  eachFact<F, readonly string[] | null>(
    facts,
    ({ contract, fact: { form, row } }) => {
      const [noun, words = form.words] = row;
      return [noun, words(ownMember(of, contract))];
    },
    byHand,
  ).flatMap((row) => (row ? [[...row]] : []));

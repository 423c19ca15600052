import { statementId } from '../plan/lines.ts';
import { type ByHand, type ContractFacts, eachFact, type Facts, type Joined } from '../plan/plain-fact.ts';
import { type Compare, on, value } from './compare.ts';
import { VERDICTS } from './difference.ts';

type Comparisons = Readonly<Record<string, Compare<never>>>;
type OfFacts<F extends Facts> = {
  readonly [K in keyof ContractFacts<F>]: Compare<ContractFacts<F>[K]>;
};

/**
 * The comparisons of the contract's members for the facts of a part; `byHand`: those for each irregular fact. Each
 * difference has the line of its fact.
 */
export const factComparisons = <F extends Facts, H extends ByHand<F, Comparisons>>(
  part: string,
  facts: F,
  byHand: H & ByHand<F, Comparisons>,
): OfFacts<F> & Joined<H[keyof H]> => {
  const all = eachFact<F, Comparisons>(
    facts,
    ({ contract, fact: { form, change } }) => {
      const [noun, judge] = change;
      const verdict =
        typeof judge === 'function' ? (old: unknown, next: unknown) => VERDICTS[judge(old, next)] : VERDICTS[judge];
      return { [contract]: value<unknown>(noun, verdict, form.words) };
    },
    byHand,
  );
  const placed = Object.keys(facts).flatMap((member, i) =>
    Object.entries(all[i]!).map(([name, compare]) => [name, on<never>(statementId.part(part, member), compare)]),
  );
  return Object.fromEntries(placed) as OfFacts<F> & Joined<H[keyof H]>;
};

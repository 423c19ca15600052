import type { Contract } from '../../contract/contract.ts';
import type { Plan } from '../../plan/step.ts';
import { anyBase, callersOf } from './bases.ts';
import type { Candidate } from './candidate.ts';
import { changed, situationOf } from './candidates.ts';
import type { Known } from './known.ts';
import { ofFewValues, parameterMutations } from './parameter-mutations.ts';
import type { Random } from './random.ts';

/** The number of other parameter values with which a list is requested. */
const VALUES_OF_LIST = 8;

/**
 * Each list of the current version for each caller, with each value of parameters that have few values, and some values
 * of others.
 */
export function* listsByValue(contract: Contract, known: Known, random: Random, plan: Plan): Generator<Candidate> {
  const [version] = contract.versions;
  for (const endpoint of version?.endpoints ?? []) {
    if (!version || endpoint.writes) continue;
    const situation = situationOf({ contract, version, endpoint, known, random, plan });
    for (const caller of callersOf(situation)) {
      const base = anyBase(situation, caller, 'none');
      const others = parameterMutations(situation, base).filter(
        ({ aspect, valid }) => valid && aspect.startsWith('parameter '),
      );
      for (const one of [...ofFewValues(endpoint), ...random.some(others, VALUES_OF_LIST)])
        yield changed(situation, base, [one]);
    }
  }
}

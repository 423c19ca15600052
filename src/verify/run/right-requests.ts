import { requestsByChance } from '../requests/by-chance.ts';
import type { Candidate } from '../requests/candidate.ts';
import type { Known } from '../requests/known.ts';
import type { Exploration } from './exploration.ts';

/**
 * Yields random valid requests to some endpoints of the current version: up to `most` for each, with the endpoints in
 * random order. `echoed`: some requests repeat values of these rows.
 */
export function* rightRequests(
  { subject: { contract, plan }, random }: Exploration,
  known: Known,
  { most, echoed = null }: { readonly most: number; readonly echoed?: Known | null },
  fits: (endpoint: string) => boolean,
): Generator<Candidate> {
  const [version] = contract.versions;
  for (const endpoint of random.shuffled((version?.endpoints ?? []).filter(({ name }) => fits(name))))
    if (version) yield* requestsByChance({ contract, version, endpoint, known, random, plan }, most, echoed);
}

import { type Expr, parts } from '../../expression/tree/expression.ts';
import { allNested } from '../../plan/nested-steps.ts';
import type { InsideStep, Plan } from '../../plan/step.ts';
import type { Candidate } from '../requests/candidate.ts';
import { requestsByChance } from '../requests/candidates.ts';
import type { Known } from '../requests/known.ts';
import type { Exploration } from './exploration.ts';

const WRITING: ReadonlyArray<InsideStep['do']> = ['create', 'ensure', 'change', 'move', 'move to'];

/** Whether a step makes or changes rows of one of some resources. */
export const isWriting = (step: InsideStep, resources: ReadonlySet<string>): boolean =>
  WRITING.includes(step.do) && 'resource' in step && resources.has(step.resource);

/** The resources of the rows that an expression reads. */
export function resourcesOf(expr: Expr): string[] {
  const own =
    expr.op === 'query' || expr.op === 'rows'
      ? [expr.resource]
      : expr.op === 'get' && expr.of.type.kind === 'row'
        ? [expr.of.type.resource]
        : [];
  return [...own, ...parts(expr).flatMap(resourcesOf)];
}

/** The names of the endpoints that have a step of a kind. */
export function endpointsWith({ endpoints }: Plan, fits: (step: InsideStep) => boolean): ReadonlySet<string> {
  return new Set(endpoints.filter(({ inside }) => [...allNested(inside)].some(fits)).map(({ name }) => name));
}

/** So many right requests to each of some endpoints of the current version, in an order by chance. */
export function* rightRequests(
  { subject: { contract, plan }, random }: Exploration,
  known: Known,
  most: number,
  fits: (endpoint: string) => boolean,
): Generator<Candidate> {
  const [version] = contract.versions;
  for (const endpoint of random.shuffled((version?.endpoints ?? []).filter(({ name }) => fits(name))))
    if (version) yield* requestsByChance({ contract, version, endpoint, known, random, plan }, most);
}

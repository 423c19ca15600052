import type { PreconditionsKind } from '../../../plan/step.ts';
import type { Located } from '../../../syntax/names.ts';
import { branches, type Effective } from '../../document/effective.ts';
import type { Resolved } from '../../document/resolve.ts';
import type { Step } from '../../statements/endpoints.ts';
import { isConditional } from './conditional.ts';

/** The GET endpoint at the path of this endpoint, if its answers have an entity tag; otherwise null. */
export const taggedGet = (r: Resolved, { endpoint }: Effective): Effective | null =>
  r.once(taggedGets).get(addressOf(endpoint.path)) ?? null;

/** The GET endpoints whose answers have entity tags, by path. */
const taggedGets = (r: Resolved): ReadonlyMap<string, Effective> =>
  new Map(
    r.effective
      .filter((one) => one.endpoint.method === 'GET' && (isConditional(one) || statedTag(one)))
      .map((one) => [addressOf(one.endpoint.path), one]),
  );

/** The value that an endpoint's Answer step states for ETag; null if there is none. */
export function statedTag({ steps }: Effective) {
  const answer = steps.find((step): step is Extract<Step, { verb: 'Answer' }> => step.verb === 'Answer');
  return answer?.headers.find(({ field }) => field.text === 'ETag') ?? null;
}

/** A path without the names of its parameters. */
export const addressOf = (path: string): string => branches(path).join('/');

/** Whether requests to a write may have preconditions that none of its steps evaluates. */
export const takesPreconditions = (r: Resolved, one: Effective): boolean =>
  one.endpoint.method !== 'GET' && taggedGet(r, one) !== null && !one.every.some((step) => step.verb === 'Match');

/** The treatment of the preconditions of a write; null where it takes none, or where the document doesn't state it. */
export function preconditionsAt(r: Resolved, one: Effective): Located<PreconditionsKind> | null {
  if (!takesPreconditions(r, one)) return null;
  const { preconditions, conditional } = one.settings;
  if (preconditions) return preconditions;
  return conditional?.value === 'none' ? { ...conditional, value: 'ignored' } : null;
}

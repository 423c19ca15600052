import type { Random } from '../../../src/verify/requests/random.ts';
import { Draft } from './draft.ts';
import { Endpoints } from './endpoints.ts';
import { print } from './print.ts';
import { makeResources } from './resources.ts';

/**
 * Makes up a document from the grammar of the language. Most pass `check`. `groups`: some endpoints group rows, and some
 * aggregates count rows that the caller may not see.
 */
export function makeDocument(random: Random, { groups = true } = {}): string {
  const draft = new Draft(random);
  draft.counts = groups;
  makeResources(draft);
  new Endpoints(draft).make(groups);
  return print(draft);
}

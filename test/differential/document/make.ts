import type { Random } from '../../../src/verify/requests/random.ts';
import { Draft } from './draft.ts';
import { Endpoints } from './endpoints.ts';
import { print } from './print.ts';
import { makeResources } from './resources.ts';

/** Makes up a document from the grammar of the language. Most pass `check`. `groups`: some endpoints group rows. */
export function makeDocument(random: Random, { groups = true } = {}): string {
  const draft = new Draft(random);
  makeResources(draft);
  new Endpoints(draft).make(groups);
  return print(draft);
}

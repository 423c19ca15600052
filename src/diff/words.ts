import type { Contract, ResourceContract } from '../contract/contract.ts';
import { resourcesInWords } from '../contract/resources-in-words.ts';
import { type FieldWords, wordFor } from '../plan/words.ts';
import { BREAKS, type Difference, difference, type Here } from './difference.ts';

type Both<T> = readonly [old: T, next: T];

/** The values of an enumeration in a contract. */
function valuesOf({ resources }: Contract, path: string): readonly string[] {
  const [resource = '', ...field] = path.split('.');
  const found = resources.find(({ name }) => name === resource);
  const type = found?.fields.find(({ name }) => name === field.join('.'))?.type;
  return type?.kind === 'text' ? (type.oneOf ?? []) : [];
}

/**
 * Compares the words of a version for values that both documents have. The types of requests and answers tell which
 * words are new or gone.
 */
export function words(all: Both<readonly FieldWords[]>, contracts: Both<Contract>, here: Here): Difference[] {
  const fields = new Set(all.flat().map(({ field }) => field));
  return [...fields].flatMap((field) => {
    const [was, is] = all.map((list) => list.find((one) => one.field === field) ?? null);
    const [before = [], after = []] = contracts.map((contract) => valuesOf(contract, field));
    const at: Here = { ...here, of: field };
    const values = before.filter((value) => after.includes(value));
    const shown = values.flatMap((value) => {
      const [one, other] = [was, is].map((own) => (own ? wordFor(own, value) : value));
      return one === other
        ? []
        : [difference(at, `the word for “${value}” is “${other}”, and was “${one}”`, BREAKS.otherwise)];
    });
    const sent = (was?.words ?? []).flatMap(({ word, sent: one }) => {
      const other = is?.words.find((each) => each.word === word)?.sent ?? null;
      if (one === null || other === null || one === other || ![one, other].every((each) => values.includes(each)))
        return [];
      return [difference(at, `a body with “${word}” gives ${other}, and gave ${one}`, BREAKS.otherwise)];
    });
    return [...shown, ...sent];
  });
}

/**
 * The resources of the new document in the words of the version that was the old document’s current one: its callers
 * notice what differs in these. The comparison of versions reports the values of the current version.
 */
export function resourcesForCallers(old: Contract, next: Contract): readonly ResourceContract[] {
  const current = old.versions[0]?.name ?? null;
  const version = next.versions.slice(1).find(({ name }) => name === current);
  return version ? resourcesInWords(next.resources, version) : next.resources;
}

import type { VersionPlan, VersionsPlan } from './step.ts';

/** A word of an older version, and the values of the current version that it shows. */
interface WordPlan {
  readonly word: string;
  /** The values that the version shows as the word, in the order of the document. */
  readonly values: readonly string[];
  /** The value that a body with the word gives to a field; null where no body may have the word. */
  readonly sent: string | null;
}

/** The words of an older version for all values of an enumeration or all states, as `Resource.field`. */
export interface FieldWords {
  readonly field: string;
  readonly words: readonly WordPlan[];
}

/** The words of a version for the values of a field; null where they are the values themselves. */
export function wordsIn(version: Pick<VersionPlan, 'words'> | null | undefined, field: string): FieldWords | null {
  return version?.words?.find((one) => one.field === field) ?? null;
}

/** The fields with other words in an older version. */
export const fieldsWithWords = (versions: VersionsPlan | null): ReadonlySet<string> =>
  new Set(versions?.older.flatMap(({ words = [] }) => words.map(({ field }) => field)));

/** Whether a word shows several values. */
export const isMerged = ({ values }: WordPlan): boolean => values.length > 1;

/** The fields of which a word shows several values in a version. */
export const fieldsWithMergedWords = (versions: VersionsPlan | null): ReadonlySet<string> =>
  new Set(
    versions?.older.flatMap(({ words = [] }) =>
      words.filter((one) => one.words.some(isMerged)).map(({ field }) => field),
    ),
  );

/** The values of an enumeration in a version, as its callers name them; `inBody`: those that a body may have. */
export const wordsText = ({ words }: FieldWords, inBody: boolean): string[] =>
  words.filter(({ sent }) => !inBody || sent !== null).map(({ word }) => word);

/** The word that shows a value. A value without a word is that of an earlier document, and is shown as it is. */
export const wordFor = ({ words }: FieldWords, value: string): string =>
  words.find(({ values }) => values.includes(value))?.word ?? value;

/** The value that a request means by a word; `inBody`: as the value of a field. */
export function meantBy({ words }: FieldWords, word: string, inBody: boolean): string | null {
  const found = words.find((one) => one.word === word);
  if (!found) return null;
  return inBody ? found.sent : (found.sent ?? found.values[0] ?? null);
}

/** The differences between the words of a version and the values, each in words. */
export const wordsTexts = (all: readonly FieldWords[] = []): string[] =>
  all.flatMap(({ field, words }) =>
    words.flatMap((one) => {
      const [value, ...others] = one.values;
      if (others.length === 0) return value === one.word ? [] : [`${field} ${value} is ${one.word}`];
      return [`${field} ${one.values.join(', ')} are ${one.word}${one.sent === null ? '' : `, sent as ${one.sent}`}`];
    }),
  );

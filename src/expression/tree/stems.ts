import { createRequire } from 'node:module';
import type { Language } from './word-form.ts';

/** Finds the stem of a word in small letters. */
type Stemmer = (word: string) => string;

interface Snowball {
  readonly newStemmer: (algorithm: string) => { readonly stem: Stemmer };
}

const load = createRequire(import.meta.url);

/**
 * The stemmer of a language. The library is loaded with the first word of the first language, since most services state
 * none. Stored words have the stems of the pinned version: another version has to come with other names of their columns.
 */
export function stemmerOf(language: Language): Stemmer {
  const { newStemmer } = load('snowball-stemmers') as Snowball;
  const stemmer = newStemmer(language.toLowerCase());
  return (word) => stemmer.stem(word) || word;
}

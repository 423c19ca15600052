/** The languages of searches: those with an algorithm of Snowball, except Turkish, whose letters have another case. */
export const LANGUAGES = [
  'Arabic',
  'Armenian',
  'Basque',
  'Catalan',
  'Danish',
  'Dutch',
  'English',
  'Finnish',
  'French',
  'German',
  'Hungarian',
  'Irish',
  'Italian',
  'Norwegian',
  'Portuguese',
  'Romanian',
  'Russian',
  'Spanish',
  'Swedish',
  'Tamil',
] as const;

/** A language whose words have stems. */
export type Language = (typeof LANGUAGES)[number];

/** Whether letters with and without accents are the same in a search. */
export type Accents = 'ignored' | 'distinct';

/** How the words of a search are compared: without a language, as they are; with one, by their stems. */
export interface WordForm {
  readonly accents: Accents;
  readonly language?: Language;
}

/** The syntax of a query in each database, and of the terms themselves, one in a line or as a JSON array. */
export type QuerySyntax = 'FTS5' | 'tsquery' | 'terms' | 'JSON terms';

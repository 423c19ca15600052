import { foldCase } from './fold.ts';

/** Whether letters with and without accents are the same in a search. */
export type Accents = 'ignored' | 'distinct';

/** The most characters of a word: the rest of a longer word is left out. */
const MOST_OF_WORD = 100;

/** Characters of scripts that put no spaces between words: each is a word, with the marks that follow it. */
const UNSPACED = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]`;
const WORD = new RegExp(
  String.raw`[[\p{L}\p{N}]&&${UNSPACED}]\p{M}*|[[\p{L}\p{N}]--${UNSPACED}](?:[[\p{L}\p{N}]--${UNSPACED}]|\p{M})*`,
  'gv',
);

/** The accents of Latin, Greek and Cyrillic letters: the block Combining Diacritical Marks. */
const ACCENTS = /[\u0300-\u036f]/g;

const PLAIN_WORD = /[a-z0-9]+/g;
const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text);

/** The words of a text, in their order, in the form in which searches compare them. */
export function wordsOf(text: string, accents: Accents): string[] {
  const folded = isAscii(text) ? text.toLowerCase() : foldedForm(text, accents);
  const words = folded.match(isAscii(folded) ? PLAIN_WORD : WORD) ?? [];
  return words.map((word) => (word.length > MOST_OF_WORD ? [...word].slice(0, MOST_OF_WORD).join('') : word));
}

/** A text without case and, where they are ignored, without accents, in Unicode's normalization form C. */
function foldedForm(text: string, accents: Accents): string {
  const apart = text.normalize('NFD');
  return foldCase(accents === 'ignored' ? apart.replace(ACCENTS, '') : apart).normalize('NFC');
}

/**
 * The words of a field, as they are stored. Each word has a space of its own on either side, so that the occurrences of
 * a word can be counted by replacing it.
 */
export const storedWords = (text: string, accents: Accents): string =>
  wordsOf(text, accents)
    .map((word) => ` ${word} `)
    .join('');

/** The meaning of a query: whether its last word is the beginning of words. */
interface QueryForm {
  readonly accents: Accents;
  readonly lastIsPrefix: boolean;
}

/**
 * The distinct words of a query, as the stored words contain them: with a space before each, and with one behind a whole
 * word.
 */
export function termsOf(query: string | null, { accents, lastIsPrefix }: QueryForm): string[] {
  const words = wordsOf(query ?? '', accents);
  const prefix = lastIsPrefix ? words.pop() : undefined;
  return [...new Set([...words.map((word) => ` ${word} `), ...(prefix === undefined ? [] : [` ${prefix}`])])];
}

/** The syntax of a query in each database, and of the terms themselves, one in a line. */
export type QuerySyntax = 'FTS5' | 'tsquery' | 'terms';

/**
 * A query in the syntax of a database. Words are letters, digits and marks alone, so that no text of a request is
 * syntax. An empty query finds nothing.
 */
export function queryText(terms: readonly string[], every: boolean, syntax: QuerySyntax): string {
  if (syntax === 'terms') return terms.join('\n');
  const isFts = syntax === 'FTS5';
  if (terms.length === 0) return isFts ? '""' : '';
  const [quote, prefix] = isFts ? ['"', '*'] : ["'", ':*'];
  const each = terms.map((term) => `${quote}${term.trim()}${quote}${term.endsWith(' ') ? '' : prefix}`);
  return each.join(isFts ? (every ? ' AND ' : ' OR ') : every ? ' & ' : ' | ');
}

/** Whether stored words match the terms of a query. */
export function matchesTerms(words: readonly string[], terms: readonly string[], every: boolean): boolean {
  const isThere = (term: string): boolean => words.some((one) => one.includes(term));
  return every ? terms.length > 0 && terms.every(isThere) : terms.some(isThere);
}

/** How many of the stored words the terms are, with `terms` one in a line: a word that two terms are counts twice. */
export function occurrences(words: string, terms: string): number {
  let count = 0;
  for (const term of terms === '' ? [] : terms.split('\n'))
    for (let at = words.indexOf(term); at >= 0; at = words.indexOf(term, at + term.length)) count++;
  return count;
}

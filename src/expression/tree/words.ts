import { foldCase } from './fold.ts';
import { stemmerOf } from './stems.ts';
import type { Accents, QuerySyntax, WordForm } from './word-form.ts';

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

/** Begins a word as it is written, beside the stems of a language. No word and no stem has this character. */
const WRITTEN = '·';

/**
 * The words of a field, as they are stored. Each word has a space of its own on either side, so that the occurrences of
 * a word can be counted by replacing it. In a language, the stem of each word comes before the word as it is written.
 */
export function storedWords(text: string, { accents, language }: WordForm): string {
  const words = wordsOf(text, accents);
  if (!language) return words.map((word) => ` ${word} `).join('');
  const stemmer = stemmerOf(language);
  const stored = new Map<string, string>();
  const storedOf = (word: string): string => {
    const made = ` ${stemmer(word)}  ${WRITTEN}${word} `;
    stored.set(word, made);
    return made;
  };
  return words.map((word) => stored.get(word) ?? storedOf(word)).join('');
}

/** The meaning of a query: whether its last word is the beginning of words. */
interface QueryForm extends WordForm {
  readonly lastIsPrefix: boolean;
}

/**
 * A word of a query: its forms as the stored words contain them, with a space before each, and with one behind a whole
 * word. A row has the word if it has one of the forms.
 */
type Term = readonly string[];

/** The distinct words of a query. In a language, the last word as a prefix also means each word with its stem. */
export function termsOf(query: string | null, { accents, language, lastIsPrefix }: QueryForm): Term[] {
  const words = wordsOf(query ?? '', accents);
  const prefix = lastIsPrefix ? words.pop() : undefined;
  const stemmer = language ? stemmerOf(language) : (word: string): string => word;
  const whole = new Set(words.map((word) => ` ${stemmer(word)} `));
  const terms: Term[] = [...whole].map((word) => [word]);
  if (prefix !== undefined) terms.push(language ? [` ${stemmer(prefix)} `, ` ${WRITTEN}${prefix}`] : [` ${prefix}`]);
  return terms;
}

/**
 * A query in the syntax of a database. Words are letters, digits and marks alone, so that no text of a request is
 * syntax. An empty query finds nothing.
 */
export function queryText(terms: readonly Term[], every: boolean, syntax: QuerySyntax): string {
  if (syntax === 'terms') return terms.flat().join('\n');
  if (syntax === 'JSON terms') return JSON.stringify(terms.flat());
  const isFts = syntax === 'FTS5';
  if (terms.length === 0) return isFts ? '""' : '';
  const [quote, prefix] = isFts ? ['"', '*'] : ["'", ':*'];
  const [and, or] = isFts ? [' AND ', ' OR '] : [' & ', ' | '];
  const written = (form: string): string => `${quote}${form.trim()}${quote}${form.endsWith(' ') ? '' : prefix}`;
  const each = terms.map((forms) =>
    forms.length > 1 ? `(${forms.map(written).join(or)})` : forms.map(written).join(),
  );
  return each.join(every ? and : or);
}

/** Whether stored words match the terms of a query. */
export function matchesTerms(words: readonly string[], terms: readonly Term[], every: boolean): boolean {
  const isThere = (term: Term): boolean => term.some((form) => words.some((one) => one.includes(form)));
  return every ? terms.length > 0 && terms.every(isThere) : terms.some(isThere);
}

/** How many of the stored words the forms of terms are, with `terms` one in a line: a word that two are counts twice. */
export function occurrences(words: string, terms: string): number {
  let count = 0;
  for (const term of terms === '' ? [] : terms.split('\n'))
    for (let at = words.indexOf(term); at >= 0; at = words.indexOf(term, at + term.length)) count++;
  return count;
}

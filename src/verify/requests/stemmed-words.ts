import type { Language, WordForm } from '../../expression/tree/word-form.ts';

/** Two words with one stem in each language, also without accents. */
const WORDS: Readonly<Record<Language, readonly [string, string]>> = {
  Arabic: ['كتاب', 'كتابها'],
  Armenian: ['քաղաքներ', 'քաղաք'],
  Basque: ['mendietan', 'mendian'],
  Catalan: ['gats', 'gat'],
  Danish: ['dagene', 'dagen'],
  Dutch: ['boeken', 'boek'],
  English: ['books', 'book'],
  Finnish: ['talossa', 'talo'],
  French: ['livres', 'livre'],
  German: ['tagen', 'tag'],
  Hungarian: ['asztalok', 'asztal'],
  Irish: ['gcat', 'cat'],
  Italian: ['libri', 'libro'],
  Norwegian: ['dagene', 'dagen'],
  Portuguese: ['livros', 'livro'],
  Romanian: ['casa', 'case'],
  Russian: ['книгами', 'книга'],
  Spanish: ['libros', 'libro'],
  Swedish: ['dagarna', 'dagen'],
  Tamil: ['புத்தகங்கள்', 'புத்தகம்'],
};

/** Two words with one stem in the language of a search, or in English where it has none. */
export const stemmed = ({ language = 'English' }: WordForm): readonly [string, string] => WORDS[language];

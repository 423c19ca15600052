/** Letters without a decomposition in Unicode, with their usual ASCII forms. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  ŋ: 'n',
  ŧ: 't',
};

/**
 * Converts text to a part of a URL: compatibility forms and accents are removed (NFKD, without marks), letters become
 * lower case and a few become ASCII, and each run of other characters than `a` to `z` and `0` to `9` becomes a hyphen,
 * except at the ends.
 */
export function slug(text: string): string {
  // One character at a time: many marks after one letter would have to be sorted, only to be removed.
  return text
    .replace(/[^\0-\x7f]/gu, (letter) => letter.normalize('NFKD'))
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[ßæœøđðþłħıŋŧ]/g, (letter) => LETTERS[letter]!)
    .replace(/\p{Mark}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

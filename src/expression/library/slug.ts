/** Letters that Unicode doesn’t take apart, as they are commonly written in ASCII. */
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
 * Text as part of an address: compatibility forms and accents taken off (NFKD, without marks), in lower case, a few
 * letters in ASCII, and each run of anything but `a` to `z` and `0` to `9` as one hyphen, none at the ends.
 */
export function slug(text: string): string {
  // Character by character: many marks after one letter would first be put in order, and none of them stays.
  return text
    .replace(/[^\0-\x7f]/gu, (letter) => letter.normalize('NFKD'))
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[ßæœøđðþłħıŋŧ]/g, (letter) => LETTERS[letter]!)
    .replace(/\p{Mark}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

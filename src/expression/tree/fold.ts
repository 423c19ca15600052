/**
 * Exceptions to folding by the upper and lower case of single characters: dotless i equals i in Turkish alone, and
 * three ligatures and accented letters equal others although their upper case has several characters.
 */
const APART: ReadonlyMap<string, string> = new Map([
  ['\u0131', '\u0131'],
  ['\u1fd3', '\u0390'],
  ['\u1fe3', '\u03b0'],
  ['\ufb05', '\ufb06'],
]);

/**
 * Folds the case of a text, so that equal results mean equality without regard to case: Unicode’s simple case folding
 * (CaseFolding.txt, C and S), one character at a time. Characters with several encodings (é as one or as two) remain
 * different, and so do ß and SS.
 */
export function foldCase(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  let out = '';
  for (const character of text) out += foldOne(character);
  return out;
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}

/** Characters that differ only in case have one upper case, whose lower case is the folded character. */
function foldOne(character: string): string {
  const known = APART.get(character);
  if (known !== undefined) return known;
  const upper = single(character.toUpperCase(), character);
  return single(upper.toLowerCase(), upper);
}

/** Simple folding maps one character to one: a mapping to several characters is ignored. */
function single(mapped: string, character: string): string {
  return mapped.length === (mapped.codePointAt(0)! > 0xffff ? 2 : 1) ? mapped : character;
}

const WHITE = /^\p{White_Space}$/u;

/**
 * Text without white space at its ends: the characters of Unicode’s property White_Space. `String.prototype.trim` takes
 * U+FEFF for one of them, and U+0085 for none.
 */
export function trimWhiteSpace(text: string): string {
  let [from, to] = [0, text.length];
  // Only white space at the ends is examined, none in the middle.
  while (from < to && isWhite(text, from)) from++;
  while (to > from && isWhite(text, to - 1)) to--;
  return from === 0 && to === text.length ? text : text.slice(from, to);
}

/** Whether a character is white space. Printable ASCII, with which most texts begin and end, needs no pattern. */
function isWhite(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code <= 0x20 || code >= 0x7f) && WHITE.test(text.charAt(at));
}
/** A name of several words with one space between them, however a document breaks its lines. */
export const oneSpaced = (name: string): string => name.replaceAll(/\s+/g, ' ');

/** The width of a character in a monospaced font, relative to the font size: the widest among common fonts. */
const ADVANCE = 0.61;

/** Combining characters; some fonts place them beside the previous character. */
const MARK = /\p{M}|[\u200b-\u200f\u2060]/u;
const EMOJI = /\p{Emoji_Presentation}|\p{Extended_Pictographic}/u;
const IDEOGRAPH =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|[\u{17000}-\u{18aff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;

/** The largest width of a text, in pixels, including characters that a fallback font renders. */
export function widthOf(text: string, size: number): number {
  let ems = 0;
  for (const one of text) ems += emsOf(one);
  return ems * size;
}

function emsOf(character: string): number {
  if (MARK.test(character)) return 0.3;
  if (EMOJI.test(character)) return 1.4;
  if (IDEOGRAPH.test(character)) return 1.05;
  // Letters of other scripts are often a little wider than those of the font.
  return character.charCodeAt(0) < 0x250 ? ADVANCE : 0.9;
}

/** Wraps a text at a width, between words if possible. */
export function wrapped(text: string, size: number, most: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/(?<= )/)) {
    if (line && widthOf(line + word.trimEnd(), size) > most) {
      lines.push(line.trimEnd());
      line = '';
    }
    for (const one of graphemes(word)) {
      if (line && widthOf(line + one, size) > most && one !== ' ') {
        lines.push(line);
        line = '';
      }
      line += one;
    }
  }
  lines.push(line.trimEnd());
  return lines;
}

/** The graphemes of a text, so that combining characters stay with their letter. */
const graphemes = (text: string): string[] =>
  Array.from(new Intl.Segmenter('en').segment(text), ({ segment }) => segment);

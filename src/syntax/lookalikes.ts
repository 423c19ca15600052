import type { Span } from './span.ts';

/** A character that people mistake for another, or do not see, and the character to write in its place. */
export interface Lookalike extends Span {
  /** Its code point and its name. */
  readonly name: string;
  readonly plain: string;
}

/** Characters that look like signs of the language, beside the full-width forms of ASCII, which Unicode maps to it. */
const SIGNS: Readonly<Record<string, readonly [name: string, plain: string]>> = {
  '﹕': ['small colon', ':'],
  '︓': ['vertical colon', ':'],
  '∶': ['ratio sign', ':'],
  '꞉': ['modifier letter colon', ':'],
  '、': ['ideographic comma', ','],
  '､': ['half-width ideographic comma', ','],
  '﹐': ['small comma', ','],
  '،': ['Arabic comma', ','],
  '。': ['ideographic full stop', '.'],
  '｡': ['half-width ideographic full stop', '.'],
  '﹒': ['small full stop', '.'],
  '﹔': ['small semicolon', ';'],
  '\u037E': ['Greek question mark', ';'],
  '﹙': ['small parenthesis', '('],
  '﹚': ['small parenthesis', ')'],
};

const FULL_WIDTH: Readonly<Record<string, string>> = {
  ':': 'colon',
  ',': 'comma',
  '.': 'full stop',
  ';': 'semicolon',
  '(': 'parenthesis',
  ')': 'parenthesis',
  '|': 'vertical bar',
  '#': 'number sign',
  '-': 'hyphen-minus',
  '`': 'backquote',
};

/** Characters without width. Scripts need the joiners U+200C and U+200D within words, so that these are none here. */
const INVISIBLE: Readonly<Record<string, string>> = {
  '\u00AD': 'soft hyphen',
  '\u200B': 'zero-width space',
  '\u200E': 'left-to-right mark',
  '\u200F': 'right-to-left mark',
  '\u2060': 'word joiner',
  '\uFEFF': 'byte order mark',
};

/** Spaces that Markdown takes for letters. */
const SPACES: Readonly<Record<string, string>> = {
  '\u00A0': 'no-break space',
  '\u202F': 'narrow no-break space',
  '\u3000': 'ideographic space',
};

const LOOKALIKE =
  /[\u00AD\u037E\u060C\u200B\u200E\u200F\u2060\u2236\u3001\u3002\uA789\uFE13\uFE50\uFE52\uFE54\uFE55\uFE59\uFE5A\uFEFF\uFF01-\uFF5E\uFF61\uFF64]/;
/** Of the full-width forms, these alone are signs of the language: the others are letters and digits of names. */
const WIDE_SIGNS = /[：，．；（）｜＃－｀]/;

const called = (character: string, name: string): string =>
  `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')} (${name})`;

function describe(character: string): Omit<Lookalike, keyof Span> | null {
  const [name, plain] = SIGNS[character] ?? [];
  if (name !== undefined && plain !== undefined) return { name: called(character, name), plain };
  const invisible = INVISIBLE[character];
  if (invisible !== undefined) return { name: called(character, invisible), plain: '' };
  if (!WIDE_SIGNS.test(character)) return null;
  const ascii = String.fromCharCode(character.charCodeAt(0) - 0xfee0);
  return { name: called(character, `full-width ${FULL_WIDTH[ascii] ?? ascii}`), plain: ascii };
}

/**
 * The first character of a text that looks like a sign of the language, such as a full-width colon, or that is
 * invisible. `at`: the offset of the text.
 */
export function lookalikeIn(text: string, at = 0): Lookalike | null {
  for (let i = text.search(LOOKALIKE); i >= 0 && i < text.length; i++) {
    const one = describe(text.charAt(i));
    if (one) return { ...one, from: at + i, to: at + i + 1 };
  }
  return null;
}

/** A character that looks like a space and that Markdown does not treat as one; null for other characters. */
export function oddSpace(character: string, at: number): Lookalike | null {
  if (!/^[^\S \t\r\n]$/.test(character)) return null;
  return { name: called(character, SPACES[character] ?? 'space'), plain: ' ', from: at, to: at + 1 };
}

/** A text with plain characters in place of their lookalikes; `at` maps an index in it to one in the original text. */
export function plainText(text: string): { readonly text: string; readonly at: (index: number) => number } {
  if (!LOOKALIKE.test(text)) return { text, at: (index) => index };
  const offsets: number[] = [];
  let out = '';
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    const plain = LOOKALIKE.test(character) ? describe(character)?.plain : undefined;
    // Writers put no space after a wide sign, so that one is added.
    const written = plain === undefined ? character : plain && ':,.;'.includes(plain) ? `${plain} ` : plain;
    for (const each of written) {
      out += each;
      offsets.push(i);
    }
  }
  return { text: out, at: (index) => offsets[index] ?? text.length };
}

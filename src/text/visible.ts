/**
 * Characters that act on a terminal instead of being shown: controls (escape sequences begin with one, in C0 or C1),
 * line ends, bidirectional controls, characters without width, and lone surrogates.
 */
const ACTING = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}\u00AD\u200B\u2060\uFEFF]/u;
const EVERY_ACTING = new RegExp(ACTING, 'gu');

/** Whether a text has characters that act on a terminal. */
export const acts = (text: string): boolean => ACTING.test(text);

/**
 * Replaces characters that would control a terminal. A document and stored rows may be hostile: their text must not
 * move the cursor, change colours or reverse the direction of the text after it. A tab becomes two spaces.
 */
export function visible(text: string): string {
  return text.replaceAll('\t', '  ').replace(EVERY_ACTING, shown);
}

function shown(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\uFFFD';
}

/** Returns a text on one line, without characters that act on a terminal. */
export const oneLine = (text: string): string => visible(text.replace(/\s*[\r\n]\s*/g, ' '));

/**
 * Returns a text without characters that act on a terminal, except line ends and, with `colors`, our own colour codes.
 */
export function visibleLines(text: string, colors: boolean): string {
  if (!acts(text)) return text;
  const kept = colors ? /(\n|\x1B\[[\d;]*m)/ : /(\n)/;
  return text
    .split(kept)
    .map((part, at) => (at % 2 ? part : visible(part)))
    .join('');
}

/** Replaces characters that act on a terminal, except line ends, by `\u…` escapes: for strings in code or JSON. */
export const escaped = (text: string): string =>
  text.replace(EVERY_ACTING, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Returns JSON in which characters that act on a terminal are escaped. */
export const jsonText = (value: unknown, indent?: number): string =>
  escaped(JSON.stringify(value, null, indent) ?? 'null');

/** Text that needs no escape in JSON and has no character that acts on a terminal. */
const PLAIN = /^[ !#-[\]-~]*$/;

/**
 * Returns a text as JSON, with characters that act on a terminal escaped. Most texts need no escape, which takes a
 * third of the time.
 */
export const jsonOf = (text: string): string => (PLAIN.test(text) ? `"${text}"` : jsonText(text));

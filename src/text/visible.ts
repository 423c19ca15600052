/**
 * What would act on a terminal rather than show in it: controls (escape sequences begin with one, in C0 or C1), ends of
 * lines, what turns the direction of text, what has no width, and halves of characters.
 */
const ACTING = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}\u00AD\u200B\u2060\uFEFF]/u;
const EVERY_ACTING = new RegExp(ACTING, 'gu');

/** Whether a text would act on a terminal. */
export const acts = (text: string): boolean => ACTING.test(text);

/**
 * A text without what would act on a terminal rather than show in it: a document, and what callers have stored, is not
 * trusted to move the cursor, to change colours, or to turn the direction of what follows. A tab becomes two spaces.
 */
export function visible(text: string): string {
  return text.replaceAll('\t', '  ').replace(EVERY_ACTING, shown);
}

function shown(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\uFFFD';
}

/** The same of a text that is one line wherever it is printed. */
export const oneLine = (text: string): string => visible(text.replace(/\s*[\r\n]\s*/g, ' '));

/** The same of a text of several lines, in which `colors` are ours. */
export function visibleLines(text: string, colors: boolean): string {
  if (!acts(text)) return text;
  const kept = colors ? /(\n|\x1B\[[\d;]*m)/ : /(\n)/;
  return text
    .split(kept)
    .map((part, at) => (at % 2 ? part : visible(part)))
    .join('');
}

/** A text with `\u…` in place of what would act on a terminal, line ends apart: for what stands in strings of code or JSON. */
export const escaped = (text: string): string =>
  text.replace(EVERY_ACTING, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** JSON that says the same and does nothing to a terminal. */
export const jsonText = (value: unknown, indent?: number): string =>
  escaped(JSON.stringify(value, null, indent) ?? 'null');

/** Text that stands in JSON as it is, and does nothing to a terminal. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** A text as JSON that does nothing to a terminal. Most needs no escape, which takes a third of the time. */
export const jsonOf = (text: string): string => (PLAIN.test(text) ? `"${text}"` : jsonText(text));

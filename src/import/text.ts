import { VERBS } from '../language/steps.ts';
import { visible } from '../text/visible.ts';

/** A text on one line, for a bullet or a cell. Inline code has to end in it, and no character acts on a terminal. */
export function freeText(text: string): string {
  const plain = visible(text.replace(/\s+/g, ' ').trim());
  return (plain.match(/`/g)?.length ?? 0) % 2 ? plain.replaceAll('`', '’') : plain;
}

/** Whether a bullet or a cell has a text as it is, but for white space. */
export const isUnchanged = (text: string): boolean => freeText(text) === text.replace(/\s+/g, ' ').trim();

/**
 * A description as prose: a paragraph where it has nothing that could be taken for a statement or for Markdown, and a
 * quotation otherwise. Neither has an effect.
 */
export function proseOf(texts: readonly string[]): string {
  return texts
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => (PLAIN.test(text) && !isStep(text) ? text : quotation(text)))
    .join('\n\n');
}

/** Sentences of letters and simple punctuation, on one line. */
const PLAIN = /^\p{L}[\p{L}\p{N} ,'’“”()/.?!-]*$/u;

/** Whether a text begins with a verb of the language, so that it may look like a step. */
const isStep = (text: string): boolean =>
  VERBS.some((verb) => text.startsWith(verb)) || /^(?:If|Otherwise)\b/.test(text);

const quotation = (text: string): string =>
  text
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((line) => `> ${visible(line)}`.trimEnd())
    .join('\n');

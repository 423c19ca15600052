/** Wording that a reader has to read twice, by its name; comments of the source have none of it. */
const IDIOMS: Readonly<Record<string, RegExp>> = {
  'is told': /\b(?:is|are|be) told\b/,
  'is asked of': /\bis asked of\b/,
  'what becomes of': /\bwhat becomes of\b/i,
  stands: /\bstands? (?:in|for|at|there|here|where|alone|before)\b/,
  'a sentence about What, Who, That or Those':
    /(?:^|[.:;] )\s*(?:What|Whatever|Who|Whoever|That|Those|The same)\b[^.?]*/,
};

/** A comment with such wording. */
interface Idiom {
  readonly idiom: string;
  readonly line: number;
  readonly comment: string;
}

/** The comments of a source file that have such wording. A template that writes comments of clients counts too. */
export function idiomsOf(text: string): Idiom[] {
  return [...text.matchAll(/\/\*\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g)].flatMap((found) => {
    const comment = found[0]
      .replace(/^\s*(?:\/\*\*|\*\/|\*|\/\/)/gm, ' ')
      .replace(/\s+/g, ' ')
      .replace(/`[^`]*`/g, 'x')
      .trim();
    const line = text.slice(0, found.index).split('\n').length;
    return Object.entries(IDIOMS).flatMap(([idiom, form]) => (form.test(comment) ? [{ idiom, line, comment }] : []));
  });
}

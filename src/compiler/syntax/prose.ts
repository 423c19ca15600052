import type { SyntaxNode } from '@lezer/common';
import type { Finding } from './diagnostic.ts';
import { language } from './language.ts';

export const IN_PARAGRAPH = 'part of a paragraph';
export const IN_CODE = 'code, since it is indented by four spaces';

/** What a line of prose may have been meant to be. Markdown would read each of these as text. */
const CONTRACT: ReadonlyArray<readonly [RegExp, string, string]> = [
  [
    /^\|/,
    'a row of a table',
    'A header, then a row such as | --- | --- | with as many cells, then the rows, and no other line between them',
  ],
  [
    /^:?-+:?\s*\|[\s|:-]*$/,
    'a row of a table',
    'A header, then a row such as | --- | --- | with as many cells, then the rows, and no other line between them',
  ],
  [
    /^[^|]*[^|\\\s]\s*\|[^|]+\|/,
    'a row of a table',
    'A | before and after each row, and no empty line between the rows',
  ],
  [/^#{1,6}[^#]/, 'a heading', '## and a space, then the heading'],
  [/^\d{1,9}[.)](?:\s|[A-Z])/, 'a numbered step', 'An empty line before the step, and a space after its number'],
  [/^[-*+•]\s/, 'a bullet', '- and a space, then `Key: value`'],
  [/^-[A-Za-z][^:`|]*:\s/, 'a bullet', '- and a space, then `Key: value`'],
];

/** Blocks that run on to the end of the document when nobody closes them: how they open, what they are, how they close. */
const CLOSED: Readonly<Record<string, readonly [string, RegExp, string]>> = {
  CommentBlock: ['comment', /-->/, '-->'],
  ProcessingInstructionBlock: ['processing instruction', /\?>/, '?>'],
};

/** Reports prose that was meant as contract and that Markdown, for want of a space or an empty line, reads as text. */
export function checkProse(source: string, node: SyntaxNode, findings: Finding[]): void {
  const text = source.slice(node.from, node.to);
  const span = { from: node.from, to: node.from + (text.indexOf('\n') + 1 || text.length + 1) - 1 };
  const closed = CLOSED[node.name];
  if (closed && !closed[1].test(text))
    findings.push(language.report.unclosed(span, { what: closed[0], close: closed[2] }));
  if (node.name === 'FencedCode' && node.getChildren('CodeMark').length < 2)
    findings.push(language.report.unclosed(span, { what: 'code block', close: '```' }));
  // A definition that leads nowhere is a line in brackets: Markdown shows nothing of it.
  if (node.name === 'LinkReference' && !/\]:\s*\S*(?:[/#:]|\.\w)/.test(text))
    findings.push(
      language.report.looksLike(span, {
        what: 'a statement',
        as: 'the definition of a link',
        write: '- and a space, then `Key: value`',
      }),
    );
  if (node.name === 'Paragraph' || node.name === 'HTMLBlock') checkLines(text, node.from, findings);
  if (node.name === 'CodeBlock') checkLines(text, node.from, findings, IN_CODE);
  // A line without `>` goes on with the quotation above it, which the page doesn't show.
  if (node.name === 'Blockquote')
    checkLines(
      text.replace(/^[ \t]*>.*$/gm, (line) => ' '.repeat(line.length)),
      node.from,
      findings,
    );
}

function checkLines(text: string, at: number, findings: Finding[], as = IN_PARAGRAPH): void {
  let from = at;
  for (const written of text.split('\n')) {
    const line = written.trim();
    const plain = withoutCode(line);
    const likeness = plain && CONTRACT.find(([pattern]) => pattern.test(plain));
    if (likeness) {
      const [, what, write] = likeness;
      const start = from + written.length - written.trimStart().length;
      const finding = language.report.looksLike({ from: start, to: start + line.length }, { what, as, write });
      // What stands under a heading, or in a table, is unread too.
      const hides = what === 'a heading' || what === 'a row of a table';
      findings.push(hides ? { ...finding, effects: ['hides cells'] } : finding);
      return;
    }
    from += written.length + 1;
  }
}

/**
 * A line with the inside of its code spans left out: what stands there is quoted. A span ends at the next run of as many
 * backquotes (CommonMark, section 6.1), which is looked up from the end, so that many runs take no longer than few.
 */
function withoutCode(line: string): string {
  const runs = [...line.matchAll(/`+/g)];
  const latest = new Map<number, number>();
  const closing = new Map<number, number>();
  for (const [i, [run]] of [...runs.entries()].reverse()) {
    const end = latest.get(run.length);
    if (end !== undefined) closing.set(i, end);
    latest.set(run.length, i);
  }
  const parts: string[] = [];
  let at = 0;
  for (let i = 0; i < runs.length; i++) {
    const end = closing.get(i);
    const [open, close] = [runs[i], end === undefined ? undefined : runs[end]];
    if (!open || !close || end === undefined) continue;
    parts.push(line.slice(at, open.index + open[0].length));
    at = close.index;
    i = end;
  }
  return [...parts, line.slice(at)].join('');
}

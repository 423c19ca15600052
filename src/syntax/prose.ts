import type { SyntaxNode } from '@lezer/common';
import type { Finding } from './diagnostic.ts';
import { type Lookalike, lookalikeIn, oddSpace } from './lookalikes.ts';
import { language } from './messages.ts';
import type { Span } from './span.ts';

export const IN_PARAGRAPH = 'part of a paragraph';
export const IN_CODE = 'code, since it is indented by four spaces';

/** Lines of prose that may have been meant as contract: Markdown would read each of these as text. */
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

/**
 * Blocks that extend to the end of the document unless they are closed: how they open, what they are, how they close.
 */
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
  // A line without `>` continues the quotation above it (CommonMark, lazy continuation), and quotations have no effect.
  if (node.name === 'Blockquote')
    checkLines(
      text.replace(/^[ \t]*>.*$/gm, (line) => ' '.repeat(line.length)),
      node.from,
      findings,
    );
}

/** HTML that is read only in the form of Markdown: the tag, its name, the form in Markdown, and the text to write. */
const HTML: Readonly<Record<string, readonly [what: string, as: string, write: string]>> = {
  table: [
    'a table',
    'a table of Markdown: a header, a row of dashes and the rows',
    '| … | … |\n| --- | --- |\n| … | … |',
  ],
  ul: ['a list', 'bullets of Markdown', '- Key: value'],
  ol: ['a list', 'a numbered list of Markdown', '1. …'],
  dl: ['a list', 'bullets of Markdown', '- Key: value'],
  li: ['an item of a list', 'a bullet of Markdown', '- Key: value'],
};

/**
 * Reports HTML that looks like a statement to readers but is not read as one. Returns whether the text has such HTML.
 */
export function checkHtml({ source, from, to }: Span & { readonly source: string }, findings: Finding[]): boolean {
  const blank = (text: string): string => ' '.repeat(text.length);
  const html = source
    .slice(from, to)
    .replace(/<!--[\s\S]*?(?:-->|$)/g, blank)
    .replace(/<(pre|script|style)\b[\s\S]*?(?:<\/\1>|$)/gi, blank);
  const found = /<(table|ul|ol|dl|li|h[2-6])\b[^>\n]*>?/i.exec(html);
  if (!found) return false;
  const [tag, name = ''] = found;
  const mark = '#'.repeat(Number(name.slice(1)) || 0);
  const [what, as, write] = HTML[name.toLowerCase()] ?? [
    'a heading',
    `a heading of Markdown: ${mark} and the text`,
    `${mark} …`,
  ];
  const start = from + found.index;
  findings.push(language.report.html({ from: start, to: start + tag.length }, { what, as, write }));
  return true;
}

function checkLines(text: string, at: number, findings: Finding[], as = IN_PARAGRAPH): void {
  let from = at;
  for (const written of text.split('\n')) {
    const line = written.trim();
    const odd = oddMark(line, from + written.length - written.trimStart().length);
    if (odd) {
      const finding = language.report.lookalike(odd, { name: odd.name, plain: odd.plain });
      findings.push(/^[#＃｜]/.test(line) ? { ...finding, effects: ['hides cells'] } : finding);
      return;
    }
    const plain = withoutCode(line);
    const likeness = plain && CONTRACT.find(([pattern]) => pattern.test(plain));
    if (likeness) {
      const [, what, write] = likeness;
      const start = from + written.length - written.trimStart().length;
      const finding = language.report.looksLike({ from: start, to: start + line.length }, { what, as, write });
      // Text under a heading, or in a table, is unread too.
      const hides = what === 'a heading' || what === 'a row of a table';
      findings.push(hides ? { ...finding, effects: ['hides cells'] } : finding);
      return;
    }
    from += written.length + 1;
  }
}

/** A sign of Markdown that is only its lookalike, or that no plain space follows. */
function oddMark(line: string, at: number): Lookalike | null {
  const [, sign = ''] = /^([-*+]|\d{1,9}[.)]|#{1,6})[^\S \t]/.exec(line) ?? [];
  const space = sign ? oddSpace(line.charAt(sign.length), at + sign.length) : null;
  if (space) return { ...space, from: at };
  return /^(?:＃{2,6}|｜[^｜\n]*｜)/.test(line) ? lookalikeIn(line, at) : null;
}

/**
 * Returns a line without the inside of its code spans, which is quoted text. A span ends at the next run of as many
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

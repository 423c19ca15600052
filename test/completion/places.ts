import { readdirSync, readFileSync } from 'node:fs';
import type { CompletionItem } from 'vscode-languageserver/node';
import { type Compiled, compile } from '../../src/compiler/compile.ts';
import { completionsAt } from '../../src/lsp/features/completion.ts';
import { Positions } from '../../src/lsp/features/positions.ts';
import type { Span } from '../../src/syntax/span.ts';

/** A document with the places of its words that an editor can offer. */
export interface Subject {
  readonly name: string;
  readonly text: string;
  readonly compiled: Compiled;
}

/** A word of a statement, and the kind of its place. */
export interface Place extends Span {
  readonly subject: Subject;
  readonly kind: string;
}

/** Every document of the examples and of the reference. */
export function subjects(): Subject[] {
  return ['examples', 'docs/documents'].flatMap((folder) => {
    const url = new URL(`../../${folder}/`, import.meta.url);
    const files = readdirSync(url).filter((file) => file.endsWith('.md') && file !== 'walk.md');
    return files.map((name) => {
      const text = readFileSync(new URL(name, url), 'utf8');
      return { name, text, compiled: compile(name, text) };
    });
  });
}

const KINDS: ReadonlyArray<readonly [RegExp, string]> = [
  [/^#/, 'heading'],
  [/^\s*[-*+] [^:]*$/, 'bullet key'],
  [/^\s*[-*+] /, 'bullet value'],
  [/^\s*\|/, 'cell'],
  [/^\s*\d+\. /, 'step'],
];

const isDelimiter = (line: string): boolean => /^\s*\|[\s|:-]+$/.test(line);

/** The words of the statements of a document, without those that only their author can know. */
export function placesOf(subject: Subject): Place[] {
  const { text } = subject;
  let start = 0;
  return text.split('\n').flatMap((line, i, lines) => {
    const from = start;
    start += line.length + 1;
    if (isDelimiter(line)) return [];
    return wordsOf(subject, line, from, isDelimiter(lines[i + 1] ?? ''));
  });
}

function wordsOf(subject: Subject, line: string, start: number, isHeader: boolean): Place[] {
  return [...line.matchAll(/[\p{L}_][\p{L}\p{N}_-]*/gu)].flatMap((match) => {
    const before = line.slice(0, match.index);
    const [, form] = KINDS.find(([pattern]) => pattern.test(before)) ?? [];
    const at = { from: start + match.index, to: start + match.index + match[0].length };
    if (form === undefined || isOwn(subject, at, before)) return [];
    const code = isInCode(before) ? ' in code' : '';
    return [{ ...at, subject, kind: isHeader ? 'table header' : `${form}${code}` }];
  });
}

const isInCode = (before: string): boolean => (before.match(/`/g)?.length ?? 0) % 2 === 1;

/**
 * Whether only the author can know a word: it declares a name, or is a part of a sentence, of a number with its unit, of a
 * path, or of a text in code.
 */
function isOwn({ text, compiled }: Subject, { from, to }: Span, before: string): boolean {
  const around = compiled.marks.filter((mark) => mark.from <= from && to <= mark.to);
  const [mark] = around.sort((a, b) => a.to - a.from - (b.to - b.from));
  if (!mark || mark.role === 'declaration' || mark.role === 'free') return true;
  if (/\d$/.test(before) || /^PT?\d/.test(text.slice(from, to))) return true;
  // Columns that the table of errors adds have values of their own.
  if (!isInCode(before)) return mark.role === 'value' && /Blank cells/.test(before);
  const code = before.slice(before.lastIndexOf('`') + 1);
  const isText = (code.match(/"/g)?.length ?? 0) % 2 === 1;
  return mark.role === 'value' || (mark.role === 'expression' && isText) || /\/[^{]*$/.test(code.replaceAll(' / ', ''));
}

/** The document with the rest of a line cut off at an offset. */
export function cut(text: string, offset: number): string {
  const end = text.indexOf('\n', offset);
  return text.slice(0, offset) + (end < 0 ? '' : text.slice(end));
}

/** The completions at an offset of a text. */
export const completions = (name: string, text: string, offset: number): CompletionItem[] =>
  completionsAt({ uri: '', compiled: compile(name, text), positions: new Positions(text) }, offset);

/** Whether the word at a place is among the completions. */
export function isOffered({ subject: { text }, from, to }: Place, items: readonly CompletionItem[]): boolean {
  const word = text.slice(from, to);
  return items.some(
    ({ label }) => (text.startsWith(label, from) && label.length >= word.length) || label.startsWith(word),
  );
}

/** What may be behind a word when the rest of its line is not. */
const ENDS = ['', '.', '`', '`.', ')`', ')`.', '"`', '"`.'];

/** The errors that a completion brings at its place, in place of the word there; none where it is legal. */
export function faultsOf(
  { subject: { name, text, compiled }, from, to }: Place,
  { textEdit }: CompletionItem,
): string[] {
  const offer = textEdit?.newText ?? '';
  if (text.startsWith(offer, from)) return [];
  const known = new Set(compiled.findings.map(({ message }) => message));
  const end = text.indexOf('\n', to);
  const line = text.slice(to, end);
  const cell = /^(?:`[^`]*`|\\\||[^`|])*?(?=\s*(?:\||$))/.exec(line)?.[0].length ?? 0;
  const rests = [text.slice(to), text.slice(to + cell), ...ENDS.map((one) => one + text.slice(end))];
  const faults = rests.map((rest) =>
    compile(name, text.slice(0, from) + offer + rest).findings.flatMap(({ code, severity, span, message }) =>
      severity === 'error' &&
      code !== 'language/missing' &&
      span &&
      span.from < from + offer.length &&
      from < span.to &&
      !known.has(message)
        ? [message]
        : [],
    ),
  );
  return faults.some((one) => one.length === 0) ? [] : faults[0]!;
}

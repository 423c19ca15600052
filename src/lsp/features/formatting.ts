import type { TextEdit } from 'vscode-languageserver/node';
import { sectionsIn } from '../../compiler/read/units.ts';
import type { Table } from '../../syntax/markdown.ts';
import type { Analysis } from './analysis.ts';

/** Lays out the tables of a document: each column as wide as its widest cell. Nothing else changes. */
export function tablesLaidOut({ compiled: { blocks }, positions }: Analysis): TextEdit[] {
  const tables = blocks.sections.flatMap(sectionsIn).flatMap((section) => section.tables);
  return tables.flatMap((table) => {
    const text = laidOut(table, positions.text);
    const { from, to } = table.span;
    return text === null || text === positions.text.slice(from, to) ? [] : [positions.edit({ from, to, text })];
  });
}

/** The lines of a table with its columns aligned; null where a row has more cells than the table has columns. */
function laidOut({ header, rows, span }: Table, source: string): string | null {
  const text = source.slice(span.from, span.to);
  const lines = text.split('\n');
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  // A line above the rows has the dashes: it says how each column is aligned.
  const rules = (lines[1] ?? '')
    .split('|')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  if (rules.length !== header.length || lines.filter((line) => line.trim() !== '').length !== rows.length + 2)
    return null;
  const cells = [header, ...rows.map((row) => row.cells)].map((line) =>
    line.map(({ from, to }) => source.slice(from, to).trim()),
  );
  if (cells.some((line) => line.length !== header.length)) return null;
  const widths = header.map((_, i) => Math.max(3, ...cells.map((line) => widthOf(line[i]!))));
  const line = (texts: readonly string[]): string =>
    `| ${texts.map((one, i) => one + ' '.repeat(widths[i]! - widthOf(one))).join(' | ')} |`;
  const dashes = rules.map((rule, i) => {
    const [left, right] = [rule.startsWith(':') ? ':' : '', rule.endsWith(':') ? ':' : ''];
    return left + '-'.repeat(widths[i]! - left.length - right.length) + right;
  });
  const [head = [], ...body] = cells;
  const indent = /^[ \t]*/.exec(lines[1] ?? '')?.[0] ?? '';
  return [
    line(head),
    ...[dashes.join(' | ')].map((one) => `${indent}| ${one} |`),
    ...body.map((one) => indent + line(one)),
  ].join(end);
}

/** The characters of a text as a reader counts them. */
const widthOf = (text: string): number => [...new Intl.Segmenter().segment(text)].length;

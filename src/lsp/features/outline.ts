import { type DocumentSymbol, type FoldingRange, SymbolKind } from 'vscode-languageserver/node';
import type { Section } from '../../syntax/markdown.ts';
import type { Span } from '../../syntax/span.ts';
import type { Analysis } from './analysis.ts';

/** The sections of a document, with where each ends. */
function ranged(sections: readonly Section[], end: number): Array<{ readonly section: Section; readonly to: number }> {
  return sections.map((section, i) => ({ section, to: sections[i + 1]?.span.from ?? end }));
}

/** The outline: the title, the parts, the headings below them, and the rows of their tables. */
export function outlineOf({ compiled: { blocks }, positions }: Analysis): DocumentSymbol[] {
  const { text } = positions;
  const name = ({ from, to }: Span): string => text.slice(from, to).replaceAll('`', '').trim() || '(blank)';
  const symbol = (heading: Span, whole: Span, kind: SymbolKind, children: DocumentSymbol[]): DocumentSymbol => ({
    name: name(heading),
    kind,
    range: positions.range(whole),
    selectionRange: positions.range(heading),
    children,
  });
  const rows = (section: Section): DocumentSymbol[] =>
    section.tables.flatMap(({ rows }) =>
      rows.flatMap(({ cells: [first], span }) =>
        first && first.from < first.to ? symbol(first, span, SymbolKind.Field, []) : [],
      ),
    );
  const below = (sections: readonly Section[], end: number): DocumentSymbol[] =>
    ranged(sections, end).map(({ section, to }) => {
      const kind = section.level === 2 ? SymbolKind.Namespace : KINDS(name(section.heading));
      const children = [...rows(section), ...below(section.children, to)];
      return symbol(section.heading, { from: section.span.from, to: lastOf(text, to) }, kind, children);
    });
  return below(blocks.sections, text.length);
}

/** Endpoints are methods, fields with states are enumerations, and other headings name classes of things. */
const KINDS = (heading: string): SymbolKind =>
  /^[A-Z]+ \//.test(heading) ? SymbolKind.Method : /^\w+\.\w/.test(heading) ? SymbolKind.Enum : SymbolKind.Class;

/** The end of the last line with text before an offset. */
const lastOf = (text: string, to: number): number => text.slice(0, to).trimEnd().length;

/** Sections and tables can be folded. */
export function foldsOf({ compiled: { blocks }, positions }: Analysis): FoldingRange[] {
  const lines = ({ from, to }: Span): FoldingRange[] => {
    const { start, end } = positions.range({ from, to });
    return end.line > start.line ? [{ startLine: start.line, endLine: end.line }] : [];
  };
  const below = (sections: readonly Section[], end: number): FoldingRange[] =>
    ranged(sections, end).flatMap(({ section, to }) => [
      ...lines({ from: section.span.from, to: lastOf(positions.text, to) }),
      ...section.tables.flatMap(({ span }) => lines({ from: span.from, to: lastOf(positions.text, span.to) })),
      ...below(section.children, to),
    ]);
  return below(blocks.sections, positions.text.length);
}

import type { SyntaxNode } from '@lezer/common';
import { parser, Table as TABLE } from '@lezer/markdown';
import type { Finding } from './diagnostic.ts';
import { type Lookalike, lookalikeIn } from './lookalikes.ts';
import { language } from './messages.ts';
import { checkHtml, checkProse } from './prose.ts';
import type { Span } from './span.ts';

/** A stretch of inline text: a heading, a cell, one side of a bullet, a step or a paragraph. */
export interface Text extends Span {
  readonly source: string;
  /** True in a table, where `\|` in inline code means `|`. */
  readonly inTable: boolean;
  /** The forms that are allowed in this place, which the finding about text that is not understood shows. */
  readonly lesson?: string;
  /** True for a step, which ends with a full stop. */
  readonly stops?: boolean;
}

export interface Bullet {
  readonly key: Text;
  readonly value: Text;
  readonly span: Span;
}

export interface Table {
  readonly header: readonly Text[];
  readonly rows: readonly Row[];
  readonly span: Span;
}

interface Row {
  readonly cells: readonly Text[];
  readonly span: Span;
}

export interface ListedStep {
  readonly text: Text;
  readonly children: readonly ListedStep[];
  readonly span: Span;
}

/** A heading with the text below it, up to the next heading of its level or above. */
export interface Section {
  readonly level: number;
  readonly heading: Text;
  readonly bullets: Bullet[];
  readonly tables: Table[];
  readonly steps: ListedStep[];
  readonly paragraphs: Text[];
  /** Indented code blocks. A statement may become one by mistake, if it is indented too far. */
  readonly indented: Text[];
  /** Blocks of HTML that hold neither a table nor a list nor a heading. */
  readonly html: Text[];
  readonly children: Section[];
  readonly span: Span;
}

/** Creates a section with a heading and no content yet. */
export const emptySection = (level: number, heading: Text, span: Span): Section => ({
  level,
  heading,
  bullets: [],
  tables: [],
  steps: [],
  paragraphs: [],
  indented: [],
  html: [],
  children: [],
  span,
});

/** The document as Markdown blocks, before any statement is read. */
export interface Blocks {
  readonly source: string;
  readonly title: Text | null;
  /** Text outside all sections: paragraphs, indented code, and HTML. */
  readonly outside: readonly Text[];
  readonly sections: readonly Section[];
}

/** Larger documents are refused. Ten thousand endpoints with their resources fit. */
const MOST_CHARACTERS = 8 << 20;
/** Every line may state something, and every statement may be wrong in several ways. */
const MOST_LINES = 250_000;
const MOST_COLUMNS = 100;
/** A line with more bars is refused before the parser makes a cell of each. No expression is as long. */
const TOO_WIDE = /^(?:[^|\n]*\|){5000}/m;
/** Deeper nesting is refused before the Markdown parser sees it, since its time grows with the square of the depth. */
const DEEPEST = 24;

/** A line whose markers nest deeper than that, or that is indented as if it did. */
const TOO_DEEP = /^(?:(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))){24}|[ \t]{96,}(?:[-*+]|\d{1,9}[.)])[ \t])/m;

/** Nodes inside lines, which the Markdown parser leaves out: `phrase.ts` reads the text of lines. */
const INLINE = ['Escape', 'Entity', 'InlineCode', 'HTMLTag', 'Emphasis', 'HardBreak', 'Link', 'Image', 'LinkEnd'];

const markdown = parser.configure([TABLE, { remove: INLINE }]);

/** Splits Markdown (CommonMark with GFM tables) into sections, keeping the exact place of everything. Never throws. */
export function readMarkdown(written: string, findings: Finding[]): Blocks {
  const long = tooLong(written);
  if (long) {
    findings.push(language.report.tooLarge(null, long));
    return { source: '', title: null, outside: [], sections: [] };
  }
  // Every line ends with LF and no byte order mark hides the title, yet every character keeps its place.
  const source = written
    .replace(/^\uFEFF/, ' ')
    .replace(/\r\n/g, ' \n')
    .replaceAll('\r', '\n');
  // The parser takes no row of dashes with a space at its end, so that its last bar changes places with the space.
  const parsed = source.replace(/^([ \t]*(?:\|[ \t]*)?:?-[-:| \t]*)\|([ \t]+)$/gm, '$1$2|');
  const deep = TOO_DEEP.exec(source);
  if (deep) {
    const span = { from: deep.index, to: deep.index + deep[0].length };
    findings.push(language.report.tooDeep(span, { depth: `${DEEPEST}` }));
    return { source, title: null, outside: [], sections: [] };
  }
  const wide = TOO_WIDE.exec(source);
  if (wide) {
    const span = { from: wide.index, to: wide.index + wide[0].length };
    findings.push(language.report.tooWide(span, { most: `${MOST_COLUMNS}` }));
    return { source, title: null, outside: [], sections: [] };
  }
  const reader = new BlockReader(source, findings);
  for (let node = markdown.parse(parsed).topNode.firstChild; node; node = node.nextSibling) reader.block(node);
  return { source, title: reader.title, outside: reader.prose, sections: reader.sections };
}

/** The excessive size of a document, in characters, lines or nested lists; null where no size is excessive. */
function tooLong(written: string): { size: string; unit: string; most: string } | null {
  const count = (number: number): string => number.toLocaleString('en');
  if (written.length > MOST_CHARACTERS)
    return { size: count(written.length), unit: 'characters', most: count(MOST_CHARACTERS) };
  const lines = written.match(/\r\n|[\r\n]/g)?.length ?? 0;
  if (lines > MOST_LINES) return { size: count(lines), unit: 'lines', most: count(MOST_LINES) };
  const nested = nestedBlocks(written);
  return nested > MOST_LINES ? { size: count(nested), unit: 'nested lists', most: count(MOST_LINES) } : null;
}

/**
 * The number of lists and quotations that begin inside others on the same line. The parser creates blocks for each of
 * them.
 */
function nestedBlocks(written: string): number {
  const marker = /[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))/y;
  let nested = 0;
  for (let line = 0; line >= 0; line = written.indexOf('\n', line + 1)) {
    marker.lastIndex = line && line + 1;
    let depth = 0;
    while (depth < DEEPEST && marker.test(written)) depth++;
    nested += Math.max(0, depth - 1);
  }
  return nested;
}

class BlockReader {
  title: Text | null = null;
  readonly sections: Section[] = [];
  /** Text outside all sections. */
  readonly prose: Text[] = [];
  private readonly open: Section[] = [];
  private readonly source: string;
  private readonly findings: Finding[];
  /** Whether text outside the parts has a finding already; a second title has one too. */
  private outside = false;
  /** The latest consecutive bullets without a key. */
  private readonly keyless: Span[] = [];

  constructor(source: string, findings: Finding[]) {
    this.source = source;
    this.findings = findings;
  }

  block(node: SyntaxNode): void {
    const heading = /^(?:ATX|Setext)Heading(\d)$/.exec(node.name);
    if (heading) {
      this.heading(node, Number(heading[1]));
      return;
    }
    const section = this.open.at(-1);
    checkProse(this.source, node, this.findings);
    if (node.name === 'Paragraph' || node.name === 'CodeBlock' || node.name === 'HTMLBlock') {
      this.text(node, section);
      return;
    }
    if (node.name !== 'Table' && node.name !== 'BulletList' && node.name !== 'OrderedList') return;
    if (!section) {
      // Blocks after a second title are outside the parts because of it, and have no finding of their own.
      if (!this.outside) this.findings.push(language.report.outsideParts({ from: node.from, to: node.to }));
      this.outside = true;
      return;
    }
    if (node.name === 'Table') section.tables.push(this.table(node));
    else if (node.name === 'BulletList') this.bullets(node, section);
    else section.steps.push(...this.steps(node));
  }

  /** Collects text that is no statement, and reports HTML that was meant as one. */
  private text(node: SyntaxNode, section: Section | undefined): void {
    const text = this.trimmed(node.from, node.to);
    // Code and scripts in HTML quote what they hold.
    if (/^<(?:pre|script|style|textarea)\b/i.test(this.source.slice(text.from, text.from + 20))) return;
    if (!section) this.prose.push(text);
    else if (node.name === 'Paragraph') section.paragraphs.push(text);
    else if (node.name === 'CodeBlock') section.indented.push(text);
    else if (!checkHtml(text, this.findings)) section.html.push(text);
  }

  private heading(node: SyntaxNode, level: number): void {
    const marks = node.getChildren('HeaderMark');
    let from = node.from;
    let to = node.to;
    for (const mark of marks) {
      if (mark.from === from) from = mark.to;
      else to = Math.min(to, mark.from);
    }
    const text = this.trimmed(from, to);
    if (level === 1) {
      if (this.title) this.findings.push(language.report.secondTitle(text));
      this.outside ||= this.title !== null;
      this.title ??= text;
      this.open.length = 0;
      return;
    }
    for (let above = this.open.at(-1); above && above.level >= level; above = this.open.at(-1)) this.open.pop();
    const section = emptySection(level, text, { from: node.from, to: node.to });
    const parent = this.open.at(-1);
    const levels = level - (parent?.level ?? level);
    if (parent && levels > 1)
      this.findings.push(
        language.report.headingLevel(text, { levels: `${levels}`, write: '#'.repeat(parent.level + 1) }),
      );
    if (parent) parent.children.push(section);
    else this.sections.push(section);
    this.open.push(section);
  }

  private table(node: SyntaxNode): Table {
    const span = { from: node.from, to: node.to };
    const header = node.getChildren('TableHeader').flatMap((row) => this.cells(row));
    if (header.length > MOST_COLUMNS) {
      this.findings.push(language.report.tooWide(span, { most: `${MOST_COLUMNS}` }));
      return { header: [], rows: [], span };
    }
    const extras: Text[] = [];
    const rows = node.getChildren('TableRow').map((row): Row => {
      const cells = this.cells(row);
      const divided = cells.length > header.length && cells.find((cell) => isOpen(cell));
      if (divided) {
        const bar = this.source.indexOf('|', divided.to);
        this.findings.push(language.report.barInCode({ from: bar, to: bar + 1 }));
        return { cells: cells.slice(0, header.length), span: { from: row.from, to: row.to } };
      }
      if (cells.length < header.length) {
        const names = header.map((cell) => `“${this.source.slice(cell.from, cell.to)}”`).join(', ');
        const has = cells.length === 1 ? '1 cell' : `${cells.length} cells`;
        const span = { from: row.from, to: row.to };
        this.findings.push(language.report.fewerCells(span, { has, columns: `${header.length}`, names }));
      }
      while (cells.length < header.length) cells.push({ source: this.source, from: row.to, to: row.to, inTable: true });
      const extra = cells[header.length];
      if (extra) extras.push(extra);
      return { cells: cells.slice(0, header.length), span: { from: row.from, to: row.to } };
    });
    const [first, ...others] = extras;
    const more = others.length > 1 ? `${others.length} others` : 'another';
    if (first) this.findings.push(language.report.extraCell(first, others.length ? { more } : {}));
    return { header, rows, span };
  }

  /** A cell lies between two delimiters, so that a blank one keeps its place too. */
  private cells(row: SyntaxNode): Text[] {
    const bars = row.getChildren('TableDelimiter');
    const edges: Array<[number, number]> = [];
    let start = row.from;
    for (const bar of bars) {
      if (bar.from > start || edges.length > 0 || start > row.from) edges.push([start, bar.from]);
      start = bar.to;
    }
    if (this.source.slice(start, row.to).trim()) edges.push([start, row.to]);
    return edges.map(([from, to]) => this.trimmed(from, to, true));
  }

  private bullets(list: SyntaxNode, section: Section): void {
    for (const item of list.getChildren('ListItem')) {
      if (!item.firstChild?.nextSibling) this.keyless.push({ from: item.from, to: item.to });
      for (let child = item.firstChild; child; child = child.nextSibling) {
        if (child.name === 'ListMark') continue;
        if (child.name === 'Paragraph') this.bullet(child, section);
        else this.findings.push(language.report.nestedList({ from: child.from, to: child.to }));
      }
    }
    this.tellKeyless();
  }

  /** Reports consecutive bullets without a key in one finding: they are a list of something else. */
  private tellKeyless(): void {
    const [first, ...others] = this.keyless.splice(0);
    if (!first) return;
    const more = others.length > 1 ? `${others.length} bullets` : 'bullet';
    this.findings.push(language.report.bulletWithoutKey(first, others.length ? { more } : {}));
  }

  private bullet(paragraph: SyntaxNode, section: Section): void {
    const text = this.source.slice(paragraph.from, paragraph.to);
    let colon = keyEnd(text);
    const odd = colon < 0 ? lookalikeColon(text, paragraph.from) : null;
    if (odd) {
      this.findings.push(language.report.lookalike(odd, { name: odd.name, plain: odd.plain }));
      colon = odd.from - paragraph.from;
    }
    if (colon < 0) {
      this.keyless.push({ from: paragraph.from, to: paragraph.to });
      return;
    }
    this.tellKeyless();
    const middle = paragraph.from + colon + 1;
    section.bullets.push({
      key: this.trimmed(paragraph.from, middle - 1),
      value: this.trimmed(middle, paragraph.to),
      span: { from: paragraph.from, to: paragraph.to },
    });
  }

  private steps(list: SyntaxNode): ListedStep[] {
    return list.getChildren('ListItem').map((item): ListedStep => {
      let text: Text | null = null;
      const children: ListedStep[] = [];
      for (let child = item.firstChild; child; child = child.nextSibling) {
        if (child.name === 'ListMark') continue;
        if (child.name === 'Paragraph' && !text) text = this.trimmed(child.from, child.to);
        else if (child.name === 'OrderedList') children.push(...this.steps(child));
        else this.findings.push(language.report.nestedList({ from: child.from, to: child.to }));
      }
      text ??= this.trimmed(item.to, item.to);
      return { text, children, span: { from: text.from, to: text.to } };
    });
  }

  private trimmed(from: number, to: number, inTable = false): Text {
    let start = from;
    let end = to;
    while (start < end && /\s/.test(this.source.charAt(start))) start++;
    while (end > start && /\s/.test(this.source.charAt(end - 1))) end--;
    if (start === end) start = end = Math.min(from + 1, to);
    return { source: this.source, from: start, to: end, inTable };
  }
}

/** Whether inline code begins in a cell and does not end there, so that the bar after the cell was meant as code. */
const isOpen = ({ source, from, to }: Text): boolean => (source.slice(from, to).match(/`+/g)?.length ?? 0) % 2 === 1;

/** The character in place of the colon that ends a key; `at` is where the text begins. */
function lookalikeColon(text: string, at: number): Lookalike | null {
  const [key = ''] = /^[^`|]{1,60}?[：﹕︓∶꞉]/.exec(text) ?? [];
  return key ? lookalikeIn(key.slice(-1), at + key.length - 1) : null;
}

/** The place of the first colon that ends a key: outside inline code, and before white space or the end of the text. */
function keyEnd(text: string): number {
  for (let i = 0; i < text.length; i++) {
    if (text[i] === ':' && /^\s?$/.test(text[i + 1] ?? '')) return i;
    if (text[i] !== '`') continue;
    const close = text.indexOf('`', i + 1);
    if (close < 0) return -1;
    i = close;
  }
  return -1;
}

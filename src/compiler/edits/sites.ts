import type { BulletPlace } from '../../language/bullets.ts';
import { TABLES } from '../../language/columns.ts';
import { BULLET_KEYS } from '../../language/keys.ts';
import { PART_HEADINGS, PARTS, type PartName } from '../../plan/parts.ts';
import type { Blocks, ListedStep, Section, Table, Text } from '../../syntax/markdown.ts';
import type { Span } from '../../syntax/span.ts';
import { keysOf } from '../../text/own-members.ts';
import { sectionsIn } from '../read/units.ts';

/** A change of a document: the text takes the place of what stands from one offset to the other, the end exclusive. */
export interface Edit extends Span {
  readonly text: string;
}

/** A section, and the sections that contain it, the innermost first. */
type Nested = readonly [Section, ...Section[]];

/** Finds the places of a document in which statements belong, and makes the edits that put them there. */
export class Sites {
  private readonly blocks: Blocks;

  constructor(blocks: Blocks) {
    this.blocks = blocks;
  }

  /** The section of a part; null where the document does not have it. */
  part(part: PartName): Section | null {
    return this.blocks.sections.find((section) => this.textOf(section.heading) === PART_HEADINGS[part]) ?? null;
  }

  /** The innermost section at a place, and those around it; null before the first part. */
  sectionsAt({ from }: Span): Nested | null {
    let found: Nested | null = null;
    let level: readonly Section[] = this.blocks.sections;
    for (let next = lastBefore(level, from); next; next = lastBefore(level, from)) {
      found = [next, ...(found ?? [])];
      level = next.children;
    }
    return found;
  }

  /** The place of the language that the bullets of a section belong to; null where a section has none. */
  placeOf(section: Section): BulletPlace | null {
    const part = this.partAt(section.heading);
    if (!part) return null;
    if (section.level === 2) return part;
    const below = BELOW[part];
    const heading = this.textOf(section.heading);
    return below?.find(([pattern]) => pattern.test(heading))?.[1] ?? null;
  }

  /** The part that a place belongs to. */
  partAt(span: Span): PartName | null {
    const outermost = this.sectionsAt(span)?.at(-1);
    const heading = outermost && this.textOf(outermost.heading);
    return PARTS.find(([, text]) => text === heading)?.[0] ?? null;
  }

  /** The sections in which a bullet may be stated for a place: the section there, or those around or below it. */
  homesOf(key: string, part: PartName, at: Span, shared: boolean): Section[] {
    const around = this.sectionsAt(at) ?? [];
    const fits = (section: Section): boolean => this.takes(section, key);
    const own = this.part(part);
    // A question about the whole document has its title as the place.
    if ((shared || around.length === 0) && own && fits(own)) return [own];
    const home = around.find(fits);
    if (home) return [home];
    return this.without(key, around[0] ?? own);
  }

  /** The sections below a part that may have a bullet, and do not have it. */
  homesBelow(key: string, part: PartName): Section[] {
    return this.without(key, this.part(part));
  }

  private without(key: string, above: Section | null): Section[] {
    const below = above?.children.flatMap(sectionsIn) ?? [];
    return below.filter(
      (section) => this.takes(section, key) && !section.bullets.some((one) => this.textOf(one.key) === key),
    );
  }

  /** Whether the bullets of a section may have a key. */
  private takes(section: Section, key: string): boolean {
    const place = this.placeOf(section);
    return (
      place !== null &&
      BULLET_KEYS[place].some((one: string) => one === key || (one.endsWith(' ') && key.startsWith(one)))
    );
  }

  /** Adds a bullet to a section, after its others, or in place of one with the same key that takes one value. */
  bullet(section: Section, text: string): Edit {
    const [key = ''] = /^- ([^:]+):/.exec(text)?.slice(1) ?? [];
    const same = ONCE.has(key) ? section.bullets.find((one) => this.textOf(one.key) === key) : undefined;
    if (same) return { from: same.span.from, to: same.span.to, text: text.slice(2) };
    const last = section.bullets.at(-1);
    return last ? at(last.span.to, `\n${text}`) : this.first(section, text);
  }

  /** Adds a step to the steps of a section, after its others, or before the first. */
  step(section: Section, text: string): Edit {
    const last = section.steps.at(-1);
    const body = text.replace(/^1\. /, '');
    return last ? at(endOf(last), `\n${section.steps.length + 1}. ${body}`) : this.last(section, `1. ${body}`);
  }

  /** Adds a sentence to a part, after all that stands above its first section. */
  sentence(part: PartName, text: string): Edit {
    const section = this.part(part);
    return section ? this.last(section, text) : this.newPart(part, text);
  }

  /** Adds a step below another. */
  stepBelow(step: ListedStep, text: string): Edit {
    const indent = ' '.repeat(step.span.from - this.lineStart(step.span.from));
    return at(endOf(step), `\n${indent}${text.trimStart()}`);
  }

  /** The step at a place. */
  stepAt({ from }: Span): ListedStep | null {
    const section = this.sectionsAt({ from, to: from })?.[0];
    const all = (steps: readonly ListedStep[]): ListedStep[] => steps.flatMap((step) => [step, ...all(step.children)]);
    return all(section?.steps ?? []).find(({ span }) => span.from <= from && from <= span.to) ?? null;
  }

  /** Adds a row to the table of a section whose columns the row belongs to, or with a new table. */
  row(section: Section, kind: keyof typeof TABLES, cells: readonly string[]): Edit {
    const columns: readonly string[] = keysOf(TABLES[kind]);
    const table = section.tables.find(({ header }) => header[0] && this.textOf(header[0]) === columns[0]);
    if (table) {
      const line = table.header.map((cell) => cells[columns.indexOf(this.textOf(cell))] ?? '');
      const missing = cells.some(
        (cell, i) => cell !== '' && !table.header.some((head) => this.textOf(head) === columns[i]),
      );
      if (!missing) return at(table.span.to, `\n| ${line.join(' | ')} |`);
    }
    const heads = columns.slice(0, cells.length);
    const lines = [heads, heads.map(() => '---'), cells].map((line) => `| ${line.join(' | ')} |`);
    return this.afterBullets(section, lines.join('\n'));
  }

  /** Adds rows as somebody typed them, with or without a header: to the table of their kind, or as a new table. */
  rowsAsTyped(section: Section, kind: keyof typeof TABLES, text: string): Edit {
    const columns: readonly string[] = keysOf(TABLES[kind]);
    const lines = text.split('\n');
    const hasHeader = DELIMITERS.test(lines[1] ?? '');
    const table = section.tables.find(({ header }) => header[0] && this.textOf(header[0]) === columns[0]);
    const rows = hasHeader ? lines.slice(2) : lines;
    const cells = cellsOf(rows[0] ?? '');
    if (table && (rows.length > 1 || cells.length === table.header.length))
      return at(table.span.to, `\n${rows.join('\n')}`);
    if (hasHeader) return this.afterBullets(section, text);
    if (rows.length === 1) return this.row(section, kind, cells);
    const heads = columns.slice(0, cells.length);
    const head = [heads, heads.map(() => '---')].map((line) => `| ${line.join(' | ')} |`);
    return this.afterBullets(section, [...head, ...rows].join('\n'));
  }

  /**
   * Fills a cell of the row at a place, where the row has such a column. In a cell with other values, the text is added
   * to them.
   */
  cell({ from }: Span, column: string, text: string): Edit[] {
    for (const table of this.sectionsAt({ from, to: from })?.[0].tables ?? []) {
      const row = table.rows.find(({ span }) => span.from <= from && from <= span.to);
      const cell = row?.cells[this.columnOf(table, column)];
      const old = cell && this.textOf(cell).trim();
      if (!cell) continue;
      const more = old ? JOINED[column]?.(old, text) : undefined;
      return [...(more ?? []), text].map((one) => this.inCell(cell, one));
    }
    return [];
  }

  /** The rows of the section at a place. */
  rowsOf(span: Span): Span[] {
    return (this.sectionsAt(span)?.[0].tables ?? []).flatMap(({ rows }) => rows.map((row) => row.span));
  }

  /** Adds the title of the document, or a section at the end of a part. */
  heading(text: string, part: PartName | null): Edit {
    const section = part && this.part(part);
    if (text.startsWith('# ')) return at(0, `${text}\n\n`);
    if (!section) return part ? this.newPart(part, text) : this.atEnd(text);
    const next = this.blocks.sections[this.blocks.sections.indexOf(section) + 1];
    return next ? at(next.span.from, `${text}\n\n`) : this.atEnd(text);
  }

  /** The first cell of the row at a place, and the heading of its section; null where there is no row. */
  rowAt({ from }: Span): { readonly first: string; readonly heading: string } | null {
    const section = this.sectionsAt({ from, to: from })?.[0];
    const rows = section?.tables.flatMap((table) => table.rows) ?? [];
    const row = rows.find(({ span }) => span.from <= from && from <= span.to);
    const [first] = row?.cells ?? [];
    return section && first ? { first: this.textOf(first).trim(), heading: this.textOf(section.heading) } : null;
  }

  private columnOf({ header }: Table, column: string): number {
    const named = header.findIndex((cell) => this.textOf(cell) === column);
    // The first column of the table of a payload has the name of the payload in its heading.
    return named < 0 && header[0] && this.textOf(header[0]).startsWith(`${column} `) ? 0 : named;
  }

  /** Replaces the text of a cell; the cell keeps its width where there is room. */
  private inCell({ from, to }: Text, text: string): Edit {
    const escaped = text.replaceAll('|', '\\|');
    const room = /^ */.exec(this.blocks.source.slice(to))?.[0].length ?? 0;
    const grown = Math.max(0, escaped.length - (to - from));
    return {
      from,
      to: to + Math.min(grown, Math.max(0, room - 1)),
      text: from === to && room < 2 ? `${escaped} ` : escaped,
    };
  }

  /** Takes the lines of a statement away. */
  removal({ from, to }: Span): Edit {
    const end = this.blocks.source.indexOf('\n', to);
    return { from: this.lineStart(from), to: end < 0 ? this.blocks.source.length : end + 1, text: '' };
  }

  /** Adds a part that the document does not have, in its place, with a first statement. */
  newPart(part: PartName, text: string): Edit {
    const names = keysOf(PART_HEADINGS);
    const later = names.slice(names.indexOf(part) + 1).flatMap((name) => this.part(name) ?? []);
    const block = `## ${PART_HEADINGS[part]}\n\n${text}\n`;
    return later[0] ? at(later[0].span.from, `${block}\n`) : this.atEnd(block);
  }

  /** The end of the statement at a place: of its bullet, cell or step, before a full stop or colon. */
  endOf({ from }: Span): number | null {
    const section = this.sectionsAt({ from, to: from })?.[0];
    if (!section) return null;
    const bullet = section.bullets.find(({ span }) => span.from <= from && from <= span.to);
    if (bullet) return bullet.span.to;
    const step = this.stepAt({ from, to: from });
    if (!step) return null;
    return /[.:]$/.test(this.textOf(step.span)) ? step.span.to - 1 : step.span.to;
  }

  textOf({ from, to }: Span): string {
    return this.blocks.source.slice(from, to);
  }

  private lineStart(offset: number): number {
    return this.blocks.source.lastIndexOf('\n', offset - 1) + 1;
  }

  /** Puts a block directly below a heading. */
  private first({ span }: Section, text: string): Edit {
    return at(span.to, `\n\n${text}`);
  }

  /** Puts a block after the bullets of a section, or below its heading. */
  private afterBullets(section: Section, text: string): Edit {
    const last = section.bullets.at(-1);
    return at(last ? last.span.to : section.span.to, `\n\n${text}`);
  }

  /** Puts a block after all blocks of a section, before the sections below it. */
  private last(section: Section, text: string): Edit {
    const ends = [section.span, ...section.bullets.map(({ span }) => span), ...section.tables.map(({ span }) => span)];
    const end = Math.max(...[...ends, ...section.paragraphs, ...section.indented, ...section.html].map(({ to }) => to));
    return at(end, `\n\n${text}`);
  }

  private atEnd(text: string): Edit {
    const { source } = this.blocks;
    const break_ = source === '' ? '' : source.endsWith('\n\n') ? '' : source.endsWith('\n') ? '\n' : '\n\n';
    return at(source.length, break_ + text);
  }
}

/** How a cell takes another value beside those that it has. */
const JOINED: Readonly<Record<string, (old: string, text: string) => string[]>> = {
  'Given by': (old, text) => [`${old}; ${text}`],
  'Allowed values': (old, text) => [`${text}, ${old}`, `${old}, ${text}`],
};

/** The line between the header and the rows of a table. */
const DELIMITERS = /^\|?(?:\s*:?-+:?\s*\|)+\s*(?::?-+:?\s*)?$/;

/** The cells of a row, where `\|` is a part of a cell. */
const cellsOf = (row: string): string[] =>
  row
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

/** The bullets that a question may ask to add to. */
const ONCE: ReadonlySet<string> = new Set(['Blank cells']);

/** An edit that takes nothing away. */
const at = (offset: number, text: string): Edit => ({ from: offset, to: offset, text });

/** The last section of a list that begins at or before an offset. */
const lastBefore = (sections: readonly Section[], offset: number): Section | undefined =>
  sections.findLast(({ span }) => span.from <= offset);

const endOf = (step: ListedStep): number =>
  step.children.reduce((to, child) => Math.max(to, endOf(child)), step.span.to);

/** The places of bullets below the parts, by what their headings look like. */
const BELOW: { readonly [P in PartName]?: ReadonlyArray<readonly [RegExp, BulletPlace]> } = {
  resources: [[/^/, 'resource']],
  states: [[/\./, 'machine']],
  endpoints: [
    [/^Handler /, 'handler'],
    [/^`/, 'endpoint'],
  ],
  authentication: [[/^/, 'scheme']],
  events: [
    [/^Webhook$/, 'webhook'],
    [/^Stream$/, 'stream'],
  ],
};

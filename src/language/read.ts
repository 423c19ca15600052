import { allowing, type Finding } from '../syntax/diagnostic.ts';
import { type Lookalike, lookalikeIn } from '../syntax/lookalikes.ts';
import type { Section, Table, Text } from '../syntax/markdown.ts';
import { language } from '../syntax/messages.ts';
import { type Located, linesIn, located, readCell, takeName } from '../syntax/names.ts';
import { type Notes, Phrase } from '../syntax/phrase.ts';
import { IN_CODE, IN_PARAGRAPH } from '../syntax/prose.ts';
import type { Span } from '../syntax/span.ts';
import { keysOf } from '../text/own-members.ts';
import { type BulletKey, type BulletPlace, bulletLesson } from './bullets.ts';
import { cellLesson, type Forms } from './columns.ts';
import type { Grammar } from './grammar.ts';
import { BULLET_KEYS, homeOf } from './keys.ts';
import { isMisread, laterFaults } from './later-faults.ts';
import type { BulletStatements, Stated, Statements } from './statement.ts';

/** Reads the value of one bullet; the phrase reports text that it can't read. */
type ReadBullet = (value: Phrase, span: Span, key: Phrase) => void;

/**
 * Reads a section's bullets. `readers` has the keys that are allowed; a key that ends in a space takes a name after it,
 * such as `Derived full_name`. `repeatable` names the keys that may occur more than once.
 */
function readBullets<P extends BulletPlace>(
  section: Section,
  place: P,
  readers: Readonly<Record<BulletKey<P>, ReadBullet>>,
  notes: Notes,
  repeatable: ReadonlyArray<BulletKey<P>> = [],
): void {
  const seen = new Set<string>();
  const names: ReadonlyArray<BulletKey<P>> = BULLET_KEYS[place];
  for (const paragraph of section.paragraphs) checkParagraph(paragraph, names, notes);
  for (const code of section.indented) checkIndented(code, names, notes);
  const unread = new UnknownBullets(notes.findings, names);
  for (const bullet of section.bullets) {
    const own: Notes = { findings: [], marks: notes.marks };
    const key = new Phrase(bullet.key, own);
    const name = key.choose(names);
    const read = name && readers[name];
    const understood = name && (name.endsWith(' ') || key.end());
    unread.add(own.findings, bullet.key.source.slice(bullet.key.from, bullet.key.to));
    if (!understood || !read) continue;
    if (seen.has(name) && !repeatable.includes(name)) {
      notes.findings.push(language.report.twice(bullet.span, { what: `“${name}”` }));
      continue;
    }
    seen.add(name);
    const value = new Phrase({ ...bullet.value, lesson: bulletLesson(place, name) }, notes);
    read(value, bullet.span, key);
    if (bullet.value.from === bullet.value.to) value.fail('free text');
    value.end();
    key.end();
    notes.findings.push(...own.findings);
  }
  unread.end();
}

/** Reads a whole cell; null when it was not understood. */
export function readValue<T>(cell: Text, notes: Notes, grammar: Grammar<T>): Located<T> | null {
  return readCell(cell, notes, (phrase) => readWith(grammar, phrase, notes));
}

/** Reads the value that a phrase is, and records its printed form when the document is printed. */
export function readWith<T>(grammar: Grammar<T>, phrase: Phrase, notes: Notes): T | undefined {
  const before = phrase.findings.length;
  const value = grammar.read(phrase);
  const first = phrase.failed ? phrase.findings.slice(before).find(isMisread) : undefined;
  if (first) phrase.findings.push(...laterFaults(grammar, phrase.text, first));
  if (value !== undefined) record(phrase.text, () => grammar.print(value), notes);
  return value;
}

/** Records the printed form of a statement when the document is printed. */
export function record({ from, to, inTable }: Text, print: () => string, notes: Notes): void {
  if (!notes.printed) return;
  const text = print();
  // A bar would end the cell, in inline code too (GFM, 4.10).
  notes.printed.push({ from, to, text: inTable ? text.replaceAll('|', '\\|') : text });
}

type Others<P extends BulletPlace, S> = Readonly<Record<Exclude<BulletKey<P>, keyof S>, ReadBullet>>;

/**
 * Reads a section's bullets by the statements of the language. `others` has the readers of keys that take a name, each
 * of which may occur more than once. Without a section, nothing is stated.
 */
export function readStatements<P extends BulletPlace, S extends BulletStatements>(
  section: Section | null,
  place: P,
  statements: S,
  notes: Notes,
  ...[others]: Exclude<BulletKey<P>, keyof S> extends never ? [] : [others: Others<P, S>]
): Stated<S> {
  const stated: Record<string, Located<unknown> | readonly unknown[] | null> = {};
  const readers: Record<string, ReadBullet> = { ...others };
  const repeatable = Object.keys(others ?? {});
  for (const [key, { member, value, rules, named }] of Object.entries(statements)) {
    const all: unknown[] = [];
    stated[member] = rules ? all : null;
    if (rules === 'several') repeatable.push(key);
    readers[key] = (phrase, span, keyPhrase) => {
      const name = named && takeName(keyPhrase, 'declaration', named.what);
      const one = readWith(value as Grammar<object>, phrase, notes);
      if (!rules) stated[member] = located(span, one ?? null);
      else if (one !== undefined && name !== null) all.push({ ...one, ...(name && { name }), span });
    };
  }
  const every = readers as Readonly<Record<BulletKey<P>, ReadBullet>>;
  if (section) readBullets(section, place, every, notes, repeatable as Array<BulletKey<P>>);
  return stated as unknown as Stated<S>;
}

/**
 * Consecutive bullets whose keys resemble no key allowed there: they are a list of something else, with one finding.
 */
class UnknownBullets {
  private readonly findings: Finding[];
  private readonly names: readonly string[];
  private first: { readonly finding: Finding; readonly key: string } | null = null;
  private count = 0;

  constructor(findings: Finding[], names: readonly string[]) {
    this.findings = findings;
    this.names = names;
  }

  /** Takes the findings about the key of the next bullet. */
  add(found: Finding[], key: string): void {
    const [one] = found;
    if (found.length === 1 && one && one.found !== null && one.suggestion === null) {
      this.first ??= { finding: one, key };
      this.count++;
      found.length = 0;
      return;
    }
    this.end();
    this.findings.push(...found.splice(0));
  }

  /** Reports the bullets collected so far, and where the first belongs. */
  end(): void {
    if (!this.first) return;
    const { finding, key } = this.first;
    const more = this.count - 1;
    const home = homeOf(key);
    const expected = this.names.map((name) => `“${name.trim()}”`).join(', ');
    if (more > 0)
      this.findings.push(
        language.report.unknownBullets(finding.span, {
          found: finding.found ?? '',
          more: more === 1 ? 'bullet' : `${more} bullets`,
          expected,
          home,
        }),
      );
    else if (home) this.findings.push(language.report.unknown(finding.span, { found: key, expected, home }));
    else this.findings.push(finding);
    this.first = null;
    this.count = 0;
  }
}

/** Text that may precede a key meant as a bullet: signs that Markdown does not read as one, emphasis, code, HTML. */
const LEAD = /^(?:\s|\[\^[^\]]*\]:|\\[-*+]|[*_~`◦·‣▪●○■–—−]|<[a-z][^>]*>)*/iu;
/** A key and its colon, which may be emphasized, or the wide one of East Asian text. */
const KEY = /^([^:：`|]{1,60}?)[*_`]*\s*(?::(?=[\s*_`]|$)|：)[*_`]*/u;

/** A line `Key: value` without its bullet would be prose; a sentence such as `Scopes: none.` is contract. */
function checkParagraph(paragraph: Text, keys: readonly string[], notes: Notes): void {
  for (const { key, span, isSentence, colon } of keysIn(paragraph))
    if (!isSentence && isKey(key, keys))
      notes.findings.push(language.report.notABullet(span, { key, ...(colon && { colon: colon.name }) }));
}

const isKey = (key: string, keys: readonly string[]): boolean =>
  keys.some((one) => (one.endsWith(' ') ? key.startsWith(one) : one === key));

/** Reports lines of indented code that look like bullets. */
function checkIndented(code: Text, keys: readonly string[], notes: Notes): void {
  for (const { key, span } of keysIn(code))
    if (isKey(key, keys))
      notes.findings.push(language.report.looksLike(span, { what: 'a bullet', as: IN_CODE, write: `- ${key}: …` }));
}

/** Reports lines of paragraphs that name a row of a table whose first column may be one of some names. */
export function checkRowsAsProse({ paragraphs }: Section, names: readonly string[], notes: Notes): void {
  for (const paragraph of paragraphs)
    for (const { key, span, isSentence } of keysIn(paragraph))
      if (!isSentence && names.includes(key))
        notes.findings.push(
          language.report.looksLike(span, { what: 'a row of a table', as: IN_PARAGRAPH, write: `| ${key} | … |` }),
        );
}

interface WrittenKey {
  readonly key: string;
  readonly span: Span;
  /** Whether the key is the subject of a sentence that ends in `none.` or `not shown.` */
  readonly isSentence: boolean;
  /** The character in place of its colon. */
  readonly colon: Lookalike | null;
}

/** Finds the text before a colon at the beginning of each line. */
function keysIn(paragraph: Text): WrittenKey[] {
  const out: WrittenKey[] = [];
  for (const { line, from: at } of linesIn(paragraph)) {
    const lead = LEAD.exec(line)?.[0].length ?? 0;
    const found = KEY.exec(line.slice(lead));
    if (found) {
      const key = (found[1] ?? '').replace(/[*_]+$/, '').trim();
      const rest = line.slice(lead + found[0].length).trimStart();
      const isSentence = lead === 0 && found[0] === `${key}:` && /^(?:none|not shown)\./.test(rest);
      out.push({
        key,
        span: { from: at + lead, to: at + lead + key.length },
        isSentence,
        colon: lookalikeIn(found[0]),
      });
    }
  }
  return out;
}

/** A table's rows, each as its cells by column. A blank cell and a missing column are both null. */
export type Cells<C extends string> = Readonly<Record<C, Text | null>> & {
  readonly span: Span;
  /** The columns that the table lacks; one finding at its header reports them. */
  readonly absent: ReadonlySet<string>;
};

/** Whether a row's cell is blank, where its table has the column. */
export const isBlank = <C extends string>(cells: Cells<C>, column: NoInfer<C>): boolean =>
  !cells[column] && !cells.absent.has(column);

/**
 * Reads a table's header against the columns it may have, and its rows by column. The first column names the subject of
 * a row: a table without it has no rows. Of the others, the table must have those in `owed`.
 */
export function readTable<C extends string>(
  table: Table,
  forms: Readonly<Record<C, Forms>>,
  notes: Notes,
  owed: ReadonlyArray<NoInfer<C>> = keysOf(forms),
  or = '',
): Array<Cells<C>> {
  const columns = keysOf(forms);
  const order = readHeader(table, columns, notes);
  const absent = new Set(columns.filter((column) => !order.includes(column)));
  if (table.rows.length === 0) notes.findings.push(language.report.emptyTable(table.span));
  const [key] = columns;
  if (!order.includes(null)) {
    const header = table.header[0] ?? table.span;
    if (key && absent.has(key)) notes.findings.push(language.report.unreadTable(header, { column: key, or }));
    else
      for (const column of owed)
        if (absent.has(column)) notes.findings.push(language.report.noColumn(header, { column }));
  }
  if (key && absent.has(key)) return [];
  return table.rows.map((row) => {
    const cells = Object.fromEntries(columns.map((column) => [column, null])) as Record<C, Text | null>;
    for (const [i, column] of order.entries()) {
      const cell = row.cells[i];
      if (column && cell && cell.from < cell.to) cells[column] = withLesson(cell, forms[column]);
    }
    return Object.assign(cells, { span: row.span, absent });
  });
}

/** Reads the cells of a row by their columns; `textOf` returns the text of a cell, which may be blank. */
export function readCells<S extends Statements>(
  columns: S,
  notes: Notes,
  textOf: (column: keyof S & string) => Text | null,
): Stated<S> {
  const stated = keysOf(columns).map((column) => {
    const { member, value } = columns[column]!;
    const text = textOf(column);
    return [member, text && readValue(text, notes, value as Grammar<unknown>)];
  });
  return Object.fromEntries(stated) as Stated<S>;
}

/** A cell with the forms of its value, which a finding shows where the cell isn’t understood. */
export const withLesson = (cell: Text, forms: Forms): Text =>
  forms.length ? { ...cell, lesson: cellLesson(forms) } : cell;

/**
 * Reads the header of a table: its columns, with null for each one that is not understood. If none is understood, there
 * is one finding for all.
 */
function readHeader<C extends string>(table: Table, columns: readonly C[], notes: Notes): Array<C | null> {
  const order: Array<C | null> = [];
  const unread: Array<{ cell: Text; finding: Finding }> = [];
  for (const cell of table.header) {
    const own: Notes = { findings: [], marks: notes.marks };
    const phrase = new Phrase(cell, own);
    const column = phrase.choose(columns);
    const understood = phrase.end() ? column : null;
    if (understood && order.includes(understood))
      notes.findings.push(language.report.twice(cell, { what: `The column “${understood}”` }));
    order.push(understood);
    for (const finding of own.findings) unread.push({ cell, finding });
  }
  const [first] = table.header;
  if (first && unread.length > 1 && unread.length === table.header.length) {
    const expected = columns.map((column) => `“${column}”`).join(', ');
    const span = { from: first.from, to: table.header.at(-1)?.to ?? first.to };
    notes.findings.push(language.report.unreadHeader(span, { expected }));
    return order;
  }
  // If all expected columns are present, an additional unknown column hides no cells.
  const hides = columns.some((column) => !order.includes(column));
  for (const { finding } of unread) notes.findings.push(hides ? unreadColumn(finding) : finding);
  return order;
}

/** Turns a finding about a table's header into one that keeps the cells below from being read. */
export function unreadColumn({ span, message, found, suggestion, legal }: Finding): Finding {
  const params = { message, ...(found !== null && { found }), nearest: suggestion ?? '' };
  return allowing(language.report.unreadColumn(span, params), legal);
}

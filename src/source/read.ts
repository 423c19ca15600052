import type { Finding } from './diagnostic.ts';
import { language } from './language.ts';
import type { Section, Table, Text } from './markdown.ts';
import { type Notes, Phrase } from './phrase.ts';
import type { Span } from './span.ts';

/** A stated fact and where it is stated. */
export interface Said<T> extends Span {
  readonly value: T;
}

/** A name as it stands in the document: where it is declared, or where it is used. */
export interface Name extends Span {
  readonly text: string;
}

/** Joins a value to the place that says it; null stays null. */
export function said<T>(span: Span, value: T | null): Said<T> | null {
  return value === null ? null : { value, from: span.from, to: span.to };
}

/** Reads the value of one bullet; what it can't read, the phrase has reported. */
export type ReadBullet = (value: Phrase, span: Span, key: Phrase) => void;

/**
 * Reads a section's bullets. `keys` are the keys it may have; one that ends in a space takes a name after it,
 * such as `Derived full_name`. `repeatable` names those that may stand more than once.
 */
export function readBullets(
  section: Section,
  keys: Readonly<Record<string, ReadBullet>>,
  notes: Notes,
  repeatable: readonly string[] = [],
): void {
  const seen = new Set<string>();
  for (const paragraph of section.paragraphs) checkParagraph(paragraph, Object.keys(keys), notes);
  for (const bullet of section.bullets) {
    const key = new Phrase(bullet.key, notes);
    const name = key.choose(Object.keys(keys));
    if (!name || (!name.endsWith(' ') && !key.end())) continue;
    if (seen.has(name) && !repeatable.includes(name)) {
      notes.findings.push(language.report.twice(bullet.span, { what: `“${name}”` }));
      continue;
    }
    seen.add(name);
    const value = new Phrase(bullet.value, notes);
    if (bullet.value.from === bullet.value.to) value.fail('a value');
    else {
      keys[name]!(value, bullet.span, key);
      value.end();
      key.end();
    }
  }
}

/** A line `Key: value` without its bullet would be prose; a sentence such as `Scopes: none.` is contract. */
function checkParagraph(paragraph: Text, keys: readonly string[], notes: Notes): void {
  const text = paragraph.source.slice(paragraph.from, paragraph.to);
  let at = paragraph.from;
  for (const line of text.split('\n')) {
    const colon = line.indexOf(': ');
    const key = line.slice(0, Math.max(colon, 0)).trim();
    const from = at + line.indexOf(key);
    if (keys.includes(key) && !/^(?:none|not shown)\./.test(line.slice(colon + 1).trimStart()))
      notes.findings.push(language.report.notABullet({ from, to: from + key.length }, { key }));
    at += line.length + 1;
  }
}

/** A table's rows, each as its cells by column. A blank cell and a missing column are both null. */
export type Cells<C extends string> = Readonly<Record<C, Text | null>> & { readonly span: Span };

/** Reads a table's header against the columns it may have, and its rows by column. */
export function readTable<C extends string>(table: Table, columns: readonly C[], notes: Notes): Array<Cells<C>> {
  const order: Array<C | null> = [];
  for (const cell of table.header) {
    const phrase = new Phrase(cell, notes);
    const column = phrase.choose(columns);
    const understood = phrase.end() ? column : null;
    if (understood && order.includes(understood))
      notes.findings.push(language.report.twice(cell, { what: `The column “${understood}”` }));
    order.push(understood);
  }
  if (table.rows.length === 0) notes.findings.push(language.report.emptyTable(table.span));
  return table.rows.map((row) => {
    const cells = Object.fromEntries(columns.map((column) => [column, null])) as Record<C, Text | null>;
    for (const [i, column] of order.entries()) {
      const cell = row.cells[i];
      if (column && cell && cell.from < cell.to) cells[column] = cell;
    }
    return Object.assign(cells, { span: row.span });
  });
}

/** Reports what stands in a section where it has no meaning, so that nothing is accepted and ignored. */
export function refuse(
  section: Section,
  kinds: { tables?: boolean; steps?: boolean; bullets?: boolean; children?: boolean },
  where: string,
  findings: Finding[],
): void {
  const say = (span: Span, what: string) => findings.push(language.report.unexpected(span, { what, where }));
  if (kinds.tables) for (const table of section.tables) say(table.span, 'A table');
  if (kinds.steps) for (const step of section.steps) say(step.span, 'A numbered step');
  if (kinds.bullets) for (const bullet of section.bullets) say(bullet.span, 'A bullet');
  if (kinds.children) for (const child of section.children) say(child.heading, 'This heading');
}

/** Reads a whole cell with `read`; what is left over is reported. Null where it was not understood. */
export function readCell<T>(text: Text, notes: Notes, read: (phrase: Phrase) => T | null): Said<T> | null {
  const phrase = new Phrase(text, notes);
  const value = read(phrase);
  return phrase.end() ? said(text, value) : null;
}

/** A cell that holds one name, bare. */
export function readName(text: Text, notes: Notes, role: 'use' | 'declaration', what: string): Name | null {
  const phrase = new Phrase(text, notes);
  const token = phrase.word(role, what);
  return token && phrase.end() ? { text: token.text, from: token.from, to: token.to } : null;
}

/** Takes a name in the middle of a phrase. */
export function takeName(phrase: Phrase, role: 'use' | 'declaration' | 'value', what: string): Name | null {
  const token = phrase.word(role, what);
  return token && { text: token.text, from: token.from, to: token.to };
}

/** Takes names joined by commas. */
export function takeNames(phrase: Phrase, role: 'use' | 'declaration', what: string): Name[] {
  const names: Name[] = [];
  do {
    const name = takeName(phrase, role, what);
    if (!name) break;
    names.push(name);
  } while (phrase.mark(','));
  refuseRepeats(names, phrase.findings);
  return names;
}

/** Takes a name of two parts, such as `Order.status`. */
export function takePath(phrase: Phrase, what: string): { resource: Name; field: Name } | null {
  const halves = phrase.path('use', what);
  if (!halves) return null;
  const [resource, field] = halves.map(({ text, from, to }): Name => ({ text, from, to }));
  return { resource: resource!, field: field! };
}

/** Reports each name of a list that stands in it before: the second says nothing. */
export function refuseRepeats(names: readonly Name[], findings: Finding[], what = ''): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name.text)) findings.push(language.report.twice(name, { what: `${what}“${name.text}”` }));
    seen.add(name.text);
  }
}

/** Reports each name of a member that is no dotted name, or that nests in another which is a member itself. */
export function refuseNested(names: readonly Name[], findings: Finding[]): void {
  const all = new Map(names.map((name) => [name.text, name]));
  for (const name of names) {
    const parts = name.text.split('.');
    const above = parts.slice(1).map((_part, i) => parts.slice(0, i + 1).join('.'));
    const within = above.find((text) => all.has(text));
    if (parts.includes('')) findings.push(language.report.unexpected(name, { what: `“${name.text}”`, where: DOTTED }));
    else if (within !== undefined) findings.push(language.report.nested(name, { name: name.text, within }));
  }
}

const DOTTED = 'as the name of a member: dots stand between its parts, as in `note.text`';

/** Reports each name that differs from one before it in capitals alone: tables and their columns can’t tell them apart. */
export function refuseLookalikes(names: readonly Name[], findings: Finding[], what = ''): void {
  const seen = new Map<string, string[]>();
  for (const name of names) {
    const lower = name.text.toLowerCase();
    const before = seen.get(lower) ?? [];
    const like = before.find((text) => text !== name.text);
    if (before.length < 2 && !before.includes(name.text)) seen.set(lower, [...before, name.text]);
    if (like) findings.push(language.report.twice(name, { what: `${what}“${like}” (in capitals or not)` }));
  }
}

/** `, else code`, where it stands. */
export function readElse(phrase: Phrase): Name | null {
  return phrase.take(', else') ? takeName(phrase, 'use', 'an error code') : null;
}

import { keysOf } from '../text/own-members.ts';
import type { Finding } from './diagnostic.ts';
import type { Section, Text } from './markdown.ts';
import { language } from './messages.ts';
import { type Notes, Phrase } from './phrase.ts';
import type { Span } from './span.ts';
import type { Token } from './tokens.ts';

/** A stated fact and where it is stated. */
export interface Located<T> extends Span {
  readonly value: T;
}

/** A name and its place in the document, where the name is declared or used. */
export interface Name extends Span {
  readonly text: string;
}

/** Attaches a place in the document to a value; null stays null. */
export function located<T>(span: Span, value: T | null): Located<T> | null {
  return value === null ? null : { value, from: span.from, to: span.to };
}

/** The lines of a text, and where each begins in the document. */
export function* linesIn({ source, from, to }: Text): Generator<{ readonly line: string; readonly from: number }> {
  let at = from;
  for (const line of source.slice(from, to).split('\n')) {
    yield { line, from: at };
    at += line.length + 1;
  }
}

/** Reports content of a section that has no meaning there, so that nothing is accepted and ignored. */
export function refuse(
  section: Section,
  kinds: { tables?: boolean; steps?: boolean; bullets?: boolean; children?: boolean },
  where: string,
  findings: Finding[],
): void {
  const FORMS = { bullets: 'bullets', tables: 'tables', steps: 'numbered steps', children: 'headings' };
  const allowed = keysOf(FORMS).flatMap((kind) => (kinds[kind] ? [] : [FORMS[kind]]));
  const report = (span: Span, what: string) =>
    findings.push(language.report.unexpected(span, { what, where, allowed: allowed.join(', ') }));
  const reportFirst = (list: ReadonlyArray<{ readonly span: Span }>, one: string, many: string) => {
    if (list[0]) report(list[0].span, list.length > 1 ? `This list of ${list.length} ${many}` : one);
  };
  if (kinds.tables) for (const table of section.tables) report(table.span, 'A table');
  if (kinds.steps) reportFirst(section.steps, 'A numbered step', 'numbered steps');
  if (kinds.bullets) reportFirst(section.bullets, 'A bullet', 'bullets');
  if (kinds.children) for (const child of section.children) report(child.heading, 'This heading');
}

/** Reads a whole cell with `read`, and reports text that is left over. Null where the cell was not understood. */
export function readCell<T>(
  text: Text,
  notes: Notes,
  read: (phrase: Phrase) => T | null | undefined,
): Located<T> | null {
  const phrase = new Phrase(text, notes);
  const value = read(phrase);
  return phrase.end() ? located(text, value ?? null) : null;
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

/** Takes names joined by commas, which are declared elsewhere. */
export function takeNames(phrase: Phrase, what: string): Name[] {
  const names: Name[] = [];
  do {
    const name = takeName(phrase, 'use', what);
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
  const [resource, field] = halves;
  return { resource: nameOf(resource), field: nameOf(field) };
}

const nameOf = ({ text, from, to }: Token): Name => ({ text, from, to });

/** Reports each name that occurs earlier in the same list: the second occurrence has no effect. */
export function refuseRepeats(names: readonly Name[], findings: Finding[], what = ''): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name.text)) findings.push(language.report.twice(name, { what: `${what}“${name.text}”` }));
    seen.add(name.text);
  }
}

/** One part of the name of a field: `quantity`, `unit_price` or `first-name`. */
const PART = '[A-Za-z][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*';
const FIELD = new RegExp(`^${PART}(?:\\.${PART})*$`);
/** The most parts of a name. */
const MOST_PARTS = 5;

/** Whether a text is a name for a field: parts that are joined by dots. */
export const isNameOfField = (text: string, most = MOST_PARTS): boolean =>
  FIELD.test(text) && text.split('.').length <= most;

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

/** Reports each name that differs from an earlier one in case alone: tables and columns of a store ignore case. */
export function refuseLookalikes(names: readonly Name[], findings: Finding[], what = ''): void {
  const seen = new Map<string, string[]>();
  for (const name of names) {
    const lower = name.text.toLowerCase();
    const before = seen.get(lower) ?? [];
    const lookalike = before.find((text) => text !== name.text);
    if (before.length < 2 && !before.includes(name.text)) seen.set(lower, [...before, name.text]);
    if (lookalike) findings.push(language.report.twice(name, { what: `${what}“${lookalike}” (in capitals or not)` }));
  }
}

import type { BulletPlace } from '../../language/bullets.ts';
import { BULLET_KEYS, homeOf, LIMIT_NAMES, partsOfItem, placesOf } from '../../language/keys.ts';
import { lookalikeIn, plainText } from '../../syntax/lookalikes.ts';
import { type Blocks, emptySection, type Section, type Text } from '../../syntax/markdown.ts';
import { language } from '../../syntax/messages.ts';
import type { Mark, Notes } from '../../syntax/phrase.ts';
import { lastUpTo, type Span } from '../../syntax/span.ts';
import { keysOf } from '../../text/own-members.ts';
import { readAuthentication, readScheme } from '../authentication/read.ts';
import { readHandler } from '../endpoints/handlers/read.ts';
import { readEndpoints, readSettings } from '../endpoints/read.ts';
import { readSchedule } from '../endpoints/schedules/read.ts';
import { readErrors } from '../errors/read.ts';
import { readEvents, readStream, readWebhook } from '../events/read.ts';
import { readLimits } from '../limits/read.ts';
import { readPurpose } from '../purpose/read.ts';
import { readResources, readRules } from '../resources/read.ts';
import type { AbsenceSentence } from '../statements/model.ts';
import { readMachine, readStates } from '../states/read.ts';
import { readVersioning } from '../versioning/read.ts';
import { ITEMS } from './items.ts';
import { sectionsIn } from './units.ts';

/** A text in prose that begins like a statement: its key, and the text up to the next candidate. */
interface Candidate {
  readonly key: string;
  readonly span: Span;
  readonly value: string;
  /** Whether the text is part of a statement whose value may be any text. */
  readonly inStatement: boolean;
  /** The span in the document from the marks before the key up to a length of the value. */
  readonly written: (length: number) => Span;
}

/** A statement in its correct form, and the place where it belongs. */
interface Statement {
  readonly text: string;
  readonly home: string;
  readonly write: string;
}

/**
 * Keys whose value may be any text. A line with such a key may be ordinary prose, so it is not reported as misplaced.
 * If the statement is missing, a question asks for it anyway.
 */
const FREE: readonly string[] = ['Purpose', 'Domain', 'File'];

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
const KEYS = [
  ...new Set<string>([
    ...keysOf(BULLET_KEYS).flatMap((place) => BULLET_KEYS[place]),
    ...LIMIT_NAMES,
    ...ITEMS.map(({ name }) => capital(name)),
  ]),
];
const BY_LOWER = new Map(KEYS.map((key) => [key.toLowerCase(), key]));

/**
 * A key and its colon at the beginning of a line, a sentence or an HTML element, with the signs that people put around
 * it.
 */
const CANDIDATE = new RegExp(
  [
    '(?<=^[^\\S\\n]{0,8}|(?:[.;!?,)/|–—]|\\]:)[^\\S\\n]{1,8}|>[^\\S\\n]{0,8})',
    '(?<!<(?:code|kbd|samp|tt)>|\\b(?:e\\.g|i\\.e|cf|vs)\\.,? )',
    '[\\\\*_~•◦·‣▪●○■→⇒☐☑✓–—−+-]*[^\\S\\n]?(`?)',
    `(${[...KEYS]
      .sort((a, b) => b.length - a.length)
      .map((key) => (key.endsWith(' ') ? `${key}[\\w.-]+` : key))
      .join('|')})`,
    '\\1[*_]*[^\\S\\n]*:(?!:)[*_]*',
  ].join(''),
  'gim',
);

/**
 * Reports statements in prose, where nothing reads them: in a part other than their own, before the first part, or
 * after a sentence. A text that only begins like a statement stays prose: its value has to be one that the statement
 * takes, and to name only what the document declares.
 */
export function checkMisplaced(
  { source, outside, sections }: Blocks,
  absences: readonly AbsenceSentence[],
  notes: Notes,
): void {
  const all = sections.flatMap(sectionsIn);
  const prose = [...outside, ...all.flatMap((one) => [...one.paragraphs, ...one.indented, ...one.html])];
  const values = all.flatMap(({ bullets }) => bullets.flatMap(({ key, value }) => (isFree(key) ? value : [])));
  const candidates = [
    ...prose.flatMap((text) => candidatesIn(text)),
    ...values.flatMap((text) => candidatesIn(text, true)),
  ];
  if (candidates.length === 0) return;
  const told = toldIn(notes, absences);
  const declared = notes.marks.filter(({ role }) => role === 'declaration');
  const names = new Set(declared.flatMap(({ from, to }) => withPrefixes(source.slice(from, to))));
  for (const { key, span, value, written, inStatement } of candidates) {
    if (told(span.from)) continue;
    const found = statementIn(key, value, names, inStatement);
    if (!found) continue;
    const { from, to } = written(found.length);
    const odd = lookalikeIn(source.slice(from, to), from);
    if (odd) notes.findings.push(language.report.lookalike(odd, { name: odd.name, plain: odd.plain }));
    else notes.findings.push(language.report.misplaced(span, { found: key, ...found.statement }));
  }
}

/** A name and its prefixes at dots: `place` too, where `place.lat` is declared. */
const withPrefixes = (name: string): string[] => [...name.matchAll(/\.|$/g)].map(({ index }) => name.slice(0, index));

/**
 * Returns a function that says whether a place lies in text that another finding already reports, or that is read as a
 * sentence of absence.
 */
function toldIn({ findings }: Notes, absences: readonly AbsenceSentence[]): (at: number) => boolean {
  const told = findings.flatMap(({ span, standing }) => (span && standing === 'not understood' ? span : []));
  const spans = [...told, ...absences.map(({ span }) => span)].sort((a, b) => a.from - b.from);
  const starts = spans.map(({ from }) => from);
  return (at) => at <= (spans[lastUpTo(starts, at)]?.to ?? -1);
}

const isFree = ({ source, from, to }: Text): boolean => FREE.includes(source.slice(from, to));

function candidatesIn({ source, from, to }: Text, inStatement = false): Candidate[] {
  const { text, at } = plainText(source.slice(from, to));
  const matches = [...text.matchAll(CANDIDATE)].filter(outsideCode(text));
  return matches.flatMap((match, i): Candidate | readonly [] => {
    const [whole, , found = ''] = match;
    const begins = match.index + whole.indexOf(found);
    const ends = match.index + whole.length;
    const key = BY_LOWER.get(found.toLowerCase()) ?? found;
    // In the middle of a line, a lower-case word is part of the sentence and not a key.
    if (key !== found && !/(?:^|\n)\W*$/.test(text.slice(Math.max(0, begins - 20), begins))) return [];
    return {
      key,
      span: { from: from + at(begins), to: from + at(begins + found.length) },
      value: text.slice(ends, matches[i + 1]?.index),
      inStatement,
      written: (length) => ({ from: from + at(match.index), to: from + at(ends + length) }),
    };
  });
}

/**
 * Returns a function that says whether a match is outside inline code. It must be called with the matches in their
 * order.
 */
function outsideCode(text: string): (match: RegExpExecArray) => boolean {
  let at = 0;
  let marks = 0;
  return ({ index }) => {
    for (; at < index; at++) if (text[at] === '`') marks++;
    return marks % 2 === 0;
  };
}

/** The longest value that is tried: no statement has a longer one. */
const LONGEST_VALUE = 10_000;

/** Ends of a value, tried in order: the end of the text, of its first line, of its first sentence, or a tag. */
const ENDS: readonly RegExp[] = [/$/, /\n/, /[.;!?](?:\s|$)/, /</];

/** The statement that a text makes, and how much of the value belongs to it; null where it is prose. */
function statementIn(
  key: string,
  value: string,
  names: ReadonlySet<string>,
  inStatement: boolean,
): { readonly statement: Statement; readonly length: number } | null {
  const tried = new Set(['']);
  for (const end of ENDS) {
    const length = value.search(end);
    if (length < 0 || length > LONGEST_VALUE) continue;
    const written = withoutEnds(value.slice(0, length).replace(/\s+/g, ' '));
    // A word of the language may be in inline code for emphasis.
    for (const one of [written, written.replace(/^`([^`]+)`$/, '$1')]) {
      if (tried.has(one)) continue;
      tried.add(one);
      const statement = statementOf(key, one, names, inStatement);
      if (statement) return { statement, length };
    }
  }
  return null;
}

/** Removes emphasis around a value, and the punctuation at its end. */
function withoutEnds(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && ' *_~'.includes(text.charAt(from))) from++;
  while (to > from && ' *_~.,;!/|–—'.includes(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}

function statementOf(key: string, value: string, names: ReadonlySet<string>, inStatement: boolean): Statement | null {
  const text = `${key}: ${value}`;
  const places =
    FREE.includes(key) && !inStatement
      ? []
      : placesOf(key).filter((place) => namesUsed(place, key, value)?.every((name) => names.has(name)));
  if (places.length) return { text, home: `as a bullet ${homeOf(key, places)}`, write: `- ${text}` };
  if (LIMITS[key]?.test(value))
    return { text, home: `as a row ${homeOf(key, [])}`, write: `| ${key} | ${value} | … |` };
  if (partsOfItem(key).length && /^(?:none|not shown)$/.test(value))
    return { text, home: homeOf(key, []), write: `${text}.` };
  return null;
}

/** How the values of rows of the limits begin. */
const LIMITS: Readonly<Record<string, RegExp>> = {
  Rate: /^(?:any number of requests|`[^`]+` requests per |\d[\d,]* (?:requests? )?(?:per|each|every|an?) )/,
  'Request size': /^\d[\d,]* ?(?:B|[kK]i?B|Mi?B)\b/,
  'Time-out': /^\d[\d,]* ?(?:milli)?(?:seconds?|minutes?|hours?|s|ms)\b/,
  'Page size': /^\d[\d,]* (?:by default|at most)\b/,
  'Whole list': /^\d[\d,]* at most\b/,
};

type Reader = (section: Section, notes: Notes) => unknown;

const READERS: Readonly<Record<BulletPlace, Reader>> = {
  purpose: readPurpose,
  resources: readResources,
  resource: readRules,
  states: readStates,
  machine: readMachine,
  endpoints: readEndpoints,
  endpoint: readSettings,
  handler: (section, notes) => readHandler(section, { text: 'one', from: 0, to: 0 }, notes),
  schedule: (section, notes) => readSchedule(section, { text: 'one', from: 0, to: 0 }, notes),
  authentication: readAuthentication,
  scheme: readScheme,
  events: readEvents,
  webhook: readWebhook,
  stream: readStream,
  errors: readErrors,
  limits: readLimits,
  versioning: readVersioning,
};

/** A heading that is valid for every place; only the reader of states reads it. */
const HEADING = 'Order.status';

/**
 * The names in a bullet's value that are not words of the language, if the bullet is read as one of `place`; null if it
 * is not understood there.
 */
function namesUsed(place: BulletPlace, key: string, value: string): readonly string[] | null {
  const bullet = `${key}: ${value}`;
  const source = `${bullet}\n${HEADING}`;
  const text = (from: number, to: number): Text => ({ source, from, to, inTable: false });
  const span = { from: 0, to: bullet.length };
  const notes: Notes & { readonly marks: Mark[] } = { findings: [], marks: [] };
  READERS[place](
    {
      ...emptySection(3, text(bullet.length + 1, source.length), span),
      bullets: [{ key: text(0, key.length), value: text(key.length + 2, bullet.length), span }],
    },
    notes,
  );
  if (notes.findings.some(({ severity, standing }) => severity === 'error' && standing !== 'idle')) return null;
  const inValue = notes.marks.filter(({ from, to }) => from > key.length && to <= span.to);
  const textOf = ({ from, to }: Mark): string => source.slice(from, to);
  // A value with two words of the language is certainly a statement, even if its names are not declared.
  if (inValue.filter((mark) => mark.role === 'word' && /\w/.test(textOf(mark))).length > 1) return [];
  return inValue.flatMap((mark) => (mark.role === 'use' && source[mark.from - 1] !== '`' ? textOf(mark) : []));
}

import { homeOf } from '../../language/keys.ts';
import type { ItemName, PartName } from '../../plan/parts.ts';
import type { Finding } from '../../syntax/diagnostic.ts';
import type { Section, Text } from '../../syntax/markdown.ts';
import { language } from '../../syntax/messages.ts';
import type { Notes } from '../../syntax/phrase.ts';
import type { Span } from '../../syntax/span.ts';
import { nearest } from '../../text/suggest.ts';
import type { AbsenceSentence } from '../statements/model.ts';
import { ITEMS } from './items.ts';

/** Reads the sentences of a part, its headings included, that end in `: none.` or `: not shown.` */
export function readSentences(part: PartName, section: Section, notes: Notes): AbsenceSentence[] {
  const own = section.paragraphs.flatMap((paragraph) => readParagraph(part, paragraph, notes));
  return [...own, ...section.children.flatMap((child) => readSentences(part, child, notes))];
}

function readParagraph(part: PartName, paragraph: Text, notes: Notes): AbsenceSentence[] {
  const text = paragraph.source.slice(paragraph.from, paragraph.to);
  const out: AbsenceSentence[] = [];
  let before = 0;
  for (const match of text.matchAll(/:\s+(not\s+shown|none|\w+(?:\s+\w+)?)\.(?=\s|$)/g)) {
    // The subject begins after the previous sentence, or after a colon.
    const begin = Math.max(
      before,
      text.lastIndexOf('.', match.index - 1) + 1,
      text.lastIndexOf(':', match.index - 1) + 1,
    );
    const subject = text.slice(begin, match.index);
    const from = paragraph.from + begin;
    before = match.index + match[0].length;
    const start = from + (subject.length - subject.trimStart().length);
    const [, verdict = ''] = match;
    if (!/^(?:not\s+shown|none)$/.test(verdict)) {
      const at = paragraph.from + before - 1 - verdict.length;
      const wrong = misspelt(part, subject, { from: at, to: at + verdict.length }, verdict);
      notes.findings.push(...wrong);
      if (wrong.length) out.push(...meant(part, subject, { from: start, to: paragraph.from + before }));
      continue;
    }
    const state = match[1] === 'none' ? 'none' : 'not shown';
    const to = paragraph.from + before;
    notes.marks.push({ from: start, to, role: 'free' });
    const verb = to - 1 - verdict.length;
    notes.marks.push({ from: verb, to: verb + verdict.length, role: 'word' });
    for (const clause of clauses(subject, from)) {
      const item = itemIn(part, clause, notes, state);
      if (item) out.push({ part, item, state, span: { from: start, to } });
    }
  }
  for (const { finding, subject } of unended(part, text, paragraph.from)) {
    notes.findings.push(finding);
    if (finding.span) out.push(...meant(part, subject, finding.span));
  }
  return out;
}

/** The items that a sentence with a mistake names, so that no question asks for them as well. */
function meant(part: PartName, subject: string, span: Span): AbsenceSentence[] {
  return clauses(subject, 0).flatMap(({ text }) => {
    const named = ITEMS.find((item) => item.part === part && forms(item.name).includes(text.trim().toLowerCase()));
    return named ? [{ part, item: named.name, state: 'none', span }] : [];
  });
}

/** Reports lines that consist of names of items without the end of a sentence: such a line is prose, without effect. */
function unended(part: PartName, text: string, from: number): Array<{ finding: Finding; subject: string }> {
  return [...text.matchAll(/^(?!\s*[-*+]\s)([^:\n]+):([\s*_`][^\n]*)$/gm)].flatMap((line) => {
    const [whole, subject = '', rest = ''] = line;
    const plain = subject.replace(/[*_]/g, '').trim();
    const after = text.slice(line.index + subject.length + 1);
    const [, verdict = ''] = /^\s+(not\s+shown|\w+(?:\s+\w+)?)\.(?=\s|$)/.exec(after) ?? [];
    if (nearest(verdict.replace(/\s+/, ' '), VERDICTS) || !namesItems(part, plain)) return [];
    const said = /^[\s*_`]*not\s+shown\b/i.test(rest) ? 'not shown' : 'none';
    const write = `${plain}: ${said}.`;
    const span = { from: from + line.index, to: from + line.index + whole.trimEnd().length };
    const what = `a statement of ${plain}`;
    return [{ finding: language.report.looksLike(span, { what, as: UNENDED, write }), subject: plain }];
  });
}

/** The part of a message that says how such a line is read, and what to write instead. */
const UNENDED =
  'prose: a sentence says only “none.” or “not shown.” of an item. State the rest as bullets and rows, or write the sentence without a colon';

const VERDICTS = ['none', 'not shown'];

/** Whether a text names items of a part and nothing else. */
function namesItems(part: PartName, subject: string): boolean {
  const items = ITEMS.filter((item) => item.part === part).flatMap((item) => forms(item.name));
  return clauses(subject, 0).every((clause) => items.includes(clause.text.trim().toLowerCase()));
}

/** Reports a sentence that names only items and ends in a misspelling of `none` or `not shown`. */
function misspelt(part: PartName, subject: string, span: Span, found: string): Finding[] {
  const suggestion = nearest(found, VERDICTS);
  if (!suggestion || !namesItems(part, subject)) return [];
  return [language.report.unknown(span, { found, nearest: suggestion, expected: '“none” or “not shown”' })];
}

/** The clauses of a subject, which commas and “and” separate. */
function clauses(subject: string, from: number): Array<{ text: string; from: number }> {
  const out: Array<{ text: string; from: number }> = [];
  let at = 0;
  for (const part of subject.split(/(,?\s+and\s+|,\s*)/)) {
    if (part.trim() && !/^(?:,?\s+and\s+|,\s*)$/.test(part)) out.push({ text: part, from: from + at });
    at += part.length;
  }
  return out;
}

/** Prepositions after an item: the sentence concerns a part of the item, where none states the whole absent. */
const PARTIAL: ReadonlySet<string> = new Set(
  'apart besides but except excepting excluding most no not only other others some those unless without'.split(' '),
);

/** Words after an item that restrict a sentence to a part of the service. */
const LIMITING: ReadonlySet<string> = new Set(
  'above at below by for from if in of on per to under until when where while'.split(' '),
);

/** Words for the whole service, which do not restrict an item to a part of it. */
const WHOLE = /^\s+(?:the|this)\s+(?:api|service)\b/;

/** The item that a clause names, in the singular or plural; a clause that names none is an error. */
function itemIn(
  part: PartName,
  clause: { text: string; from: number },
  notes: Notes,
  state: AbsenceSentence['state'],
): ItemName | null {
  const names = ITEMS.filter((item) => item.part === part).map((item) => item.name);
  const lower = clause.text.toLowerCase();
  let best: { name: ItemName; at: number; length: number } | null = null;
  for (const name of names)
    for (const form of forms(name)) {
      const at = lower.search(new RegExp(`(?<![a-z])${form}(?![a-z])`));
      if (at >= 0 && form.length > (best?.length ?? 0)) best = { name, at, length: form.length };
    }
  if (best) {
    notes.marks.push({ from: clause.from + best.at, to: clause.from + best.at + best.length, role: 'word' });
    const rest = lower.slice(0, best.at) + ' '.repeat(best.length) + lower.slice(best.at + best.length);
    const ends = best.at + best.length;
    const limits = (word: string, at: number): boolean =>
      state === 'none' && at >= ends && LIMITING.has(word) && !WHOLE.test(rest.slice(at + word.length));
    const more = [...rest.matchAll(/[\p{L}\p{N}-]+/gu)].find(
      ({ 0: word, index }) => PARTIAL.has(word) || limits(word, index),
    );
    if (more) {
      const from = clause.from + more.index;
      const found = clause.text.slice(more.index, more.index + more[0].length);
      notes.findings.push(
        language.report.sentenceMore({ from, to: from + found.length }, { found, item: best.name, state }),
      );
    }
    return best.name;
  }
  const words = [...lower.matchAll(/[a-z-]+/g)];
  const all = names.flatMap(forms);
  const near = words.map((word) => ({
    word,
    name: nearest(
      word[0],
      all.filter((name) => !name.includes(' ')),
    ),
  }));
  const hit = near.find((one) => one.name) ?? nearPair(words, all);
  // If the clause has no word, the finding marks its whole text.
  const start = (hit?.word ?? words[0])?.index ?? clause.text.search(/\S/);
  const length = (hit?.word ?? words[0])?.[0].length ?? clause.text.trim().length;
  const from = clause.from + start;
  const found = clause.text.slice(start, start + length);
  const home = homeOf(clause.text.trim());
  const params = home
    ? { found: clause.text.trim(), expected: `one of ${names.join(', ')}`, home }
    : { found, nearest: hit?.name ?? '', expected: `one of ${names.join(', ')}` };
  notes.findings.push(language.report.unknown({ from, to: from + length }, params));
  return null;
}

function nearPair(words: RegExpExecArray[], all: string[]): { word: RegExpExecArray; name: string } | null {
  for (const [i, word] of words.entries())
    for (const name of all) {
      const parts = name.split(' ');
      const pairs = parts.map((one, k) => [one, words[i + k]?.[0] ?? ''] as const);
      const differs = pairs.findIndex(([one, found]) => one !== found);
      if (parts.length > 1 && differs >= 0 && pairs.every(([one, found]) => nearest(found, [one]) !== null))
        return { word: words[i + differs] ?? word, name };
    }
  return null;
}

function forms(name: string): string[] {
  const singular = name.replace(/ies$/, 'y').replace(/s$/, '');
  return [...new Set([name, singular, `${singular}s`])];
}

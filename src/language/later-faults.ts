import type { Finding } from '../syntax/diagnostic.ts';
import type { Text } from '../syntax/markdown.ts';
import { type Notes, Phrase } from '../syntax/phrase.ts';
import { type Token, tokens } from '../syntax/tokens.ts';
import type { AnyGrammar } from './grammar.ts';

/** The part of a value between two commas or semicolons, with the one before it. */
interface Segment {
  readonly from: number;
  readonly to: number;
  /** Where its first word begins. */
  readonly content: number;
}

/** Whether a finding is about text that is not in the language. */
export const isMisread = ({ standing, span }: Finding): boolean => standing === 'not understood' && span !== null;

/** More parts than any value of the language has: of a longer text, the later faults are not looked for. */
const MOST_SEGMENTS = 20;

/**
 * The faults of a value after its first one. A value is read up to its first fault, so the part with that fault is
 * replaced by each part of the forms of the value: with the replacement that lets most of the text be understood, the
 * next fault is found in the same way. Only text that is not in the language is reported: the replacement could cause
 * anything else.
 */
export function laterFaults(grammar: AnyGrammar, text: Text, first: Finding): Finding[] {
  const found: Finding[] = [];
  let segments = segmentsOf(text);
  if (segments.length > MOST_SEGMENTS) return found;
  const parts = [...new Set(grammar.samples.flatMap(partsOf))];
  let [source, shift] = [text.source.slice(0, text.to), 0];
  let from = first.span!.from;
  for (;;) {
    const at = segments.findIndex((segment) => from < segment.to);
    const faulty = segments[at];
    const next = segments[at + 1];
    if (!faulty || !next) return found;
    const wrong = wordsOf(source.slice(faulty.content, faulty.to));
    const better = parts
      .map((part) => replaced(grammar, { ...text, source }, { faulty, next, part, wrong }))
      .filter((one) => one !== null)
      .reduce<Replaced | null>((best, one) => (best && best.reached >= one.reached ? best : one), null);
    if (!better?.finding) return found;
    const { finding, length } = better;
    shift += length;
    const span = { from: finding.span!.from - shift, to: finding.span!.to - shift };
    // The first fault alone has the effect that the statement is not understood.
    found.push({ ...finding, span, effects: [] });
    source = better.source;
    from = finding.span!.from;
    segments = segmentsOf({ ...text, source, to: source.length });
  }
}

interface Replaced {
  readonly source: string;
  /** By how many characters the text has grown. */
  readonly length: number;
  /** The next fault; null where there is none. */
  readonly finding: Finding | null;
  /** Up to where the text is understood. */
  readonly reached: number;
}

interface Replacement {
  readonly faulty: Segment;
  readonly next: Segment;
  readonly part: string;
  /** The words of the part that is replaced. */
  readonly wrong: ReadonlySet<string>;
}

/** The text with one part of a form in place of the faulty part; null where the text is not understood further. */
function replaced(grammar: AnyGrammar, text: Text, { faulty, next, part, wrong }: Replacement): Replaced | null {
  const source = text.source.slice(0, faulty.content) + part + text.source.slice(next.from);
  const length = source.length - text.source.length;
  const notes: Notes = { findings: [], marks: [] };
  const phrase = new Phrase({ ...text, source, to: source.length, lesson: '' }, notes);
  grammar.read(phrase);
  phrase.end();
  const finding = notes.findings.find(isMisread);
  if (!finding?.span) return phrase.failed ? null : { source, length, finding: null, reached: source.length };
  const { from } = finding.span;
  const begin = next.from + length;
  // Where the next part is refused as a whole, the replacement may be wrong, unless it resembles what it replaces.
  const resembles = from > next.content + length || [...wordsOf(part)].some((word) => wrong.has(word));
  return from >= begin && resembles ? { source, length, finding, reached: from } : null;
}

function segmentsOf(text: Text): Segment[] {
  const all = tokens(text);
  const isSign = ({ kind, text: sign }: Token): boolean => kind === 'mark' && (sign === ',' || sign === ';');
  const starts = all.flatMap((token, i) => (i > 0 && isSign(token) ? [i] : []));
  return [0, ...starts].flatMap((start, i) => {
    const end = starts[i] ?? all.length;
    const [first, last] = [all[start], all[end - 1]];
    const content = i === 0 ? first : all[start + 1];
    return first && last && content ? [{ from: first.from, to: last.to, content: content.from }] : [];
  });
}

function partsOf(sample: string): string[] {
  const text = { source: sample, from: 0, to: sample.length, inTable: false };
  return segmentsOf(text).map(({ content, to }) => sample.slice(content, to));
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.split(/[\s`,;]+/).filter(Boolean));

import type { Finding } from '../../syntax/diagnostic.ts';
import type { Span } from '../../syntax/span.ts';
import { type Compiled, compile } from '../compile.ts';
import { Candidates } from './candidates.ts';
import type { Edit } from './sites.ts';

/** The most answers to one finding that are tried: the document is compiled with each. */
const MOST = 24;

/**
 * The edits of a finding: each mends the error, or gives one possible answer to the question. Each has been tried: with
 * it, the finding is gone, and no error comes. None where the document alone can say what is meant, such as the name of
 * a field. The document is compiled once for each edit that is tried, and for at most `most` answers.
 */
export const editsOf = (compiled: Compiled, finding: Finding, most: number = MOST, allowance?: Allowance): Edit[] =>
  rightOf(compiled, finding, candidatesOf(compiled, finding).slice(0, most), allowance);

/** Each answer with the edits that may state it. */
type Answers = ReadonlyArray<readonly Edit[]>;

const candidatesOf = (compiled: Compiled, finding: Finding): Answers =>
  finding.span ? new Candidates(compiled).of(finding, finding.span) : [];

/**
 * An edit with the line ends of its document. Places at the end of a line are before CR and LF: the parts of a document
 * count a CR before LF as a space.
 */
function asWritten(source: string, { from, to, text }: Edit): Edit {
  if (!source.includes('\r\n')) return { from, to, text };
  const before = (at: number): number => (source[at] === '\n' && source[at - 1] === '\r' ? at - 1 : at);
  return { from: before(from), to: before(to), text: text.replaceAll(/\r?\n/g, '\r\n') };
}

/** The first right edit of each answer, each edit once. */
function rightOf(compiled: Compiled, finding: Finding, answers: Answers, allowance = new Allowance()): Edit[] {
  const found = answers
    .slice(0, MOST)
    .map((edits) => edits.map((edit) => asWritten(compiled.lines.text, edit)))
    .flatMap((edits) => edits.find((edit) => allowance.isLeft(compiled) && isRight(compiled, finding, edit)) ?? []);
  return [...new Map(found.map((edit) => [`${edit.from} ${edit.to} ${edit.text}`, edit])).values()];
}

/** How many characters are compiled, at most, to try the edits of some findings of a document. */
const MOST_COMPILED = 4_000_000;

/** The tries that are left, in characters to compile. A very long document has few, so that its edits take no minutes. */
export class Allowance {
  private left: number;

  constructor(characters = Number.POSITIVE_INFINITY) {
    this.left = characters;
  }

  /** The allowance for the findings at one place. */
  static ofPlace(): Allowance {
    return new Allowance(MOST_COMPILED);
  }

  /** Whether a document may be compiled once more, which is counted. */
  isLeft({ lines }: Compiled): boolean {
    this.left -= lines.text.length;
    return this.left >= 0;
  }
}

/**
 * The edits of some findings, in their order. Null for findings that come after so many tries that they would take
 * seconds: `editsOf` gives theirs one by one.
 */
export function allEdits(compiled: Compiled, findings: readonly Finding[]): Array<Edit[] | null> {
  let left = MOST_COMPILED;
  return findings.map((finding) => {
    if (left <= 0) return null;
    const answers = candidatesOf(compiled, finding);
    left -= Math.min(MOST, answers.length) * compiled.lines.text.length;
    return rightOf(compiled, finding, answers);
  });
}

/** The document with an edit. */
export const edited = (source: string, { from, to, text }: Edit): string =>
  source.slice(0, from) + text + source.slice(to);

/** Whether a finding is in a document less often than it was before an edit. */
export function isGone(finding: Finding, before: Compiled, after: Compiled): boolean {
  const what = sayingOf(finding);
  return countOf(after.findings, what) < countOf(before.findings, what);
}

/** The errors of a document that it has more often than before an edit. */
export function newErrors(before: Compiled, after: Compiled): Finding[] {
  const left = new Map(errorsOf(before));
  return after.findings.filter((finding) => {
    const what = sayingOf(finding);
    const known = left.get(what) ?? 0;
    left.set(what, known - 1);
    return finding.severity === 'error' && known <= 0;
  });
}

/**
 * The errors that an edit brings. The document had the others already, and its questions held them back; or they are
 * elsewhere, and a part that was unreadable before had hidden them.
 */
export function broughtErrors(before: Compiled, after: Compiled, { from, text }: Edit): Finding[] {
  const held = new Set(before.held.map(sayingOf));
  const isElsewhere = (span: Span | null): boolean => !span || span.to <= from || span.from >= from + text.length;
  const isRevealed = ({ span, related }: Finding): boolean =>
    before.more === 'unchecked' && [span, ...related].every(isElsewhere);
  return newErrors(before, after).filter((error) => !held.has(sayingOf(error)) && !isRevealed(error));
}

/** Whether an edit takes the finding away and brings no error. */
function isRight(compiled: Compiled, finding: Finding, edit: Edit): boolean {
  const after = compile(compiled.name, edited(compiled.lines.text, edit));
  if (!isGone(finding, compiled, after)) return false;
  // A word that is mended may reveal another mistake in the same statement.
  if (finding.sure && errorsIn(after) <= errorsIn(compiled)) return true;
  return newErrors(compiled, after).length === 0;
}

const errorsIn = ({ findings }: Compiled): number => findings.filter(({ severity }) => severity === 'error').length;

/** The errors of a document, and how often it has each. */
function errorsOf({ findings }: Compiled): Map<string, number> {
  const out = new Map<string, number>();
  for (const finding of findings)
    if (finding.severity === 'error') out.set(sayingOf(finding), (out.get(sayingOf(finding)) ?? 0) + 1);
  return out;
}

const countOf = (findings: readonly Finding[], saying: string): number =>
  findings.filter((one) => sayingOf(one) === saying).length;

/**
 * A finding without its place: an edit moves the lines that messages name. A name that nothing declares is the same
 * mistake, whichever names are declared beside.
 */
export const sayingOf = ({ code, message, found, owner, params }: Finding): string =>
  code === 'language/unknown-name'
    ? [code, params.kind, owner, found].join(' ')
    : `${code} ${message.replace(/\(?(?:Also in )?lines? [\d, and others.]+\)?/g, '')}`;

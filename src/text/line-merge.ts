import { type Hunk, hunksOf } from './line-changes.ts';

/** Lines that two edits of one text changed differently. */
export interface LineConflict {
  /** The first line in the text before both edits, from 1. */
  readonly line: number;
  readonly before: readonly string[];
  readonly mine: readonly string[];
  readonly theirs: readonly string[];
}

/** A part of a merged text: lines about which both edits agree, or which one of them alone changed; or a conflict. */
type MergedPart = readonly string[] | LineConflict;

type SidedHunk = Hunk & { readonly lines: readonly string[]; readonly isMine: boolean };

/**
 * Merges two edits of a text line by line. Edits of the same lines are a conflict, unless both wrote the same. Beside a
 * line that one edit changed, lines of the other edit are in conflict where their order is not certain: where one of the
 * two adds lines.
 */
export function mergedLines(before: string, mine: string, theirs: string): MergedPart[] {
  const base = before.split('\n');
  const hunks = [...sided(base, mine, true), ...sided(base, theirs, false)].sort(
    (a, b) => a.from - b.from || a.to - b.to,
  );
  const parts: MergedPart[] = [];
  let at = 0;
  for (let i = 0; i < hunks.length; ) {
    const { from } = hunks[i]!;
    let to = from;
    const here: SidedHunk[] = [];
    for (; i < hunks.length && (here.length === 0 || isJoined(hunks[i]!, to, here)); i++) {
      here.push(hunks[i]!);
      to = Math.max(to, hunks[i]!.to);
    }
    parts.push(base.slice(at, from), changed(base, { from, to }, here));
    at = to;
  }
  return [...parts, base.slice(at)];
}

/** The text of merged parts; `chosen` gives the lines of each conflict. */
export const mergedText = (
  parts: readonly MergedPart[],
  chosen: (conflict: LineConflict) => readonly string[],
): string => parts.flatMap((part) => (isConflict(part) ? chosen(part) : part)).join('\n');

export const isConflict = (part: MergedPart): part is LineConflict => !Array.isArray(part);

/** Whether a difference belongs to the differences before it, which end at a line. */
const isJoined = (hunk: SidedHunk, to: number, here: readonly SidedHunk[]): boolean =>
  hunk.from < to || (hunk.from === to && (adds(hunk) || here.some((one) => one.to === to && adds(one))));

/** Whether a difference has more new lines than old ones. */
const adds = ({ from, to, lines }: SidedHunk): boolean => lines.length > to - from;

function sided(base: readonly string[], text: string, isMine: boolean): SidedHunk[] {
  const lines = text.split('\n');
  return hunksOf(base, lines).map((hunk) => ({ ...hunk, lines: lines.slice(hunk.start, hunk.end), isMine }));
}

/** A part of the text that at least one edit has changed. */
function changed(
  base: readonly string[],
  { from, to }: Pick<Hunk, 'from' | 'to'>,
  hunks: readonly SidedHunk[],
): MergedPart {
  const linesOf = (own: readonly SidedHunk[]): readonly string[] => {
    let at = from;
    const lines = own.flatMap((hunk) => {
      const kept = base.slice(at, hunk.from);
      at = hunk.to;
      return [...kept, ...hunk.lines];
    });
    return [...lines, ...base.slice(at, to)];
  };
  const [ours, others] = [hunks.filter(({ isMine }) => isMine), hunks.filter(({ isMine }) => !isMine)];
  const [mine, theirs] = [linesOf(ours), linesOf(others)];
  if (others.length === 0 || (ours.length > 0 && isSame(mine, theirs))) return mine;
  return ours.length === 0 ? theirs : { line: from + 1, before: base.slice(from, to), mine, theirs };
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((line, i) => line === b[i]);

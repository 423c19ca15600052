/** A line of a Markdown document, with its kind. */
export interface Line {
  /** From 1. */
  readonly number: number;
  readonly kind: 'heading' | 'bullet' | 'step' | 'text' | 'code' | 'blank' | 'table';
  /** The level of a heading, or the indentation of a bullet or step. */
  readonly level: number;
  /** The mark before a bullet or a step. */
  readonly mark: string;
  readonly text: string;
  /** The cells of a table row; empty for the delimiter row. */
  readonly cells: readonly string[];
}

/** A block of lines from one heading to the next, of at most `BLOCK_LINES` lines. */
export interface Block {
  readonly first: number;
  readonly lines: readonly Line[];
}

/** The most lines of a block, so that rendering one is quick. */
const BLOCK_LINES = 60;

/** Splits a document into lines. HTML in it stays text. */
export function linesOf(text: string): readonly Line[] {
  let fence: string | null = null;
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line, i): Line => {
    const opened = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    const code = fence !== null || opened !== undefined;
    if (fence === null) fence = opened ?? null;
    else if (opened?.startsWith(fence)) fence = null;
    return code ? plain(i + 1, 'code', line) : lineOf(i + 1, line);
  });
}

const plain = (number: number, kind: Line['kind'], text: string): Line => ({
  number,
  kind,
  level: 0,
  mark: '',
  text,
  cells: [],
});

function lineOf(number: number, line: string): Line {
  const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
  if (heading) return { ...plain(number, 'heading', heading[2] ?? ''), level: heading[1]?.length ?? 1 };
  const item = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/.exec(line);
  if (item) {
    const [, indent = '', mark = '', text = ''] = item;
    const bullet = /^[-*+]$/.test(mark);
    const level = Math.min(Math.floor(indent.length / 2), 6);
    return { ...plain(number, bullet ? 'bullet' : 'step', text), level, mark: bullet ? '–' : mark };
  }
  if (/^\s*\|.*\|\s*$/.test(line)) return { ...plain(number, 'table', line), cells: cellsOf(line) };
  return plain(number, line.trim() === '' ? 'blank' : 'text', line);
}

/** The cells of a table row; empty for the delimiter row. */
function cellsOf(line: string): readonly string[] {
  const inner = line.trim().slice(1, -1);
  if (/^[\s:|-]+$/.test(inner) && inner.includes('-')) return [];
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

export function blocksOf(lines: readonly Line[]): readonly Block[] {
  const blocks: Line[][] = [];
  for (const line of lines) {
    const last = blocks.at(-1);
    const inTable = line.kind === 'table' && last?.at(-1)?.kind === 'table';
    if (!last || line.kind === 'heading' || (last.length >= BLOCK_LINES && !inTable)) blocks.push([line]);
    else last.push(line);
  }
  return blocks.map((block) => ({ first: block[0]?.number ?? 1, lines: block }));
}

/** A part of a line with one style. */
interface Piece {
  readonly kind: 'text' | 'code' | 'bold';
  readonly text: string;
}

/** Splits the text of a line into code, bold and plain pieces. */
export function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const match of text.matchAll(/(`+)(.+?)\1(?!`)|\*\*([^*]+)\*\*/g)) {
    if (match.index > at) pieces.push({ kind: 'text', text: text.slice(at, match.index) });
    const code = match[2];
    pieces.push(code === undefined ? { kind: 'bold', text: match[3] ?? '' } : { kind: 'code', text: code.trim() });
    at = match.index + match[0].length;
  }
  if (at < text.length) pieces.push({ kind: 'text', text: text.slice(at) });
  return pieces;
}

/** A stretch of the document, in UTF-16 units from its start; the end is exclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A position as people count: from 1, in UTF-16 units. */
interface Position {
  readonly line: number;
  readonly column: number;
}

/** The index of the last of some sorted places that is not after `at`; -1 where there is none. */
export function lastUpTo(places: readonly number[], at: number): number {
  let from = 0;
  let to = places.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (places[middle]! <= at) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}

/** Finds lines and columns in a text. Lines end with LF, CRLF or CR. */
export class LineIndex {
  readonly text: string;
  private readonly starts: number[] = [0];

  constructor(text: string) {
    this.text = text;
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c === 13 && text.charCodeAt(i + 1) === 10) continue;
      if (c === 10 || c === 13) this.starts.push(i + 1);
    }
  }

  /** The line and column of an offset; an offset past the end is the end. */
  position(offset: number): Position {
    const line = lastUpTo(this.starts, offset);
    return { line: line + 1, column: offset - this.starts[line]! + 1 };
  }

  /** The text of a line (counted from 1), without its ending. */
  line(number: number): string {
    const start = this.starts[number - 1];
    if (start === undefined) return '';
    return this.text.slice(start, this.starts[number] ?? this.text.length).replace(/[\r\n]+$/, '');
  }
}

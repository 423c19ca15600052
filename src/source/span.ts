/** A stretch of the document, in UTF-16 units from its start; the end is exclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A position as people count: from 1, in UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
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
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - this.starts[low]! + 1 };
  }

  /** The text of a line (counted from 1), without its ending. */
  line(number: number): string {
    const start = this.starts[number - 1];
    if (start === undefined) return '';
    return this.text.slice(start, this.starts[number] ?? this.text.length).replace(/[\r\n]+$/, '');
  }
}

import { createInterface, type Interface } from 'node:readline/promises';
import { Transform } from 'node:stream';
import type { Io } from './io.ts';

/** The most bytes of a line that are kept: a longer one costs a terminal's line editor too much time. */
const MOST_BYTES = 4096;
/** The most lines of one answer. */
const MOST_LINES = 200;
/** Lines that follow one another within this time were pasted, in milliseconds: nobody types so fast. */
const PASTE_MS = 30;

/** One answer as it was typed; several lines if they were pasted together, or if a line ends with a backslash. */
type Typed = { readonly text: string } | { readonly tooLong: true } | null;

/**
 * The answers that a person types, or that a script gives line by line. In a terminal, lines that are pasted together
 * are one answer, so that the second of them never answers another question.
 */
export class TypedLines {
  private readonly io: Io;
  private readonly isTerminal: boolean;
  private readonly reader: Interface;
  private readonly source: NodeJS.ReadableStream;
  private readonly queue: string[] = [];
  private isEnded = false;
  /** Whether bytes of the current answer were dropped. */
  private isCut = false;
  private wake: () => void = () => {};

  constructor(io: Io) {
    const input = io.input?.();
    if (!input) throw new Error('A conversation needs standard input.');
    this.io = io;
    this.isTerminal = input.terminal !== null;
    this.source = input.stream;
    this.reader = createInterface({
      input: input.stream.pipe(
        capped(input.stream, () => {
          this.isCut = true;
        }),
      ),
      ...(input.terminal && { output: input.terminal }),
      terminal: this.isTerminal,
      prompt: PROMPT,
      crlfDelay: Number.POSITIVE_INFINITY,
    });
    this.reader.on('line', (line) => {
      this.queue.push(line);
      this.wake();
    });
    const end = (): void => {
      this.isEnded = true;
      this.wake();
    };
    this.reader.on('close', end);
    // Ctrl-C ends the conversation as `q` does: every answer is in the file.
    this.reader.on('SIGINT', () => this.reader.close());
  }

  /** The next answer; null at the end of input. */
  async next(): Promise<Typed> {
    if (this.isTerminal) this.reader.prompt();
    else this.io.out(PROMPT);
    const lines: string[] = [];
    do {
      const line = await this.line();
      if (line === null) return lines.length === 0 ? this.ended() : this.typed(lines);
      if (!this.isTerminal) this.io.out(`${line}\n`);
      lines.push(line);
    } while (lines.at(-1)?.endsWith('\\') || (this.isTerminal && (await this.isPasted())));
    return this.typed(lines);
  }

  /** The lines as one text, without the backslashes that continue them. */
  private typed(lines: readonly string[]): Typed {
    const isTooLong = this.isCut || lines.length > MOST_LINES;
    this.isCut = false;
    return isTooLong ? { tooLong: true } : { text: lines.map((line) => line.replace(/\\$/, '')).join('\n') };
  }

  /** Stops reading, so that standard input does not keep the process running. */
  close(): void {
    this.reader.close();
    this.source.unpipe();
    this.source.pause();
  }

  private ended(): null {
    this.io.out('\n');
    return null;
  }

  private async line(): Promise<string | null> {
    while (this.queue.length === 0 && !this.isEnded)
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    return this.queue.shift() ?? null;
  }

  /** Whether more of a paste follows: another line, or the start of one that the person still has to end. */
  private async isPasted(): Promise<boolean> {
    if (this.queue.length === 0) await new Promise((resolve) => setTimeout(resolve, PASTE_MS));
    return this.queue.length > 0 || (!this.isEnded && this.reader.line !== '');
  }
}

const PROMPT = '> ';

/** Passes input on, without the bytes of a line that are too many. A terminal's modes are those of the input. */
function capped(input: NodeJS.ReadableStream, cut: () => void): Transform {
  let length = 0;
  const isKept = (byte: number): boolean => {
    if (ENDS.has(byte)) length = 0;
    else if (byte >= 32 && byte !== DELETE) length++;
    return length <= MOST_BYTES || byte < 32 || byte === DELETE;
  };
  const through = new Transform({
    transform(chunk: Buffer | string, _encoding, done) {
      const bytes = Buffer.from(chunk);
      const kept = bytes.filter(isKept);
      if (kept.length < bytes.length) cut();
      done(null, kept);
    },
  });
  const terminal = input as NodeJS.ReadStream;
  if (!terminal.isTTY) return through;
  return Object.assign(through, { isTTY: true, setRawMode: (mode: boolean) => terminal.setRawMode(mode) });
}

const DELETE = 127;
/** The bytes that end a line, take it back or end the conversation: LF, CR, Ctrl-U, Ctrl-C and Ctrl-D. */
const ENDS: ReadonlySet<number> = new Set([10, 13, 21, 3, 4]);

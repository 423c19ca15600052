import { existsSync, realpathSync } from 'node:fs';
import { type Compiled, compile } from '../compiler/compile.ts';
import type { Edit } from '../compiler/edits/sites.ts';
import { lookAt } from '../store/paths.ts';
import { readDocument } from './document.ts';
import { writeWhole } from './write-whole.ts';

/** The file can no longer be read. */
export class ReadError extends Error {}

/**
 * A document in its file, with edits that are written at once. The document is compiled with LF at the end of each line
 * and without a byte order mark; the file keeps its line ends and its mark.
 */
export class DocumentFile {
  private readonly path: string;
  /** The text of the file, apart from the byte order mark. */
  private raw: string;
  private isMarked: boolean;
  compiled: Compiled;

  /** `name`: how messages call the file, if not by its path. */
  constructor(path: string, name = path) {
    const { text, marked } = contentOf(path);
    if (!lookAt(path, true)?.isFile()) throw new ReadError(`“${path}” is no file that keeps what is written into it.`);
    this.path = path;
    this.raw = text;
    this.isMarked = marked;
    this.compiled = compile(name, withLf(text));
  }

  /** Reads the file again, and returns whether it has changed. Throws `ReadError`. */
  refresh(): boolean {
    const { text, marked } = contentOf(this.path);
    if (text === this.raw && marked === this.isMarked) return false;
    this.raw = text;
    this.isMarked = marked;
    this.compiled = compile(this.compiled.name, withLf(text));
    return true;
  }

  /** Writes an edit of the compiled text, of which `compiled` is the result. Returns the undo. Throws `WriteError`. */
  write(edit: Edit, compiled: Compiled): Undo {
    const before = { raw: this.raw, compiled: this.compiled };
    const raw = edited(this.raw, edit);
    this.replace(raw, compiled);
    return () => {
      if (this.raw !== raw) return false;
      this.replace(before.raw, before.compiled);
      return true;
    };
  }

  /** Writes edits, each of the text that the one before leaves. `compiled` is the result of all. Throws `WriteError`. */
  writeAll(edits: readonly Edit[], compiled: Compiled): void {
    this.replace(edits.reduce(edited, this.raw), compiled);
  }

  private replace(raw: string, compiled: Compiled): void {
    // A link stays a link.
    writeWhole(existsSync(this.path) ? realpathSync(this.path) : this.path, (this.isMarked ? '\uFEFF' : '') + raw);
    this.raw = raw;
    this.compiled = compiled;
  }
}

/** A text with its own line ends, after an edit of the same text with LF alone. */
const edited = (raw: string, { from, to, text }: Edit): string =>
  raw.slice(0, offsetIn(raw, from)) + text.replaceAll('\n', lineEndOf(raw)) + raw.slice(offsetIn(raw, to));

/** Takes an edit back; false where the document has changed since, and is left unchanged. */
export type Undo = () => boolean;

function contentOf(path: string): Exclude<ReturnType<typeof readDocument>, { problem: string }> {
  const read = readDocument(path);
  if ('problem' in read) throw new ReadError(read.problem);
  return read;
}

const withLf = (text: string): string => text.replace(/\r\n?/g, '\n');

/** The line end of a text: that of its first line. */
const lineEndOf = (raw: string): string => /\r\n?|\n/.exec(raw)?.[0] ?? '\n';

/** The offset in a text of an offset in the same text with LF alone. */
function offsetIn(raw: string, offset: number): number {
  let at = offset;
  for (let end = raw.indexOf('\r\n'); end >= 0 && end < at; end = raw.indexOf('\r\n', end + 2)) at++;
  return at;
}
